from __future__ import annotations

import json

from nirls.server.cli.reports.json_report import json_report, json_text
from tests.server.engine.files.test_located_findings import located


def test_a_finding_with_all_its_parts() -> None:
    request = {"pass_name": "p", "code": "odd", "scope": "one", "dump": 0, "start": 0, "part": ""}
    (found,) = json.loads(json_report([located("a.nir", 3)]))
    assert found == {
        "file": "a.nir",
        "range": {"start": {"line": 3, "character": 0}, "end": {"line": 3, "character": 1}},
        "severity": "warning",
        "code": "odd",
        "message": "m",
        "pass": "p",
        "related": [
            {
                "file": "1",
                "range": {"start": {"line": 4, "character": 0}, "end": {"line": 4, "character": 1}},
                "message": "see",
            }
        ],
        "fixes": [
            {
                "title": "fix",
                "request": request,
                "edits": [
                    {
                        "file": "1",
                        "range": {"start": {"line": 2, "character": 3}, "end": {"line": 2, "character": 4}},
                        "newText": "new",
                    }
                ],
            },
            {"title": "all", "request": {**request, "scope": "all"}},
        ],
        "data": {},
    }


def test_no_findings() -> None:
    assert json_report([]) == "[]\n"


def test_no_command_of_ci_and_the_same_value() -> None:
    text = json_text({"##[x]": "##[add-mask]é"})
    assert "##[" not in text
    assert json.loads(text) == {"##[x]": "##[add-mask]é"}
