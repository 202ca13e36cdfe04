from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.analysis.compare import difference
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import DerefInstr, PhiInstr
from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.text.edits import apply_edits, text_edits
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing.convert import convert
from nirls.passes.variables.lower_vars_to_ssa import lower_vars_to_ssa, parts_of_temporaries
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Different, Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.expectation import assert_valid, parse_body

BODY = """
decl_var INTERP_MODE_NONE none vec2[2] a
block b0:
32    %0 = load_const (0x00000000)
32    %1 = deref_var &a (function_temp vec2[2])
32    %2 = deref_array &(*%1)[0] (function_temp vec2)  // &a[0]
32    %3 = deref_array &(*%1)[1] (function_temp vec2)  // &a[1]
32    %4 = deref_array &(*%1)[1] (function_temp vec2)  // &a[1]
32x2  %5 = @load_deref (%2) (access=none)
32x2  %6 = @load_deref (%3) (access=none)
@store_deref (%4, %5) (wrmask=xy, access=none)
block b1:
"""


def test_one_part_for_each_path() -> None:
    (impl,) = parse_body(BODY).impls()
    parts = parts_of_temporaries(impl)
    by_number = {deref.index: part for deref, part in parts.items()}
    assert set(by_number) == {2, 3, 4}
    assert by_number[3] is by_number[4]
    assert by_number[2] is not by_number[3]
    assert (by_number[2].num_components, by_number[2].bit_size) == (2, 32)
    assert [len(list(by_number[number].stores())) for number in (2, 3)] == [0, 1]


def test_one_bad_use_lets_go_of_the_whole() -> None:
    (impl,) = parse_body(
        BODY.replace("@load_deref (%2) (access=none)", "@load_deref (%2) (access=volatile)")
    ).impls()
    assert parts_of_temporaries(impl) == {}


def lowered(shader: Shader, *, sure: bool = True) -> Shader:
    """The shader after the pass: valid, the same program, and the same again through text."""
    result = clone_shader(shader)
    assert lower_vars_to_ssa(result)
    assert_valid(result)
    verdict = verify_shaders(shader, result, VerificationOptions(runs=2, most_runs=2))
    assert not isinstance(verdict, Different), verdict
    assert not sure or isinstance(verdict, Equivalent), verdict
    edited = parse_dump(apply_edits(shader.source, text_edits(shader, result)))
    assert not edited.unreadable
    assert difference(edited, result) is None, difference(edited, result)
    assert not lower_vars_to_ssa(result), "the pass makes progress on its own result"
    return result


def temporaries(shader: Shader) -> list[str]:
    return [variable.name for impl in shader.impls() for variable in impl.locals]


def derefs(shader: Shader) -> list[DerefInstr]:
    return [one for impl in shader.impls() for one in impl.instrs() if isinstance(one, DerefInstr)]


HEAD = """
decl_var INTERP_MODE_NONE none vec2 v
decl_var INTERP_MODE_NONE none vec2[3] a
decl_var INTERP_MODE_NONE none vec2 w
block b0:
32    %0 = load_const (0x00000000)
32x2  %1 = @load_ubo (%0 (0x0), %0 (0x0)) (access=none, align_mul=8, align_offset=0, range_base=0, range=8)
1     %2 = flt %1.x, %1.y
32    %3 = deref_var &v (function_temp vec2)
32    %4 = deref_var &a (function_temp vec2[3])
32    %5 = deref_var &w (function_temp vec2)
32    %6 = deref_array &(*%4)[0] (function_temp vec2)  // &a[0]
32    %7 = load_const (0x00000001)
"""
STORE = "@store_ssbo (VALUE, %0, %0) (wrmask=xy, access=none, align_mul=4, align_offset=0)"


def body(*lines: str) -> Shader:
    return parse_body(HEAD + "\n".join(lines) + "\nblock b9:")


JOIN = (
    "@store_deref (%3, %1) (wrmask=xy, access=none)",
    "if %2 {",
    "block b1:",
    "32x2 %8 = fneg %1",
    "@store_deref (%3, %8) (wrmask=y, access=none)",
    "} else {",
    "block b2:",
    "}",
    "block b3:",
    "32x2 %9 = @load_deref (%3) (access=none)",
    STORE.replace("VALUE", "%9"),
)


def test_a_phi_where_control_flow_joins() -> None:
    result = lowered(body(*JOIN))
    assert len([one for impl in result.impls() for one in impl.instrs() if isinstance(one, PhiInstr)]) == 1
    assert "v" not in temporaries(result)


def test_classic_and_back() -> None:
    classic = parse_dump(convert(body(*JOIN), Dialect.CLASSIC))
    assert not classic.unreadable
    assert "v" not in temporaries(lowered(classic))


def test_old_dump(data: Path) -> None:
    text = (data / "temporary.old.nir").read_bytes()
    assert not derefs(lowered(parse_dump(text)))


def test_elements_are_values_of_their_own() -> None:
    result = lowered(
        body(
            "32 %8 = deref_array &(*%4)[1] (function_temp vec2)  // &a[1]",
            "32x2 %9 = fneg %1",
            "@store_deref (%6, %1) (wrmask=xy, access=none)",
            "@store_deref (%8, %9) (wrmask=xy, access=none)",
            "32x2 %10 = @load_deref (%6) (access=none)",
            STORE.replace("VALUE", "%10"),
        )
    )
    assert "a" not in temporaries(result)


def test_copies_between_temporaries() -> None:
    result = lowered(
        body(
            "@store_deref (%3, %1) (wrmask=xy, access=none)",
            "@copy_deref (%5, %3) (dst_access=none, src_access=none)",
            "32x2 %8 = @load_deref (%5) (access=none)",
            STORE.replace("VALUE", "%8"),
        )
    )
    assert not {"v", "w"} & set(temporaries(result))


@pytest.mark.parametrize(
    "lines",
    [
        # A variable index.
        (
            "32 %8 = @load_sample_id",
            "32 %9 = deref_array &(*%4)[%8] (function_temp vec2)  // &a[%8]",
            "@store_deref (%9, %1) (wrmask=xy, access=none)",
            "32x2 %10 = @load_deref (%6) (access=none)",
        ),
        # Beyond the end.
        (
            "32 %9 = deref_array &(*%4)[3] (function_temp vec2)  // &a[3]",
            "32x2 %10 = @load_deref (%9) (access=none)",
        ),
        # A volatile access.
        ("32x2 %10 = @load_deref (%3) (access=volatile)",),
    ],
)
def test_what_stays(lines: tuple[str, ...]) -> None:
    shader = body(*lines, STORE.replace("VALUE", "%10"))
    result = clone_shader(shader)
    assert not lower_vars_to_ssa(result)
    assert difference(shader, result) is None


def test_initialized_temporaries_stay() -> None:
    text = body(*JOIN).source.replace(b"vec2 v\n", b"vec2 v = { 0x00000000, 0x00000000 }\n")
    shader = parse_dump(text)
    assert not shader.unreadable
    assert not lower_vars_to_ssa(shader)


@pytest.mark.sweep
def test_the_corpus_is_the_same(corpus: Path) -> None:
    changed = 0
    for path in sorted(corpus.glob("pipelines/*/*/*.raw.nir"))[::23]:
        shader = parse_dump(path.read_bytes())
        if lower_vars_to_ssa(clone_shader(shader)):
            lowered(shader, sure=False)
            changed += 1
    assert changed
