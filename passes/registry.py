"""The declared passes: built in, and from other packages through the entry point group `nirls.passes`."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol, cast

from nirls.ir.analysis.tessellation import CullingRule
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
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
    """A declared pass. `module` is imported only when the pass is first used.

    It has `run`, and may have `find`, `check`, `known_memory` and `culling`, as the methods here.

    `part_of` names a pass that does this one's work too: where this one has a fix, that one is offered.

    `scope` is "shader" for a pass on one dump, "pipeline" for one that needs linked stages. With `alone`, a
    pass of the latter kind makes do with a dump of `stages` that is linked with nothing. `stages`
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
    alone: bool = False
    part_of: str = ""

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

    def check(self, shaders: Sequence[Shader], options: Options) -> None:
        """Raise OptionError if the options do not fit the shaders that the pass is going to run on.

        Asked once with all of them, before anything is changed. Most modules have no `check` of their own.
        """
        own = getattr(importlib.import_module(self.module), "check", None)
        if own is not None:
            own(shaders, options)

    def known_memory(self, shaders: Sequence[Shader], options: Options) -> Mapping[tuple[str, int, int], int]:
        """The words of memory that the pass takes for granted: (space, buffer, word number) -> 32 bits."""
        own = getattr(importlib.import_module(self.module), "known_memory", None)
        return {} if own is None else cast("Mapping[tuple[str, int, int], int]", own(shaders, options))

    def culling(self, shaders: Sequence[Shader], options: Options) -> CullingRule | None:
        """Which patches the pass takes to be culled, where the shaders do not say; None for most passes."""
        own = getattr(importlib.import_module(self.module), "culling", None)
        return None if own is None else cast("CullingRule | None", own(shaders, options))


@dataclass(frozen=True, slots=True)
class BrokenPass:
    """A declaration of another package that could not be used: where it is from, and why."""

    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The passes there are, by name: the built-in ones in their order, then those of other packages."""

    passes: Mapping[str, Pass]
    broken: tuple[BrokenPass, ...] = ()


class Declaration(Protocol):
    """What is needed of an entry point (`importlib.metadata.EntryPoint`)."""

    @property
    def name(self) -> str: ...

    @property
    def value(self) -> str: ...

    def load(self) -> object: ...


ENTRY_POINT_GROUP = "nirls.passes"


def all_passes() -> tuple[Pass, ...]:
    """Every declared pass that can be used."""
    return tuple(_installed().passes.values())


def find(name: str) -> Pass | None:
    """The pass of that name, or None."""
    return _installed().passes.get(name)


def broken_passes() -> tuple[BrokenPass, ...]:
    """What other packages declare but cannot be used, for the log and `nirls passes`."""
    return _installed().broken


def catalogue(built_in: Iterable[Pass], declarations: Iterable[Declaration]) -> Catalogue:
    """The built-in passes and what `declarations` add.

    An entry point of the group `nirls.passes` names a `Pass`, a sequence of passes, or a function
    without parameters that returns one. One that fails to load, is something else, or takes a name that
    is in use is reported in `broken` and otherwise ignored.
    """
    passes = {declared.name: declared for declared in built_in}
    broken: list[BrokenPass] = []
    for declaration in sorted(declarations, key=lambda entry: entry.name):
        source = f"{declaration.name} = {declaration.value}"
        try:
            found = _passes_of(declaration.load())
        except Exception as error:  # another package's code may raise whatever it likes
            broken.append(BrokenPass(source, f"{type(error).__name__}: {error}"))
            continue
        for declared in found:
            if declared.name in passes:
                broken.append(BrokenPass(source, f"there is a pass named {declared.name!r} already"))
            else:
                passes[declared.name] = declared
    return Catalogue(passes, tuple(broken))


def _passes_of(loaded: object) -> list[Pass]:
    declared = loaded() if callable(loaded) and not isinstance(loaded, Pass) else loaded
    if isinstance(declared, Pass):
        return [declared]
    if not isinstance(declared, Iterable):
        raise TypeError(f"expected a Pass or a sequence of them, not {type(declared).__name__}")
    found = list(declared)
    for item in found:
        if not isinstance(item, Pass):
            raise TypeError(f"expected a Pass, not {type(item).__name__}")
    return found


@cache
def _installed() -> Catalogue:
    # A tenth of what an editor waits for until its first diagnostics, and those need no passes.
    from importlib import metadata

    from nirls.passes.builtin import PASSES

    return catalogue(PASSES, metadata.entry_points(group=ENTRY_POINT_GROUP))
