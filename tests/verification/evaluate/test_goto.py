"""Functions with gotos run as those with ifs and loops do."""

import pytest

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import LoadConstInstr
from nirls.ir.text.parse import parse_dump
from nirls.verification.verdict import Different, Equivalent
from nirls.verification.verify_shaders import verify_shaders

HEAD = "shader: MESA_SHADER_FRAGMENT\nimpl main {\n"
ENTRY = """
    block b0:  // preds:
    32 %0 = load_const (0x00000000)
    32 %1 = load_const (0x00000001)
    32 %2 = load_const (0x00000005)
    32 %3 = @load_input (%0) (base=0, component=0, dest_type=int32, io location=VARYING_SLOT_VAR0 slots=1)
    32 %4 = iand %3, %2
    1  %5 = ieq %4, %2
"""
STORE = (
    "@store_output ({0}, %0) (base=0, wrmask=x, component=0, src_type=int32,"
    " io location=FRAG_RESULT_DATA0 slots=1)"
)
IF = f"""{HEAD}{ENTRY}
    if %5 {{
        block b1:
        32 %6 = iadd %3, %1
    }} else {{
        block b2:
        32 %7 = imul %3, %2
    }}
    block b3:
    32 %8 = phi b1: %6, b2: %7
    {STORE.format("%8")}
    block b4:
}}
"""
GOTO_IF = f"""{HEAD}{ENTRY}
    goto b1 if %5 else b2
    block b1:  // preds: b0
    32 %6 = iadd %3, %1
    goto b3
    block b2:  // preds: b0
    32 %7 = imul %3, %2
    goto b3
    block b3:  // preds: b1 b2
    32 %8 = phi b1: %6, b2: %7
    {STORE.format("%8")}
    goto b4
    block b4:
}}
"""
LOOP = f"""{HEAD}{ENTRY}
    loop {{
        block b1:  // preds: b0 b3
        32 %6 = phi b0: %4, b3: %8
        32 %7 = phi b0: %0, b3: %9
        1 %10 = ilt %6, %1
        if %10 {{
            block b2:
            break
        }} else {{
            block b3:
            32 %8 = isub %6, %1
            32 %9 = iadd %7, %6
        }}
        block b4:
    }}
    block b5:
    {STORE.format("%7")}
    block b6:
}}
"""
LOOP = LOOP.replace("b0: %4, b3: %8", "b0: %4, b4: %8").replace("b0: %0, b3: %9", "b0: %0, b4: %9")
GOTO_LOOP = f"""{HEAD}{ENTRY}
    goto b1
    block b1:  // preds: b0 b2
    32 %6 = phi b0: %4, b2: %8
    32 %7 = phi b0: %0, b2: %9
    1 %10 = ilt %6, %1
    goto b3 if %10 else b2
    block b2:  // preds: b1
    32 %8 = isub %6, %1
    32 %9 = iadd %7, %6
    goto b1
    block b3:  // preds: b1
    {STORE.format("%7")}
    goto b4
    block b4:
}}
"""


@pytest.mark.parametrize(("structured", "gotos"), [(IF, GOTO_IF), (LOOP, GOTO_LOOP)])
def test_gotos_do_what_structure_does(structured: str, gotos: str) -> None:
    one, other = parse_dump(structured.encode()), parse_dump(gotos.encode())
    assert not one.unreadable
    assert not other.unreadable
    verdict = verify_shaders(one, other)
    assert isinstance(verdict, Equivalent), verdict
    assert verdict.blocks_not_run == ()


@pytest.mark.parametrize("gotos", [GOTO_IF, GOTO_LOOP])
def test_a_change_behind_a_goto_shows(gotos: str) -> None:
    shader = parse_dump(gotos.encode())
    other = clone_shader(shader)
    (instr,) = (
        instr
        for instr in other.entrypoint.instrs()  # type: ignore[union-attr]
        if isinstance(instr, LoadConstInstr) and instr.values == (1,)
    )
    instr.values = (2,)
    assert isinstance(verify_shaders(shader, other), Different)


def test_gotos_that_never_end_are_given_up() -> None:
    endless = parse_dump(GOTO_LOOP.replace("isub %6, %1", "iadd %6, %1").encode())
    assert not isinstance(verify_shaders(endless, clone_shader(endless)), Different)
