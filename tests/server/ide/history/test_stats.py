from __future__ import annotations

from pathlib import Path

from nirls.ir.text.parse import parse_dump
from nirls.server.engine.documents.document import Snapshot
from nirls.server.engine.timeline.dump_digest import DumpDigest
from nirls.server.ide.history.stats import (
    METRICS,
    ShaderKey,
    compare,
    keyed,
    percent_text,
    plain_comparison,
    shader_counts,
    spread_text,
)
from tests.passes.shader_text import ONE, ZERO, load, shader_text, store, use

VERTEX = shader_text("VERTEX", ZERO, ONE, store("VAR0"), store("VAR1"))
SMALLER = shader_text("VERTEX", ZERO, ONE, store("VAR0"))
FRAGMENT = shader_text("FRAGMENT", ZERO, load(1, "VAR0"), "32    %2 = fneg %1", use("%2"))


def counts(text: str) -> dict[str, int]:
    return {name: count for name, count in shader_counts(parse_dump(text.encode())).items() if count}


def key(stage: str, identity: str = "", number: int = 1, file: str = "") -> ShaderKey:
    return ShaderKey(file, stage, identity, number)


def test_metrics_of_shaders() -> None:
    assert counts(VERTEX) == {
        "instructions": 4,
        "output stores": 2,
        "varyings": 2,
        "constants": 2,
        "register pressure": 2,
    }
    found = counts(FRAGMENT)
    assert (found["alu"], found["input loads"], found["instructions"]) == (1, 1, 4)


def test_instructions_are_those_of_timelines(data: Path) -> None:
    paths = sorted(path for path in data.rglob("*.nir") if path.parent.name != "fuzzed")
    texts = [dump.piece.text for path in paths for dump in Snapshot.of(path.read_bytes()).dumps()]
    assert len(texts) > 10
    for text in texts:
        shader = parse_dump(text)
        if not shader.unreadable:
            assert shader_counts(shader)["instructions"] == DumpDigest(text).counts.instructions


def test_vertex_attributes_and_fragment_outputs_are_no_varyings() -> None:
    vertex = shader_text("VERTEX", ZERO, load(1, "GENERIC0"), store("VAR0", "%1"))
    assert (counts(vertex)["input loads"], counts(vertex)["varyings"]) == (1, 1)
    fragment = shader_text("FRAGMENT", ZERO, load(1, "VAR0"), store("DATA0", "%1"))
    assert (counts(fragment)["output stores"], counts(fragment)["varyings"]) == (1, 1)


def test_control_flow_and_discards_are_counted() -> None:
    text = shader_text(
        "FRAGMENT",
        ZERO,
        "1     %1 = feq %0, %0",
        "@demote_if (%1)",
        "@barrier (execution_scope=SUBGROUP, memory_scope=NONE, mem_semantics=0, mem_modes=0)",
    )
    found = counts(text)
    assert (found["discards"], found["barriers"], found["alu"]) == (1, 1, 1)
    assert set(found) <= set(METRICS)


def test_shaders_are_compared_by_what_identifies_them() -> None:
    before = {
        key("VS", "a"): {**dict.fromkeys(METRICS, 0), "alu": 10},
        key("FS", "b"): dict.fromkeys(METRICS, 1),
    }
    after = {
        key("FS", "b"): dict.fromkeys(METRICS, 2),
        key("VS", "a"): {**dict.fromkeys(METRICS, 0), "alu": 8},
    }
    found = compare(before, after)
    alu = next(metric for metric in found.metrics if metric.name == "alu")
    assert found.shaders == 2
    assert (alu.before, alu.after, alu.unchanged) == (11, 10, 0)
    assert alu.helped == ((key("VS", "a"), 10, 8),)
    assert alu.hurt == ((key("FS", "b"), 1, 2),)
    assert alu.percent is not None
    assert round(alu.percent, 2) == -9.09
    assert spread_text(alu.helped) == "min -2, max -2, mean -2.00, median -2"


def test_shaders_with_other_hashes_are_matched_in_order() -> None:
    counted = dict.fromkeys(METRICS, 1)
    found = compare({key("VS", "a"): counted, key("FS", "b"): counted}, {key("VS", "x"): counted})
    assert found.shaders == 1
    assert found.only_before == (key("FS", "b"),)
    assert compare({key("VS", "a"): counted}, {key("VS", "x"): counted, key("VS", "y"): counted}).shaders == 0


def test_shaders_that_look_alike_are_numbered() -> None:
    shader = parse_dump(VERTEX.encode())
    assert list(keyed([("a.log", "VS", "x", shader_counts(shader))] * 2)) == [
        key("VS", "x", 1, "a.log"),
        key("VS", "x", 2, "a.log"),
    ]
    assert key("VS", "x", 2, "a.log").title == "a.log VS x (2)"


def test_percentages() -> None:
    assert percent_text(200, 195) == "-2.50%"
    assert percent_text(0, 3) == "+inf%"
    assert percent_text(0, 0) == percent_text(4, 4) == "0.00%"
    assert spread_text([]) == ""


def test_plain_values_name_each_shader() -> None:
    before = keyed([("", "VS", "", shader_counts(parse_dump(VERTEX.encode())))])
    after = keyed([("", "VS", "", shader_counts(parse_dump(SMALLER.encode())))])
    plain = plain_comparison(compare(before, after))
    (stores,) = [metric for metric in plain["metrics"] if metric["name"] == "output stores"]
    assert stores["helped"] == [
        {"shader": "VS", "file": "", "stage": "VS", "before": 2, "after": 1, "percent": -50.0}
    ]
