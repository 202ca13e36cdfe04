"""Conversion of TOML and JSON data to typed objects, with invalid parts dropped and reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from enum import StrEnum
from typing import Any, Literal, TypeVar, get_args, get_origin

from cattrs import Converter
from cattrs.cols import list_structure_factory, mapping_structure_factory
from cattrs.errors import (
    AttributeValidationNote,
    ClassValidationError,
    ForbiddenExtraKeysError,
    IterableValidationError,
)
from cattrs.gen import make_dict_structure_fn

from nirls.ir.finding import Severity
from nirls.passes.declaration import OptionValue

ObjectT = TypeVar("ObjectT")
Path = tuple[str | int, ...]

_INT64 = range(-(1 << 63), 1 << 63)


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """An invalid part of the data. `key` is its path (`pipeline[0].vert`), `line` counts from 0."""

    message: str
    key: str = ""
    line: int | None = None

    def __str__(self) -> str:
        return f"{self.key}: {self.message}" if self.key else self.message


def converter(*, forbid_extra_keys: bool) -> Converter:
    """Create a converter that checks types without coercion; error messages describe the expected value."""
    made = Converter(forbid_extra_keys=forbid_extra_keys)
    made.register_structure_hook(bool, _of_type(bool, "must be true or false"))
    made.register_structure_hook(str, _of_type(str, "must be text"))
    made.register_structure_hook(StrEnum, _word)
    made.register_structure_hook(bool | Severity, _switch)
    made.register_structure_hook_func(lambda kind: _is_of(kind, Literal), _one_of)
    made.register_structure_hook_func(lambda kind: kind == OptionValue, _option_value)
    made.register_structure_hook_factory(
        lambda kind: _is_of(kind, dict),
        lambda kind: _of_container(Mapping, "must be a table", mapping_structure_factory(kind, made)),
    )
    made.register_structure_hook_factory(
        lambda kind: _is_of(kind, list),
        lambda kind: _of_container(list, "must be an array of tables", list_structure_factory(kind, made)),
    )
    made.register_structure_hook_factory(
        is_dataclass,
        lambda kind: _of_container(Mapping, "must be a table", make_dict_structure_fn(kind, made)),
    )
    return made


def _one_of(value: object, kind: Any) -> object:
    words = get_args(kind)
    if value not in words:
        raise ValueError(f"{repr(value)[:40]} is not one of {', '.join(words)}")
    return value


def _is_of(kind: Any, container: object) -> bool:
    return get_origin(kind) is container


def structure(data: Any, kind: type[ObjectT], made: Converter) -> tuple[ObjectT, list[ConfigProblem]]:
    """Convert data to an object of a class, dropping invalid parts; return it and the problems of these.

    The class must accept empty data, so every field needs a default. An invalid item of a list becomes None,
    which the type of its items must allow.
    """
    problems: list[ConfigProblem] = []
    while True:
        try:
            return made.structure(data, kind), problems
        except Exception as error:
            wrong = dict(_problems(error, ()))
            problems += [ConfigProblem(message, _key(path)) for path, message in wrong.items()]
            less = _without(data, set(wrong), ())
            if less == data:
                raise
            data = less


def _problems(error: BaseException, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(error, ForbiddenExtraKeysError):
        for name in sorted(error.extra_fields):
            yield (*path, name), "unknown key"
    elif isinstance(error, ClassValidationError | IterableValidationError):
        located, others = error.group_exceptions()
        for inner, note in located:
            step = note.name if isinstance(note, AttributeValidationNote) else note.index
            yield from _problems(inner, (*path, step))
        for inner in others:
            yield from _problems(inner, path)
    else:
        yield path, str(error)


def _without(data: Any, dropped: set[Path], path: Path) -> Any:
    """Copy data without the parts at these paths; an empty table if the root is dropped."""
    if path in dropped:
        return {}
    if isinstance(data, dict):
        kept = {name: value for name, value in data.items() if (*path, name) not in dropped}
        return {name: _without(value, dropped, (*path, name)) for name, value in kept.items()}
    if isinstance(data, list):
        # Replaced by None, so that later problems have the right index.
        return [
            None if (*path, place) in dropped else _without(value, dropped, (*path, place))
            for place, value in enumerate(data)
        ]
    return data


def _key(path: Path) -> str:
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def _of_type(kind: type, message: str) -> Callable[[object, type], object]:
    def check(value: object, _: type) -> object:
        if type(value) is not kind:
            raise ValueError(message)
        return value

    return check


def _of_container(
    kind: type, message: str, read: Callable[[Any, Any], object]
) -> Callable[[object, type], object]:
    def check(value: object, wanted: type) -> object:
        if not isinstance(value, kind):
            raise ValueError(message)
        return read(value, wanted)

    return check


def _word(value: object, kind: type[StrEnum]) -> StrEnum:
    words = [member.value for member in kind]
    if not isinstance(value, str) or value not in words:
        raise ValueError(f"must be one of {', '.join(words)}")
    return kind(value)


def _switch(value: object, _: object) -> object:
    """Take the value of a pass: whether it is on, or the severity of its findings."""
    if isinstance(value, bool):
        return value
    words = [member.value for member in Severity]
    if not isinstance(value, str) or value not in words:
        raise ValueError(f"must be true, false or one of {', '.join(words)}")
    return Severity(value)


def _option_value(value: object, _: object) -> object:
    if isinstance(value, int) and not isinstance(value, bool) and value not in _INT64:
        raise ValueError("must be a number of at most 64 bits")
    if not isinstance(value, bool | int | float | str):
        raise ValueError("must be true or false, a number or text")
    return value
