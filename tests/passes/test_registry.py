from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from nirls.ir.model.stage import Stage
from nirls.passes import registry
from nirls.passes.builtin import PASSES
from nirls.passes.registry import Pass, catalogue


@dataclass
class FakeEntryPoint:
    name: str
    target: Callable[[], object]
    value: str = "package.module:thing"

    def load(self) -> object:
        return self.target()


def declared(name: str) -> Pass:
    return Pass(name, "does something", "package.module")


def test_built_in_passes_are_found() -> None:
    names = [one.name for one in registry.all_passes()]
    assert "opt_varyings_dead_io" in names
    assert registry.find("opt_varyings_dead_io") in registry.all_passes()
    assert registry.find("opt_nothing") is None
    assert registry.broken_passes() == ()


@pytest.mark.parametrize("one", PASSES, ids=lambda one: one.name)
def test_every_built_in_pass_keeps_its_promises(one: Pass) -> None:
    module = importlib.import_module(one.module)
    assert one.run is module.run
    assert one.summary
    assert one.scope in ("shader", "pipeline")
    if one.codes:
        assert one.find is module.find


def test_codes_of_passes_do_not_clash() -> None:
    codes = [code.code for one in PASSES for code in one.codes]
    assert len(codes) == len(set(codes))


@pytest.mark.parametrize(
    "loaded", [declared("x"), [declared("x")], lambda: declared("x"), lambda: iter([declared("x")])]
)
def test_forms_of_an_entry_point(loaded: object) -> None:
    found = catalogue(PASSES, [FakeEntryPoint("x", lambda: loaded)])
    assert found.passes["x"] == declared("x")
    assert list(found.passes)[: len(PASSES)] == [one.name for one in PASSES]
    assert found.broken == ()


def raises() -> object:
    raise ImportError("no module named package")


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        (raises, "ImportError: no module named package"),
        (lambda: 3, "TypeError: expected a Pass or a sequence of them, not int"),
        (lambda: ["x"], "TypeError: expected a Pass, not str"),
        (lambda: raises, "ImportError: no module named package"),
        (lambda: declared(PASSES[0].name), f"there is a pass named '{PASSES[0].name}' already"),
    ],
)
def test_broken_declaration_is_reported_and_the_rest_works(target: Callable[[], object], reason: str) -> None:
    found = catalogue(
        PASSES, [FakeEntryPoint("bad", target), FakeEntryPoint("good", lambda: declared("good"))]
    )
    assert [(broken.source, broken.reason) for broken in found.broken] == [
        ("bad = package.module:thing", reason)
    ]
    assert "good" in found.passes
    assert found.passes[PASSES[0].name] is PASSES[0]


def test_stages_limit_a_pass() -> None:
    one = Pass("x", "", "m", stages=frozenset({Stage.FRAGMENT}))
    assert one.applies_to(Stage.FRAGMENT)
    assert not one.applies_to(Stage.VERTEX)
    assert not one.applies_to(None)
    assert declared("y").applies_to(None)
