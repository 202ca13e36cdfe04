"""The problem matcher and the pre-commit hook see what `nirls check` prints."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.conftest import PROJECT
from tests.editors.conftest import EDITORS

NIRLS = Path(sys.executable).with_name("nirls")
MATCHERS = json.loads((EDITORS / "github" / "problem-matcher.json").read_text(encoding="utf-8"))[
    "problemMatcher"
]

DUMP = """\
shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32    %0 = load_const (0x00000000 = 0.000000)
    32    %1 = fadd %0 (0.000000), %7
    32    %2 = no_such_thing %0 (0.000000)
                // succs: b1
    block b1:
}
"""


def test_every_finding_is_matched_once(tmp_path: Path) -> None:
    shader = tmp_path / "a.frag.nir"
    shader.write_text(DUMP, encoding="utf-8")
    text = _check(shader, "text").stdout
    expected = json.loads(_check(shader, "json").stdout)
    matched = [found for matcher in MATCHERS for found in _matches(matcher, text)]
    assert {(one["code"], int(one["line"])) for one in matched} == {
        (one["code"], one["range"]["start"]["line"] + 1) for one in expected
    }
    assert len(matched) == len(expected) >= 2
    assert {one["severity"] for one in matched} == {"error", "warning"}
    assert {one["file"] for one in matched} == {str(shader)}


@pytest.mark.parametrize(("text", "status"), [(DUMP, 1), ("no dump\n", 2)])
def test_the_hook_fails_on_what_is_wrong(tmp_path: Path, text: str, status: int) -> None:
    (hook,) = yaml.safe_load((PROJECT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    shader = tmp_path / "a.frag.nir"
    shader.write_text(text, encoding="utf-8")
    assert re.search(hook["files"], str(shader))
    command = [str(NIRLS.with_name(hook["entry"].split()[0])), *hook["entry"].split()[1:], str(shader)]
    assert subprocess.run(command, capture_output=True, timeout=120, check=False).returncode == status


def _check(shader: Path, form: str) -> subprocess.CompletedProcess[str]:
    command = [NIRLS, "check", "--format", form, str(shader)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def _matches(matcher: dict[str, object], text: str) -> list[dict[str, str]]:
    (pattern,) = matcher["pattern"]  # type: ignore[misc]
    names = {name: group for name, group in pattern.items() if name != "regexp"}
    found = re.finditer(pattern["regexp"], text, re.MULTILINE)
    return [
        {name: match[group] for name, group in names.items()} | {"severity": str(matcher["severity"])}
        for match in found
    ]
