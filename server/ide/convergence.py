"""The convergence of values and blocks in words, in both senses, with the reasons."""

from __future__ import annotations

from typing import Protocol

from nirls.ir.control_flow import Block
from nirls.ir.values import Def


class Convergence(Protocol):
    """What the analyses say, as lines of text."""

    def of_value(self, value: Def) -> list[str]: ...

    def of_block(self, block: Block) -> list[str]: ...
