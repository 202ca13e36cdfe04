"""Paths of variables with values in them, as Mesa printed them until mid-2018."""

import pytest

from nirls.ir.model.variable_path import filled_path, split_path
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing.normalize import normalize

DUMP = b"""shader: MESA_SHADER_FRAGMENT
name: GLSL3
decl_var shader_out INTERP_MODE_NONE vec4 color (FRAG_RESULT_COLOR, 4, 0)
decl_function main returning void

impl main {
	decl_var  INTERP_MODE_NONE vec4[2] tmp
	block block_0:
	/* preds: */
	vec1 32 ssa_3 = load_const (0x00000001 /* 0.000000 */)
	vec1 32 ssa_4 = load_const (0x00000001 /* 0.000000 */)
	vec4 32 ssa_5 = intrinsic load_var () (tmp[2 + ssa_3].a[ssa_4]) ()
	vec4 32 ssa_6 = tex ssa_3 (coord), t[ssa_4] (texture)t[1 + ssa_3] (sampler)
	intrinsic store_var (ssa_5) (color) (15) /* wrmask=xyzw */
	/* succs: block_1 */
	block block_1:
}
"""


@pytest.mark.parametrize(
    ("text", "path", "values"),
    [
        ("color", "color", ()),
        ("tmp[ssa_0]", "tmp[%]", ((0, False),)),
        ("tmp[2 + ssa_11].x[r3][4]", "tmp[2 + %].x[%][4]", ((11, False), (3, True))),
        ("ssa_0", "ssa_0", ()),
    ],
)
def test_paths(text: str, path: str, values: tuple[tuple[int, bool], ...]) -> None:
    assert split_path(text) == (path, values)
    names = iter([f"{'r' if is_register else 'ssa_'}{number}" for number, is_register in values])
    assert filled_path(path, names) == text


def test_values_in_paths_are_sources() -> None:
    load, tex, store = [instr for instr in parse_dump(DUMP).instrs() if instr.kind != "load_const"]
    assert [src.def_.index for src in load.sources if src.def_] == [3, 4]
    assert [src.def_.index for src in tex.sources if src.def_] == [3, 4, 3]
    assert [src.def_.index for src in store.sources if src.def_] == [5]


def test_renumbering_reaches_paths() -> None:
    text = normalize(parse_dump(DUMP)).decode()
    assert "ssa_2 = intrinsic load_var () (tmp[2 + ssa_0].a[ssa_1]) ()" in text
    assert "tex ssa_0 (coord), t[ssa_1] (texture)t[1 + ssa_0] (sampler)" in text
    assert "intrinsic store_var (ssa_2) (color) (15) /* wrmask=xyzw */" in text
    assert text.count("decl_function main") == 1
