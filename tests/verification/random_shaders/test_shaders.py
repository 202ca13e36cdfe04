"""Random single shaders are valid, and have in them what they are for."""

from __future__ import annotations

from nirls.ir.model.control_flow import If, Loop
from nirls.ir.model.instructions import AluInstr, IntrinsicInstr, JumpInstr
from nirls.ir.validation import validate
from nirls.verification.random_shaders.shaders import random_shader, random_text


def test_they_are_valid_and_the_same_for_a_number() -> None:
    for number in range(40):
        errors = [problem for problem in validate(random_shader(number)) if problem.severity == "error"]
        assert not errors, (number, errors)
    assert random_text(7) == random_text(7)
    assert random_text(7) != random_text(8)


def test_there_is_something_of_everything() -> None:
    seen: set[str] = set()
    for number in range(60):
        for impl in random_shader(number).impls():
            seen |= {type(node).__name__ for node in impl.cf_nodes() if isinstance(node, If | Loop)}
            for instr in impl.instrs():
                if isinstance(instr, JumpInstr):
                    seen.add(instr.jump_kind)
                elif isinstance(instr, IntrinsicInstr):
                    seen.add(instr.name)
                elif isinstance(instr, AluInstr):
                    seen.add(f"{instr.def_.bit_size if instr.def_ else 0} bits")
                else:
                    seen.add(instr.kind)
    assert {"If", "Loop", "break", "continue", "return", "halt", "phi", "undef", "tex"} <= seen
    assert {"terminate", "demote", "terminate_if", "demote_if", "is_helper_invocation", "ddx"} <= seen
    assert {"store_ssbo", "ssbo_atomic", "store_reg", "load_reg_indirect", "store_output", "reduce"} <= seen
    assert {"1 bits", "8 bits", "16 bits", "32 bits", "64 bits"} <= seen
