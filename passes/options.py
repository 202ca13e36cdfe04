"""The options of a pass: what was given as text or by a settings file, checked against what is declared."""

from __future__ import annotations

from collections.abc import Mapping

from nirls.passes.registry import Option, Options, OptionValue, Pass

_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0"})


class OptionError(ValueError):
    """An option that the pass does not have, or a value of the wrong type; the message says which."""


def resolve_options(declared: Pass, given: Mapping[str, object]) -> Options:
    """All options of a pass: its defaults, with what was given in their place.

    Text is read as the type of the default, so that `-o NAME=VALUE` works for all types. Raises
    OptionError.
    """
    known = {option.name: option for option in declared.options}
    unknown = [name for name in given if name not in known]
    if unknown:
        has = ", ".join(known) if known else "none"
        raise OptionError(f"{declared.name} has no option {unknown[0]!r} (it has: {has})")
    values: dict[str, OptionValue] = {option.name: option.default for option in declared.options}
    for name, value in given.items():
        values[name] = option_value(known[name], value)
    return values


def usable_options(declared: Pass, given: Mapping[str, object]) -> Options:
    """All options of a pass, only the defaults where something given is wrong: others tell the user so."""
    try:
        return resolve_options(declared, given)
    except OptionError:
        return resolve_options(declared, {})


def option_value(option: Option, value: object) -> OptionValue:
    """One value as the type of the option's default. Raises OptionError."""
    if isinstance(option.default, bool):
        return _bool(option, value)
    if isinstance(option.default, int):
        return _number(option, value, int)
    if isinstance(option.default, float):
        return _number(option, value, float)
    if isinstance(value, str):
        return value
    raise OptionError(f"option {option.name} takes text, not {value!r}")


def _bool(option: Option, value: object) -> bool:
    if isinstance(value, bool):
        return value
    word = value.lower() if isinstance(value, str) else ""
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise OptionError(f"option {option.name} takes true or false, not {value!r}")


def _number(option: Option, value: object, kind: type[int] | type[float]) -> int | float:
    word = "a whole number" if kind is int else "a number"
    accepted = int if kind is int else (int, float)
    if isinstance(value, str):
        try:
            return int(value, 0) if kind is int else float(value)
        except ValueError:
            raise OptionError(f"option {option.name} takes {word}, not {value!r}") from None
    if isinstance(value, accepted) and not isinstance(value, bool):
        return kind(value)
    raise OptionError(f"option {option.name} takes {word}, not {value!r}")
