"""Conversion of data to typed objects: what is kept, what is dropped, and the problems of that."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from nirls.ir.finding import Severity
from nirls.passes.declaration import OptionValue
from nirls.server.engine.settings.structuring import ConfigProblem, converter, structure


@dataclass(frozen=True)
class Inner:
    name: str = "none"
    is_on: bool = False


@dataclass(frozen=True)
class Settings:
    text: str = "default"
    entries: list[Inner | None] = field(default_factory=list)
    severity: dict[str, Severity] = field(default_factory=dict)
    options: dict[str, dict[str, OptionValue]] = field(default_factory=dict)


STRICT = converter(forbid_extra_keys=True)


def problems(data: Any) -> list[str]:
    return [str(one) for one in structure(data, Settings, STRICT)[1]]


def test_valid_data_becomes_an_object_without_problems() -> None:
    data = {
        "text": "a",
        "entries": [{"name": "x"}, {"is_on": True}],
        "severity": {"dead-code": "hint"},
        "options": {"p": {"a": 1, "b": True, "c": 0.5, "d": "e"}},
    }
    found, wrong = structure(data, Settings, STRICT)
    assert wrong == []
    assert found == Settings(
        "a",
        [Inner("x"), Inner(is_on=True)],
        {"dead-code": Severity.HINT},
        {"p": {"a": 1, "b": True, "c": 0.5, "d": "e"}},
    )
    assert structure({}, Settings, STRICT) == (Settings(), [])


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"text": 1}, "text: must be text"),
        ({"entries": {}}, "entries: must be an array of tables"),
        ({"entries": [{}, 3]}, "entries[1]: must be a table"),
        ({"entries": [{"is_on": 1}]}, "entries[0].is_on: must be true or false"),
        ({"entries": [{"is_on": "true"}]}, "entries[0].is_on: must be true or false"),
        ({"severity": []}, "severity: must be a table"),
        ({"severity": {"a": "loud"}}, "severity.a: must be one of error, warning, information, hint, off"),
        ({"severity": {"a": 1}}, "severity.a: must be one of error, warning, information, hint, off"),
        ({"options": {"p": {"a": []}}}, "options.p.a: must be true or false, a number or text"),
        ({"options": {"p": {"a": 1 << 63}}}, "options.p.a: must be a number of at most 64 bits"),
        ({"options": {"p": {"a": -(1 << 63)}}}, ""),
        ({"other": 1}, "other: unknown key"),
        ({"entries": [{"other": 1}]}, "entries[0].other: unknown key"),
        (3, "must be a table"),
    ],
)
def test_invalid_part_is_named_with_the_expected_value(data: Any, expected: str) -> None:
    assert problems(data) == ([expected] if expected else [])


def test_invalid_parts_are_dropped_and_all_others_kept() -> None:
    data = {
        "text": 1,
        "other": 2,
        "entries": [{"name": "a", "is_on": "no"}, 3, {"name": "c"}],
        "severity": {"a": "loud", "b": "off"},
        "options": {"p": {"x": None, "y": 1}, "q": 2},
    }
    found, wrong = structure(data, Settings, STRICT)
    assert sorted(one.key for one in wrong) == [
        "entries[0].is_on",
        "entries[1]",
        "options.p.x",
        "options.q",
        "other",
        "severity.a",
        "text",
    ]
    assert found.text == "default"
    assert found.entries == [Inner("a"), None, Inner("c")]
    assert found.severity == {"b": Severity.OFF}
    assert found.options == {"p": {"y": 1}}


def test_given_data_is_not_changed() -> None:
    data = {"entries": [{"is_on": 1}, 3], "severity": {"a": "loud"}}
    structure(data, Settings, STRICT)
    assert data == {"entries": [{"is_on": 1}, 3], "severity": {"a": "loud"}}


def test_unknown_keys_may_be_allowed() -> None:
    lenient = converter(forbid_extra_keys=False)
    assert structure({"other": 1, "text": "a"}, Settings, lenient) == (Settings("a"), [])


def test_problem_of_the_whole_data_has_no_key() -> None:
    assert str(ConfigProblem("not valid TOML", line=3)) == "not valid TOML"
