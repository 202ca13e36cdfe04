"""The lines that build a small shader, for tests of what writes them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from nirls.ir.mesa_test import NotBuildableError, mesa_api
from nirls.ir.mesa_test.unit_test import built
from nirls.ir.model.shader import Shader
from tests.passes.shader_text import shader


def lines_of(parsed: Shader, mesa: str = "25.0") -> list[str]:
    """The lines that build a shader, without indentation and empty ones."""
    return [line.strip() for line in built(parsed, mesa_api(mesa)).lines if line]


def built_lines(
    *lines: str, stage: str = "FRAGMENT", header: Sequence[str] = (), mesa: str = "25.0"
) -> list[str]:
    """The lines that build a shader of one block."""
    return lines_of(shader(stage, *lines, header=header), mesa)


def reasons_of(
    *lines: str, stage: str = "FRAGMENT", header: Sequence[str] = (), mesa: str = "25.0"
) -> list[str]:
    """What of a shader of one block cannot be built."""
    with pytest.raises(NotBuildableError) as caught:
        built_lines(*lines, stage=stage, header=header, mesa=mesa)
    return list(caught.value.reasons)
