"""Every page says what is so: its example has that finding, its fix does that, its settings switch it off."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest

from nirls.ir.finding import Severity
from nirls.ir.model.shader import Shader
from nirls.ir.text.dumps import split_dumps
from nirls.ir.text.parse import parse_dump
from nirls.ir.validation.catalogue import KINDS
from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.checks.finding_codes import DIFFERENT_SNAPSHOT, PASS_FAILED
from nirls.server.engine.documents.allowances import UNUSED_ALLOWANCE
from nirls.server.engine.files.located_findings import LocatedFinding
from nirls.server.engine.settings.client_settings import ClientSettings
from nirls.server.ide.rule_pages import index_text, page_of, page_text, pages
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Equivalent, Unchecked
from nirls.verification.verify_shaders import verify_shaders
from tools.rule_page import RulePage
from tools.rule_pages import (
    CODES,
    PASS_OF,
    diff_of,
    edited,
    findings_in,
    mark_of,
    settings_of,
)

SWITCH = r"`(?P<toml>\w+ = \w+)` under `\[passes\]`, or `(?P<json>\"nirls.passes\": \{.*?\})`"
SECTIONS = ["", "Why it matters", "When to leave it", "Example", "Severity", "Source"]

every_code = pytest.mark.parametrize("code", CODES)


@cache
def page(code: str) -> RulePage:
    return RulePage(page_text(code))


def example_settings(code: str) -> CheckSettings:
    return settings_of(page(code).block("Example", "toml") or "")


@cache
def example_findings(code: str) -> list[LocatedFinding]:
    return findings_in(page(code).example.text, example_settings(code))


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    assert set(pages()) == set(CODES)
    assert all(pages()[code].parent.parent.name == "validation" for code in KINDS)


def test_all_kinds_of_findings_are_among_the_codes() -> None:
    assert set(KINDS) < set(CODES)
    assert set(PASS_OF) < set(CODES)
    assert CODES[PASS_FAILED.code] is PASS_FAILED
    assert CODES[DIFFERENT_SNAPSHOT.code] is DIFFERENT_SNAPSHOT
    assert CODES[UNUSED_ALLOWANCE.code] is UNUSED_ALLOWANCE
    assert len(CODES) == len(KINDS) + len(PASS_OF) + 3


def test_index_lists_the_codes() -> None:
    listed = re.findall(r"^\| \[(\S+)\]\(\1\.md\) \|", index_text(), re.MULTILINE)
    assert sorted(listed) == sorted(CODES)


def test_uri_of_a_page() -> None:
    uri = page_of("dead-output")
    assert uri is not None
    assert Path(unquote(urlparse(uri).path)).read_text().startswith("# Output that is never read\n")
    assert page_of("no-such-code") is None


@every_code
def test_page_begins_with_what_the_code_declares(code: str) -> None:
    declared = CODES[code]
    assert page(code).title == f"# {declared.title}"
    reported_by = f"pass `{PASS_OF[code].name}`" if code in PASS_OF else "validation"
    reported_by = "verification" if code == DIFFERENT_SNAPSHOT.code else reported_by
    reported_by = "comments" if code == UNUSED_ALLOWANCE.code else reported_by
    facts = page(code).text.split("\n")[2]
    assert facts.startswith(f"`{code}` · {declared.severity.value} · ")
    assert reported_by in facts or code == PASS_FAILED.code
    assert list(page(code).sections) == SECTIONS
    for name, text in page(code).sections.items():
        assert text.strip(), name


@every_code
def test_example_has_the_finding_where_it_is_marked_and_no_other(code: str) -> None:
    found = example_findings(code)
    assert sorted(map(mark_of, found)) == sorted(page(code).example.marks)
    assert {one.finding.code for one in found} == {code}
    # The example of this code is a wrong option, which is an error.
    severity = Severity.ERROR if code == PASS_FAILED.code else CODES[code].severity
    assert {one.finding.severity for one in found} == {severity}


@every_code
def test_fix_does_what_the_page_shows(code: str) -> None:
    shown = page(code).block("Example", "diff")
    fixes = {fix.title: (found, fix) for found in example_findings(code) for fix in found.finding.fixes}
    if shown is None:
        assert not fixes, f"the page does not show {list(fixes)}"
        assert page(code).fix_title is None
        return
    before = page(code).example.text
    found, fix = fixes[str(page(code).fix_title)]
    after = edited(before, found.edits_of(fix) or ())
    assert diff_of(before, after) == shown
    left = findings_in(after, example_settings(code))
    assert code not in {one.finding.code for one in left}
    assert Severity.ERROR not in {one.finding.severity for one in left}


def _shaders(text: str) -> list[Shader]:
    data = text.encode()
    return [parse_dump(data[piece.start : piece.end]) for piece in split_dumps(data)]


@pytest.mark.parametrize("code", [code for code in PASS_OF if code in pages() and page(code).fix_title])
def test_fix_on_the_page_keeps_what_the_example_does(code: str) -> None:
    found, text = example_findings(code), page(code).example.text
    fixes = ((one, fix) for one in found for fix in one.finding.fixes)
    one, fix = next(each for each in fixes if each[1].title == page(code).fix_title)
    before, after = (_shaders(each) for each in (text, edited(text, one.edits_of(fix) or ())))
    ready = PASS_OF[code].with_options(example_settings(code).options.get(PASS_OF[code].name, {}))
    options = VerificationOptions(assumptions=ready.assumptions(before))
    verdict = verify_shaders(before, after, options)
    # Where all that is written is undefined, there is nothing to compare.
    expected = Unchecked if code.startswith("undefined-") else Equivalent
    assert isinstance(verdict, expected), str(verdict)


@every_code
def test_settings_switch_the_finding_off(code: str) -> None:
    toml, settings = page(code).block("Severity", "toml"), page(code).block("Severity", "json")
    assert toml is not None
    assert settings is not None
    section = {name.removeprefix("nirls."): value for name, value in json.loads(settings).items()}
    for over in (settings_of(toml), ClientSettings.of(section).checks):
        assert over.severities == {code: Severity.OFF}
        assert findings_in(page(code).example.text, over.over(example_settings(code))) == []


@pytest.mark.parametrize("code", PASS_OF)
def test_page_says_how_to_switch_the_pass(code: str) -> None:
    found = re.search(SWITCH, page(code).sections["Severity"])
    assert found is not None
    section = json.loads(f"{{{found['json']}}}")["nirls.passes"]
    for switched in (
        settings_of(f"[passes]\n{found['toml']}"),
        ClientSettings.of({"passes": section}).checks,
    ):
        assert list(switched.passes) == [PASS_OF[code].name]
        example = page(code).example.text
        if not PASS_OF[code].default:
            assert findings_in(example, CheckSettings()) == []
            assert {one.finding.code for one in findings_in(example, switched)} == {code}
        else:
            assert findings_in(example, switched.over(example_settings(code))) == []


@pytest.mark.parametrize("code", KINDS)
def test_page_says_how_to_switch_validation_off(code: str) -> None:
    assert '`"nirls.validation.enable": false`' in page(code).sections["Severity"]
    off = ClientSettings.of({"validation": {"enable": False}}).checks
    assert findings_in(page(code).example.text, off) == []


@every_code
def test_links_lead_somewhere(code: str) -> None:
    """From the file that an editor opens, and from the site, where all pages are in one folder."""
    links = re.findall(r"\]\(([^)#]+)\)", pages()[code].read_text(encoding="utf-8"))
    assert [link for link in links if not pages()[code].parent.joinpath(link).is_file()] == []


@every_code
def test_commands_named_on_pages_exist(code: str) -> None:
    from nirls.server.cli.app import COMMANDS

    assert set(re.findall(r"`nirls (\w+)", page(code).text)) <= set(COMMANDS)
