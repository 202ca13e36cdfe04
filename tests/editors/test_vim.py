"""The syntax file of editors/vim in the real Vim."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editors.conftest import EDITORS, Editor

DUMP = """\
shader: MESA_SHADER_FRAGMENT
name: if 12 loop
decl_var shader_in INTERP_MODE_SMOOTH none vec4 color (VARYING_SLOT_VAR0.xyzw, 0, 0)

impl main {
    block b0:  // preds:
    32    %0 = load_const (0x3f800000 = 1.000000)
    32x4  %1 = @load_input (%0 (0x0)) (base=0, component=0, io location=VARYING_SLOT_VAR0 slots=1)
    32    %2 = fadd! %1.x, %0 (1.0)
    vec1 32 div ssa_3 = intrinsic load_front_face () ()
    if %2 {
    error: src bit size
"""

GROUPS = [
    ("shader", "nirHeaderKey"),
    ("MESA_SHADER_FRAGMENT", "nirStage"),
    ("if 12", "nirHeaderValue"),
    ("decl_var", "nirDeclaration"),
    ("shader_in", "nirMode"),
    ("VARYING_SLOT_VAR0.xyzw", "nirLocation"),
    ("block b0", "nirBlock"),
    ("// preds", "nirComment"),
    ("%0 = load_const", "nirValue"),
    ("load_const", "nirConstantOpcode"),
    ("0x3f800000", "nirNumber"),
    ("@load_input", "nirIntrinsic"),
    ("component=0", "nirIndexName"),
    ("32    %2", "nirBitSize"),
    ("fadd!", "nirOpcode"),
    (".x,", "nirSwizzle"),
    ("vec1 32", "nirBitSize"),
    ("div ssa_3", "nirDivergence"),
    ("ssa_3", "nirValue"),
    ("load_front_face", "nirIntrinsic"),
    ("if %2", "nirConditional"),
    ("error:", "nirError"),
]


@pytest.mark.parametrize("name", ["shader.nir", "dump.txt"])
def test_each_part_has_its_colour(editor: Callable[..., Editor], tmp_path: Path, name: str) -> None:
    vim = editor("vim", (8, 0))
    shader = tmp_path / name
    shader.write_text(DUMP, encoding="utf-8")
    asked = [_place(text) for text, _ in GROUPS]
    report = vim.home / "report.json"
    script = vim.home / "session.vim"
    script.write_text(
        f"""\
set nocompatible
set runtimepath^={EDITORS / "vim"}
filetype plugin on
syntax on
edit {shader}
let groups = map({json.dumps(asked)}, {{_, place -> synIDattr(synID(place[0], place[1], 1), 'name')}})
call writefile([json_encode([&filetype, &commentstring, groups])], '{report}')
qall!
""",
        encoding="utf-8",
    )
    vim.run("-u", "NONE", "-i", "NONE", "-N", "-es", "-S", str(script))
    filetype, comment, groups = json.loads(report.read_text(encoding="utf-8"))
    assert filetype == "nir"
    assert comment == "// %s"
    assert list(zip((text for text, _ in GROUPS), groups, strict=True)) == GROUPS


def _place(text: str) -> tuple[int, int]:
    """Line and column, from 1, of the first place of `text` in the dump."""
    before = DUMP[: DUMP.index(text)]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
