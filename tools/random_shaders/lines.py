"""The lines of a random function body, and the numbers of its values."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterable

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump


def parsed(texts: Iterable[str]) -> list[Shader]:
    """The shaders of some dumps, which must be readable."""
    shaders = [parse_dump(text.encode()) for text in texts]
    for shader in shaders:
        assert not shader.unreadable, shader.unreadable
    return shaders


class Lines:
    """Lines that are written downwards; what is made depends on the seed only."""

    def __init__(self, seed: random.Random, stage: str) -> None:
        self.random = seed
        self.stage = stage
        self.lines: list[str] = []
        self.number = 0

    def chance(self, part: float) -> bool:
        return self.random.random() < part

    def line(self, text: str) -> None:
        self.lines.append(f"    {text}")

    def define(self, size: str, text: str) -> int:
        """A new value; returns its number."""
        self.line(f"{size} %{self.number} = {text}")
        self.number += 1
        return self.number - 1

    def float_constant(self, value: float, *, shown: bool = False) -> int:
        """A constant by its bits; `shown` with the float beside them."""
        bits = struct.unpack("<I", struct.pack("<f", value))[0]
        return self.define("32", f"load_const (0x{bits:08x}{f' = {value:f}' if shown else ''})")
