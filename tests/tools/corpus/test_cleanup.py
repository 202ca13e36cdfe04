"""Steps of a debug log, and how far our passes make of them what Mesa made."""

from __future__ import annotations

from pathlib import Path

from tools.corpus.cleanup import agreement, steps

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


def test_a_pass_without_a_dump_behind_it_changed_nothing() -> None:
    log = dump(DEAD) + "nir_opt_cse\nnir_opt_dce\n" + dump() + "nir_opt_cse\n"
    found = [(step.pass_name, step.line, step.after is None) for step in steps(log.encode())]
    line = dump(DEAD).count("\n") + 1
    assert found == [("nir_opt_cse", line, True), ("nir_opt_dce", line + 1, False)]


def test_passes_between_two_shaders_belong_to_neither() -> None:
    log = dump(DEAD) + "nir_opt_dce\n" + dump(name="b")
    assert list(steps(log.encode())) == []


def test_agreement_counts_both_what_mesa_changed_and_what_it_left(tmp_path: Path) -> None:
    log = dump(DEAD) + "nir_opt_cse\nnir_opt_dce\n" + dump() + "nir_made_up\n" + dump()
    (tmp_path / "one.log").write_text(log)
    counts = agreement(tmp_path)
    assert set(counts) == {"nir_opt_cse", "nir_opt_dce"}
    assert (counts["nir_opt_dce"].changed, counts["nir_opt_dce"].changed_same) == (1, 1)
    assert (counts["nir_opt_cse"].unchanged, counts["nir_opt_cse"].unchanged_same) == (1, 1)


def test_another_result_than_mesas_is_told_with_its_line(tmp_path: Path) -> None:
    log = dump(DEAD) + "nir_opt_dce\n" + dump(DEAD, "    32    %2 = fabs %0\n")
    (tmp_path / "one.log").write_text(log)
    count = agreement(tmp_path)["nir_opt_dce"]
    assert (count.changed, count.changed_same) == (1, 0)
    line = dump(DEAD).count("\n") + 1
    assert count.differences[0].startswith(f"one.log:{line}:")
