"""The declared passes: built in, and from other packages through the entry point group `nirls.passes`."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from nirls.ir.shader import Shader
from nirls.ir.stage import Stage
from nirls.passes.finding import Finding, FindingCode

OptionValue = bool | int | float | str
Options = Mapping[str, OptionValue]


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a pass: `nirls opt -o NAME=VALUE`, and a setting in editors."""

    name: str
    default: OptionValue
    help: str


class Runner(Protocol):
    """Runs a pass in place over linked shaders in pipeline order; returns those that changed.

    A pass of scope "shader" gets a sequence of one.
    """

    def __call__(self, shaders: Sequence[Shader], options: Options) -> list[Shader]: ...


class Finder(Protocol):
    """Says what a pass would do, without changing anything."""

    def __call__(self, shaders: Sequence[Shader], options: Options) -> Iterable[Finding]: ...


@dataclass(frozen=True, slots=True)
class Pass:
    """A declared pass. `module` is imported only when the pass is first used; it has `run` and `find`.

    `scope` is "shader" for a pass on one dump, "pipeline" for one that needs linked stages. `stages`
    limits where a shader pass applies, None for everywhere. `default` says whether its findings are on
    without a setting. Declared in the style of Mesa's names: `opt_dce`, `opt_varyings`.
    """

    name: str
    summary: str
    module: str
    scope: str = "shader"
    stages: frozenset[Stage] | None = None
    codes: tuple[FindingCode, ...] = ()
    options: tuple[Option, ...] = ()
    default: bool = True

    def applies_to(self, stage: Stage | None) -> bool:
        return self.stages is None or stage in self.stages

    @property
    def run(self) -> Runner:
        """The function that applies the pass. Imports the module."""
        return cast(Runner, importlib.import_module(self.module).run)

    @property
    def find(self) -> Finder | None:
        """The function that reports findings, None for a pass that reports none. Imports the module."""
        return cast("Finder | None", getattr(importlib.import_module(self.module), "find", None))


_Declared = Callable[[], Iterable[Pass]]
