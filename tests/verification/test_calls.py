"""Functions that are called run: their stores, their returns, and what they are given count."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.verification.verdict import Different, Equivalent, Unchecked
from nirls.verification.verify_shaders import verify_shaders

HEAD = """\
shader: MESA_SHADER_COMPUTE
workgroup_size: 8, 1, 1
num_ssbos: 1
decl_var shared INTERP_MODE_NONE none uint[8] sh
decl_var shader_temp INTERP_MODE_NONE none uint g
"""
OWN = "32 %1 = @load_local_invocation_index"
SHARED = (
    "32 %{0} = deref_var &sh (shared uint[8])",
    "32 %{1} = deref_array &(*%{0})[%{2}] (shared uint)  // &sh[%{2}]",
)


def place(number: int, index: int) -> tuple[str, ...]:
    """The address of an element of shared memory."""
    return tuple(line.format(number, number + 1, index) for line in SHARED)


RESULT = (
    "32 %90 = load_const (0x00000000)",
    "32 %91 = load_const (0x00000002)",
    "32 %92 = ishl %1, %91",
    "@store_ssbo (%80, %90, %92) (wrmask=x, access=none, align_mul=4, align_offset=0)",
)


def program(main: tuple[str, ...], **functions: str) -> Shader:
    """A compute shader that stores %80, with other functions that take one number."""
    body = "\n".join(f"    {line}" for line in (OWN, *main, *RESULT))
    text = HEAD + f"decl_function main () (entrypoint)\n\nimpl main {{\n    block b0:  // preds:\n{body}\n"
    text += "               // succs: b1\n    block b1:\n}\n"
    for name, lines in functions.items():
        text += f"\ndecl_function {name} (32)\n\nimpl {name} {{\n{lines}}}\n"
    shader = parse_dump(text.encode())
    assert not shader.unreadable, shader.unreadable
    return shader


def straight(*lines: str) -> str:
    """The body of a function without branches; %0 is its parameter."""
    body = "\n".join(f"    {line}" for line in ("32 %0 = @load_param (param_idx=0)", *lines))
    return f"    block b0:  // preds:\n{body}\n               // succs: b1\n    block b1:\n"


def branched(then: str, *behind: str) -> str:
    """The body of a function that ends with `then` for odd numbers, and goes on for others."""
    lines = "\n".join(f"    {line}" for line in behind)
    return (
        "    block b0:  // preds:\n    32 %0 = @load_param (param_idx=0)\n"
        "    32 %50 = load_const (0x00000001)\n    32 %51 = iand %0, %50\n    1 %52 = ieq %51, %50\n"
        "               // succs: b1 b2\n    if %52 {\n        block b1:  // preds: b0\n"
        f"        {then}\n        // succs: {'b4' if then == 'return' else 'b3'}\n"
        "    } else {\n        block b2:  // preds: b0, succs: b3\n    }\n"
        f"    block b3:  // preds: {'b2' if then == 'return' else 'b1 b2'}\n{lines}\n"
        "               // succs: b4\n    block b4:\n"
    )


READ = (*place(10, 1), "32 %80 = @load_deref (%11) (access=none)")
GLOBAL = ("32 %20 = deref_var &g (shader_temp uint)", "32 %80 = @load_deref (%20) (access=none)")
FIVE = ("32 %5 = load_const (0x00000005)", "32 %6 = iadd %0, %5")
STORE_SHARED = (*FIVE, *place(30, 0), "@store_deref (%31, %6) (wrmask=x, access=none)")
STORE_GLOBAL = (
    *FIVE,
    "32 %30 = deref_var &g (shader_temp uint)",
    "@store_deref (%30, %6) (wrmask=x, access=none)",
)
CALL = "call f %1"
ZERO_GLOBAL = (
    "32 %2 = load_const (0x00000000)",
    "32 %3 = deref_var &g (shader_temp uint)",
    "@store_deref (%3, %2) (wrmask=x, access=none)",
)
INLINED = (
    "32 %5 = load_const (0x00000005)",
    "32 %6 = iadd %1, %5",
    *place(30, 1),
    "@store_deref (%31, %6) (wrmask=x, access=none)",
)
WITH_CALL = program((CALL, *READ), f=straight(*STORE_SHARED))
EARLY = program((*ZERO_GLOBAL, CALL, *GLOBAL), f=branched("return", *STORE_GLOBAL))
NESTED = program(
    (*ZERO_GLOBAL, CALL, *GLOBAL), f=branched("return", "call g2 %0"), g2=branched("return", *STORE_GLOBAL)
)
CHAIN = program((CALL, *READ), f=straight("call g2 %0"), g2=straight(*STORE_SHARED))

WRONG = {
    "the store to shared memory of a called function is gone": (
        WITH_CALL,
        program((CALL, *READ), f=straight(*STORE_SHARED[:-1])),
    ),
    "the call is gone": (WITH_CALL, program(READ, f=straight(*STORE_SHARED))),
    "the call moved behind the load": (WITH_CALL, program((*READ, CALL), f=straight(*STORE_SHARED))),
    "another argument": (
        WITH_CALL,
        program(("32 %2 = iadd %1, %1", "call f %2", *READ), f=straight(*STORE_SHARED)),
    ),
    "another number in the function": (
        WITH_CALL,
        program((CALL, *READ), f=straight("32 %5 = load_const (0x00000006)", *STORE_SHARED[1:])),
    ),
    "an early return is gone": (
        EARLY,
        program((*ZERO_GLOBAL, CALL, *GLOBAL), f=branched("32 %60 = mov %0", *STORE_GLOBAL)),
    ),
    "a return ends the caller too": (
        EARLY,
        program((*ZERO_GLOBAL, *GLOBAL), f=branched("return", *STORE_GLOBAL)),
    ),
    "a function that is called by another one": (
        CHAIN,
        program((CALL, *READ), f=straight("call g2 %0"), g2=straight(*STORE_SHARED[:-1])),
    ),
    "a return of a nested call": (
        NESTED,
        program(
            (*ZERO_GLOBAL, CALL, *GLOBAL),
            f=branched("return", "call g2 %0"),
            g2=branched("return", *STORE_GLOBAL[:-1]),
        ),
    ),
    "the store to a variable of the shader is gone": (
        program((*ZERO_GLOBAL, CALL, *GLOBAL), f=straight(*STORE_GLOBAL)),
        program((*ZERO_GLOBAL, *GLOBAL), f=straight(*STORE_GLOBAL)),
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_a_call_does_counts(name: str) -> None:
    before, after = WRONG[name]
    assert isinstance(verify_shaders(before, after), Different)


RIGHT = {
    "inlined": (WITH_CALL, program((*INLINED, *READ))),
    "two levels as one": (CHAIN, WITH_CALL),
    "called twice": (WITH_CALL, program((CALL, CALL, *READ), f=straight(*STORE_SHARED))),
    "a function that nothing calls": (
        WITH_CALL,
        program((CALL, *READ), f=straight(*STORE_SHARED), g2=straight()),
    ),
    "both tests of a nested return as one": (NESTED, EARLY),
    "the argument computed by the function": (
        program(("32 %2 = iadd %1, %1", "call f %2", *GLOBAL), f=straight(*STORE_GLOBAL)),
        program(
            (CALL, *GLOBAL),
            f=straight("32 %7 = iadd %0, %0", FIVE[0], "32 %6 = iadd %7, %5", *STORE_GLOBAL[2:]),
        ),
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_calls_may_be_inlined_and_merged(name: str) -> None:
    before, after = RIGHT[name]
    assert isinstance(verify_shaders(before, after), Equivalent)


def test_the_reason_names_the_call_that_cannot_be_run() -> None:
    missing = (HEAD + "decl_function f (32)\n", "call f %1")
    body = "\n".join(f"    {line}" for line in (OWN, missing[1], *READ, *RESULT))
    text = (
        f"{missing[0]}decl_function main () (entrypoint)\n\nimpl main {{\n    block b0:  // preds:\n{body}\n"
    )
    shader = parse_dump((text + "               // succs: b1\n    block b1:\n}\n").encode())
    other = parse_dump((text.replace("%80, %90", "%1, %90") + "    block b1:\n}\n").encode())
    verdict = verify_shaders(shader, other)
    assert isinstance(verdict, Unchecked)
    assert "call of f, which has no body here" in verdict.reason
