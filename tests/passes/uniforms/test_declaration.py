"""What the registry says of the pass, beside running it."""

from __future__ import annotations

import pytest

from nirls.passes import registry
from nirls.passes.options import OptionError, resolve_options
from tests.passes.shader_text import ZERO, shader, use

LOAD = "32 %1 = @load_ubo (%0 (0x0), %0 (0x0)) (access=none, align_mul=4, align_offset=0, range=4)"


def test_options_are_checked_against_the_shaders() -> None:
    declared = registry.find("inline_uniforms")
    assert declared is not None
    parsed = shader("FRAGMENT", ZERO, LOAD, use("%1"))
    declared.check([parsed], resolve_options(declared, {"set": "0:0=1"}))
    with pytest.raises(OptionError, match="nothing loads uniform 0:4"):
        declared.check([parsed], resolve_options(declared, {"set": "0:4=1"}))


def test_what_is_taken_for_granted_as_words_of_memory() -> None:
    declared = registry.find("inline_uniforms")
    assert declared is not None
    options = resolve_options(declared, {"set": "2:8=7,push:4=1.0,1.3:0=9"})
    assert declared.known_memory([shader("FRAGMENT", ZERO)], options) == {
        ("ubo", 2, 2): 7,
        ("push_const", 0, 1): 0x3F800000,
        ("ubo", (1 << 8 | 3) << 12, 0): 9,
    }


def test_a_pass_without_checks_takes_everything() -> None:
    declared = registry.find("opt_dce")
    assert declared is not None
    declared.check([], {})
    assert declared.known_memory([], {}) == {}
