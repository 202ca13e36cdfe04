"""Facts that newer snapshots of a shader repeat."""

from __future__ import annotations

from pathlib import Path

from nirls.ir.finding import Finding, Place, Severity
from nirls.server.engine.checks.check_settings import CheckSettings, Profile
from nirls.server.engine.documents.shown_findings import facts_of, repeated_facts, without
from nirls.server.engine.files.input_files import InputFile
from nirls.server.engine.files.linked_files import LinkedFiles
from nirls.server.engine.files.located_findings import LocatedFinding, findings_of
from nirls.server.engine.pipelines.dump_facts import dump_facts


def finding(message: str, **data: str) -> Finding:
    return Finding("c", Severity.HINT, Place(0, 0, 1), message, "p", data=data)


def test_numbers_of_values_and_gains_are_no_part_of_a_fact() -> None:
    old = facts_of([finding("VAR1.x uses %12, cost 3")], b"32  %12 = fneg %3  // %3 is used")
    new = facts_of([finding("VAR1.x uses %4, cost 5")], b"32    %4 = fneg %1")
    assert old == new
    assert facts_of([finding("VAR1.x is dead")], b"") != facts_of([finding("VAR2.x is dead")], b"")
    first, second = facts_of([finding("m"), finding("m")], b"")
    assert first != second


def test_the_instruction_is_part_of_a_fact_without_a_slot() -> None:
    texts = b"32 %1 = fneg %0", b"32 %1 = fabs %0"
    dead, other = (facts_of([finding("nothing uses %1")], text) for text in texts)
    assert dead != other
    of_slot, of_other = (facts_of([finding("VAR1 is dead", slot="VAR1")], text) for text in texts)
    assert of_slot == of_other


def test_a_fact_is_repeated_by_a_newer_snapshot_of_the_same_shader_only() -> None:
    dumps = [
        dump_facts(f"shader: MESA_SHADER_{stage}\nname: {name}\n//{n}\n".encode())
        for n, (stage, name) in enumerate(
            [("VERTEX", "a"), ("FRAGMENT", "b"), ("VERTEX", "a"), ("FRAGMENT", "b")]
        )
    ]
    both, one = (finding("first"), finding("second")), (finding("first"),)
    hidden = repeated_facts({0: both, 1: one, 2: one}, dict.fromkeys(range(4), b""), dumps)
    assert {number: without(both, b"", of) for number, of in hidden.items()} == {0: (finding("second"),)}


def log(data: Path) -> str:
    """Three snapshots of a vertex shader, then a linked fragment shader."""
    vertex = (data / "pipelines" / "tinted.vert.nir").read_text()
    fragment = (data / "pipelines" / "tinted.frag.nir").read_text()
    return "".join([vertex, "pass\n", vertex.replace("%1 ", "%1  "), "pass\n", vertex, fragment])


def checked(text: str, settings: CheckSettings) -> list[LocatedFinding]:
    return findings_of(LinkedFiles([InputFile("a.log", None, text.encode())]), settings)


def test_a_check_of_a_log_reports_the_newest_snapshot_unless_asked_for_all(data: Path) -> None:
    broken = log(data).replace("    block b0:", "    nonsense here\n    block b0:")
    shown = [one for one in checked(broken, CheckSettings()) if one.finding.code == "syntax"]
    everywhere = CheckSettings(repeated=True)
    all_of_them = [one for one in checked(broken, everywhere) if one.finding.code == "syntax"]
    assert len(all_of_them) == 4
    # One for the vertex shader, on its newest snapshot, and one for the fragment shader.
    assert [one.range for one in shown] == [one.range for one in all_of_them[2:]]
    assert (
        checked(broken, CheckSettings(profile=Profile.EVERYTHING))[0].range.start.line
        < shown[0].range.start.line
    )
