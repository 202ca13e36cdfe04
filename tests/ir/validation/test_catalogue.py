from __future__ import annotations

import re
from pathlib import Path

from nirls.ir.validation import KINDS

HERE = Path(__file__).parent
PACKAGE = HERE.parents[2] / "ir" / "validation"


def test_entries_are_complete() -> None:
    for code, kind in KINDS.items():
        assert kind.code == code
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", code)
        assert kind.severity in ("error", "warning", "information")
        assert kind.title
        assert not kind.title.endswith(".")


def reported_codes() -> set[str]:
    """Strings of the package that look like codes and are catalogued or passed to a report."""
    found: set[str] = set()
    for path in PACKAGE.glob("*.py"):
        if path.name == "catalogue.py":
            continue
        text = path.read_text()
        found |= set(re.findall(r'(?:report|Fault|_report_step|_report_edges)\(\s*"([a-z]+-?[a-z-]*)"', text))
        found |= set(re.findall(r'yield "([a-z]+-[a-z-]+)"', text))
        found |= set(re.findall(r'code(?:, problem)? = "([a-z]+-[a-z-]+)"', text))
    return found


def test_every_reported_code_is_catalogued() -> None:
    assert reported_codes() <= set(KINDS)
    assert len(reported_codes()) > 20


def test_every_code_has_a_test_that_expects_it() -> None:
    tests = "\n".join(path.read_text() for path in HERE.glob("test_*.py") if path != Path(__file__))
    assert [code for code in KINDS if f'"{code}"' not in tests] == []
