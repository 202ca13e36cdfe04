"""The declaration of the pass: its checks against shaders, and the memory that it assumes."""

from __future__ import annotations

import pytest

from nirls.passes.declaration import OptionError
from nirls.passes.uniforms.inline_uniforms import InlineUniforms
from tests.passes.shader_text import ZERO, shader, use

LOAD = "32 %1 = @load_ubo (%0 (0x0), %0 (0x0)) (access=none, align_mul=4, align_offset=0, range=4)"


def test_options_are_checked_against_the_shaders() -> None:
    parsed = shader("FRAGMENT", ZERO, LOAD, use("%1"))
    InlineUniforms(set="0:0=1").check([parsed])
    with pytest.raises(OptionError, match="nothing loads uniform 0:4"):
        InlineUniforms(set="0:4=1").check([parsed])


def test_assumed_words_of_memory() -> None:
    declared = InlineUniforms(set="2:8=7,push:4=1.0,1.3:0=9")
    assert declared.known_memory([shader("FRAGMENT", ZERO)]) == {
        ("ubo", 2, 2): 7,
        ("push_const", 0, 1): 0x3F800000,
        ("ubo", (1 << 8 | 3) << 12, 0): 9,
    }


def test_limit_is_mesas() -> None:
    assert InlineUniforms().limit == 4
