"""Passes declared for a test."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import make_dataclass
from typing import Any

from nirls.ir.finding import Finding, FindingCode, FixRequest
from nirls.ir.model.shader import Shader
from nirls.passes.declaration import Change, Pass

Find = Callable[[Sequence[Shader]], Iterable[Finding]]
Run = Callable[[Sequence[Shader]], list[Shader]]
Fix = Callable[[Sequence[Shader], FixRequest], list[Change]]


def declare(
    pass_name: str,
    *,
    find: Find | None = None,
    run: Run | None = None,
    fix: Fix | None = None,
    codes: tuple[FindingCode, ...] = (),
    options: dict[str, Any] | None = None,
    **attributes: object,
) -> type[Pass]:
    """A pass of these functions; `options` are fields made by `option`."""
    namespace: dict[str, object] = {"name": pass_name, "summary": "For a test", "codes": codes, **attributes}
    for name, function in (("find", find), ("run", run), ("fix", fix)):
        if function is not None:
            namespace[name] = lambda self, *arguments, called=function: called(*arguments)
    fields = [(name, type(value.default), value) for name, value in (options or {}).items()]
    made = make_dataclass(pass_name, fields, bases=(Pass,), namespace=namespace, frozen=True)
    # From Python 3.12 on, make_dataclass sets the module of its caller.
    made.__module__ = str(attributes.get("__module__", made.__module__))
    return made


def failing(_shaders: Sequence[Shader]) -> list[Any]:
    """Raise as a pass of another package may."""
    raise RuntimeError("no such thing")
