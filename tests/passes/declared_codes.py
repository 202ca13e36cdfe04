"""What a module of codes promises the registry, for the tests of those modules."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from nirls.passes import registry
from nirls.passes.finding import FindingCode
from nirls.passes.registry import Option

RULES = Path(__file__).resolve().parents[2] / "server" / "ide" / "rules"


def codes_of(module: ModuleType) -> set[FindingCode]:
    return {value for value in vars(module).values() if isinstance(value, FindingCode)}


def options_of(module: ModuleType) -> set[Option]:
    return {value for value in vars(module).values() if isinstance(value, Option)}


def assert_declared(module: ModuleType, *names: str) -> None:
    """Every code and option of a module belongs to a pass that is declared, and every code has a page."""
    passes = [registry.find(name) for name in names]
    assert None not in passes
    declared_codes = {code for one in passes if one is not None for code in one.codes}
    declared_options = {option for one in passes if one is not None for option in one.options}
    assert codes_of(module) <= declared_codes
    assert options_of(module) <= declared_options
    for code in codes_of(module):
        assert (RULES / f"{code.code}.md").is_file()
