from __future__ import annotations

from nirls.ir.effects import can_eliminate
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.passes.dead_code import remove_unread, remove_with_its_sources
from tests.passes.shader_text import ONE, ZERO, printed_kinds, shader, use


def instr(parsed: Shader, kind: str) -> Instr:
    return next(
        one
        for impl in parsed.impls()
        for one in impl.instrs()
        if kind in (one.kind, getattr(one, "op", ""), getattr(one, "name", ""))
    )


def test_only_what_the_removed_instruction_needed_goes() -> None:
    parsed = shader(
        "FRAGMENT",
        ZERO,
        ONE,
        "32    %2 = fadd %1 (1.000000), %1 (1.000000)",
        "32    %3 = fmul %2, %2",
        "32    %4 = fneg %2",
        use("%3"),
        use("%4"),
    )
    removed = remove_with_its_sources(instr(parsed, "store_ssbo"))
    assert len(removed) == 2
    assert printed_kinds(parsed) == ["load_const", "load_const", "fadd", "fneg", "store_ssbo"]


def test_chain_is_removed_to_its_start() -> None:
    lines = [ZERO, ONE]
    lines += [f"32    %{number} = fneg %{number - 1}" for number in range(2, 5000)]
    parsed = shader("FRAGMENT", *lines, use("%4999"))
    assert len(remove_with_its_sources(instr(parsed, "store_ssbo"))) == 5001
    assert printed_kinds(parsed) == []


def test_value_with_readers_stays() -> None:
    parsed = shader("FRAGMENT", ZERO, use("%0 (0x0)"))
    constant = instr(parsed, "load_const")
    assert constant.def_ is not None
    assert remove_unread([constant.def_]) == []


def test_what_may_be_removed() -> None:
    parsed = shader(
        "FRAGMENT",
        ZERO,
        "32    %1 = @load_ssbo (%0 (0x0), %0 (0x0)) (access=none, align_mul=4, align_offset=0)",
        "32    %2 = @ssbo_atomic (%0 (0x0), %0 (0x0), %1) (access=none, atomic_op=iadd)",
        use("%2"),
    )
    assert can_eliminate(instr(parsed, "load_const"))
    assert can_eliminate(instr(parsed, "load_ssbo"))
    assert not can_eliminate(instr(parsed, "ssbo_atomic"))
    assert not can_eliminate(instr(parsed, "store_ssbo"))


def test_volatile_load_stays() -> None:
    parsed = shader(
        "FRAGMENT",
        ZERO,
        "32    %1 = @load_ssbo (%0 (0x0), %0 (0x0)) (access=volatile, align_mul=4, align_offset=0)",
    )
    assert not can_eliminate(instr(parsed, "load_ssbo"))
