"""Steps of a debug log, and the agreement of our passes with Mesa's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.corpus.mesa_passes import CONDITIONAL, MOVED, count_discards, count_log, steps, tasks
from tools.corpus.tally import CaseTally

HEAD = (
    "shader: MESA_SHADER_VERTEX\nsource_blake3: {{{name}}}\ndecl_function main () (entrypoint)\n\n"
    "impl main {{\n"
)
TAIL = "               // succs: b1\n    block b1:\n}\n\n"
DEAD = "    32    %1 = fneg %0\n"
START = "    block b0:  // preds:\n    32    %0 = @load_vertex_id\n"
STORE = (
    "               @store_output (%0, %0) (base=0, range=1, wrmask=x, component=0, src_type=float32,"
    " io location=VARYING_SLOT_VAR0 slots=1, xfb(), xfb2())\n"
)


def dump(*lines: str, name: str = "a") -> str:
    return HEAD.format(name=name) + START + "".join(lines) + STORE + TAIL


def counted(folder: Path, log: str) -> CaseTally:
    path = folder / "one.log"
    path.write_text(log)
    return count_log(path)


def test_a_pass_without_a_dump_behind_it_changed_nothing() -> None:
    log = dump(DEAD) + "nir_opt_cse\nnir_opt_dce\n" + dump() + "nir_opt_cse\n"
    found = [(step.pass_name, step.line, step.after is None) for step in steps(log.encode())]
    line = dump(DEAD).count("\n") + 1
    assert found == [("nir_opt_cse", line, True), ("nir_opt_dce", line + 1, False)]


def test_passes_between_two_shaders_belong_to_neither() -> None:
    log = dump(DEAD) + "nir_opt_dce\n" + dump(name="b")
    assert list(steps(log.encode())) == []


def test_changed_and_unchanged_shaders_are_counted(tmp_path: Path) -> None:
    log = dump(DEAD) + "nir_opt_cse\nnir_opt_dce\n" + dump() + "nir_made_up\n" + dump()
    tally = counted(tmp_path, log)
    assert tally.cases == {
        ("nir_opt_cse: left alone by Mesa", "right"): 1,
        ("nir_opt_dce: changed by Mesa", "right"): 1,
    }


@pytest.mark.parametrize(("name", "outcome"), [("nir_copy_prop", "wrong"), ("nir_opt_dce", "other")])
def test_another_result_is_noted_with_its_line(tmp_path: Path, name: str, outcome: str) -> None:
    tally = counted(tmp_path, dump(DEAD) + f"{name}\n" + dump(DEAD, "    32    %2 = fabs %0\n", STORE))
    assert list(tally.cases) == [(f"{name}: changed by Mesa", outcome)]
    ((_, _, note),) = tally.notes
    assert note.startswith(f"one.log:{dump(DEAD).count(chr(10)) + 1}:")


def test_every_fragment_shader_ends_as_in_mesa(corpus: Path) -> None:
    tally = CaseTally()
    for path in sorted(corpus.glob("pipelines/*/*/frag.io.nir")):
        tally.merge(count_discards(path))
    assert tally.is_right, tally.noted("wrong")
    for name in (CONDITIONAL, MOVED):
        for row in (f"{name}: changed by Mesa", f"{name}: left alone by Mesa"):
            assert tally.of(row)[0], row


def test_a_result_that_is_not_mesas_is_wrong(tmp_path: Path, corpus: Path) -> None:
    """Without the file with Mesa's result, the pass must leave the shader alone, which it does not."""
    moved = min(corpus.glob("pipelines/*/modern/frag.movediscard.nir"))
    for name in ("frag.io.nir", "frag.conddiscard.nir"):
        if (moved.parent / name).is_file():
            (tmp_path / name).write_bytes((moved.parent / name).read_bytes())
    tally = count_discards(tmp_path / "frag.io.nir")
    assert tally.of(f"{MOVED}: left alone by Mesa") == (0, 0, 1)


def test_an_empty_folder_has_no_task(tmp_path: Path) -> None:
    assert list(tasks(tmp_path)) == []
