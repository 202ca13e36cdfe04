"""The pages of the pass packages name modules, passes, options and findings that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nirls.passes import registry

PASSES = Path(registry.__file__).parent
NAMES = {declared.name for declared in registry.all_passes()}
CODES = {code.code for declared in registry.all_passes() for code in declared.codes}
OPTIONS = {option.name for declared in registry.all_passes() for option in declared.options()}
MODULES = {path.stem for path in PASSES.rglob("*.py")}


@pytest.mark.parametrize("package", ["tessellation", "barriers", "varyings"])
def test_names_of_passes_options_and_modules_exist(package: str) -> None:
    page = (PASSES / package / "README.md").read_text()
    text = "".join(page.split("```")[::2])
    words = set(re.findall(r"`([a-z][a-z0-9_]*_[a-z0-9_]+)`", text))
    sources = "\n".join(path.read_text() for path in (PASSES / package).rglob("*.py"))
    unknown = {word for word in words - NAMES - OPTIONS - MODULES if not word.startswith("nir_")}
    assert [word for word in sorted(unknown) if word not in sources] == []
    dashed = set(re.findall(r"`([a-z]+(?:-[a-z]+)+)`", text)) - {"vs-bindings"}
    assert dashed
    assert dashed <= CODES
    for link in re.findall(r"\]\(([^)]+)\)", text):
        assert (PASSES / package / link).exists()
