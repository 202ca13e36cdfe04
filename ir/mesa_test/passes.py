"""How tests call a pass: with the shader, and with placeholders for the options that it takes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

_TABLE = Path(__file__).with_name("passes.txt")


@dataclass(frozen=True, slots=True)
class PassCall:
    """The call of a pass; `options` are the parameters for which it has placeholders."""

    text: str
    options: tuple[str, ...] = ()
    is_known: bool = True
    reports_progress: bool = True


def pass_call(name: str) -> PassCall:
    """Return the call of a pass of libnir; of an unknown one, that of a pass without options."""
    parameters = _parameters().get(name)
    if parameters is None:
        return PassCall(f"{name}(b->shader)", is_known=False)
    returned, options = parameters
    arguments = [_placeholder(option) for option in options]
    return PassCall(
        f"{name}({', '.join(['b->shader', *arguments])})", options, reports_progress=returned == "bool"
    )


def _placeholder(option: str) -> str:
    """Return an argument for a parameter `bool lower_all`: false, 0, NULL or an enumeration of value 0."""
    type_name = re.sub(r"(?<!\s)\s*+(?<!\w)\w++\Z", "", option) if " " in option.strip() else option
    if "*" in option or type_name.endswith(("_cb", "_func")):
        return "NULL"
    if type_name == "bool":
        return "false"
    if type_name in ("unsigned", "int", "uint8_t", "uint32_t", "uint64_t"):
        return "0"
    return f"({type_name})0" if not type_name.startswith("struct") else f"{type_name.partition(' ')[2]}{{}}"


@cache
def _parameters() -> Mapping[str, tuple[str, tuple[str, ...]]]:
    """Return what each pass returns, and its parameters after the shader."""
    rows: dict[str, tuple[str, tuple[str, ...]]] = {}
    for row in _TABLE.read_text(encoding="utf-8").splitlines():
        if row and not row.startswith("#"):
            name, returned, options = (part.strip() for part in row.split("|"))
            rows[name] = returned, tuple(part.strip() for part in options.split(",") if part.strip())
    return MappingProxyType(rows)
