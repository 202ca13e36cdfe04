"""Registry of passes: built-in ones, and those of other packages in the entry point group `nirls.passes`.

Passes are imported on demand.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Protocol, cast

from nirls.passes.declaration import Pass

BUILT_IN: tuple[str, ...] = (
    "nirls.passes.varyings.opt_varyings_dead_io:OptVaryingsDeadIo",
    "nirls.passes.varyings.opt_varyings:OptVaryings",
    "nirls.passes.varyings.link_summary:LinkSummary",
    "nirls.passes.link_potential.link_potential:LinkPotential",
    "nirls.passes.barriers.opt_barriers:OptBarriers",
    "nirls.passes.discards.opt_discard_if:OptDiscardIf",
    "nirls.passes.discards.opt_move_discards_to_top:OptMoveDiscardsToTop",
    "nirls.passes.tessellation.inline_vs.inline_vs_in_tcs:InlineVsInTcs",
    "nirls.passes.tessellation.culled_work.restructure_tcs_flow:RestructureTcsFlow",
    "nirls.passes.tessellation.optimize_tcs:OptimizeTcs",
    "nirls.passes.uniforms.inline_uniforms:InlineUniforms",
    "nirls.passes.variables.lower_vars_to_ssa:LowerVarsToSsa",
    "nirls.passes.registers.lower_regs_to_ssa:LowerRegsToSsa",
    "nirls.passes.registers.convert_from_ssa:ConvertFromSsa",
    "nirls.passes.registers.lower_vec_and_coalesce:LowerVecAndCoalesce",
    "nirls.passes.buffers.lower_dynamic_bo_access:LowerDynamicBoAccess",
    "nirls.passes.cleanup.copy_prop:CopyProp",
    "nirls.passes.cleanup.opt_dce:OptDce",
    "nirls.passes.cleanup.opt_cse:OptCse",
    "nirls.passes.cleanup.opt_constant_folding:OptConstantFolding",
    "nirls.passes.cleanup.opt_dead_cf:OptDeadCf",
    "nirls.passes.cleanup.opt_remove_phis:OptRemovePhis",
    "nirls.passes.cleanup.opt_undef:OptUndef",
    "nirls.passes.cleanup.opt_algebraic:OptAlgebraic",
    "nirls.passes.cleanup.lower_alu_to_scalar:LowerAluToScalar",
    "nirls.passes.io.lower_io:LowerIo",
    "nirls.passes.cleanup.lower_io_to_scalar:LowerIoToScalar",
    "nirls.passes.cleanup.lower_phis_to_scalar:LowerPhisToScalar",
    "nirls.passes.loops.opt_loop_unroll:OptLoopUnroll",
    "nirls.passes.loops.opt_if:OptIf",
    "nirls.passes.cleanup.clean_up:CleanUp",
)
"""Built-in passes as `MODULE:CLASS`, in the order in which they are listed and run.

A module has the name of its pass, so that `find` imports one module only.
"""

ENTRY_POINT_GROUP = "nirls.passes"

_MODULE_OF = {path.partition(":")[0].rpartition(".")[2]: path for path in BUILT_IN}


@dataclass(frozen=True, slots=True)
class BrokenPass:
    """An unusable pass declaration of another package: its entry point, and the reason."""

    source: str
    reason: str


class EntryPoint(Protocol):
    """The attributes of `importlib.metadata.EntryPoint` used here."""

    @property
    def name(self) -> str: ...

    @property
    def value(self) -> str: ...

    def load(self) -> object: ...


def all_passes() -> tuple[type[Pass], ...]:
    """Return all usable passes: built-in ones in order, then those of other packages. Imports all modules."""
    return (*map(_load, BUILT_IN), *passes_of_packages())


def passes_of_packages() -> tuple[type[Pass], ...]:
    """Return the usable passes of other packages."""
    return _from_packages()[0]


def find(name: str) -> type[Pass] | None:
    """Return the pass of a name, None if there is none. For a built-in pass, imports only its module."""
    if name in _MODULE_OF:
        return _load(_MODULE_OF[name])
    return next((declared for declared in passes_of_packages() if declared.name == name), None)


def broken_passes() -> tuple[BrokenPass, ...]:
    """Return the unusable declarations of other packages, for the log and `nirls passes`."""
    return _from_packages()[1]


def read_entry_points(
    entry_points: Iterable[EntryPoint],
) -> tuple[tuple[type[Pass], ...], tuple[BrokenPass, ...]]:
    """Load the passes that entry points declare; return them and the unusable declarations.

    An entry point names a subclass of `Pass`, a sequence of them, or a function without parameters that
    returns either. A declaration is broken if it fails to load, is something else, or reuses a pass name.
    """
    passes: dict[str, type[Pass]] = {}
    broken: list[BrokenPass] = []
    for entry in sorted(entry_points, key=lambda entry: entry.name):
        source = f"{entry.name} = {entry.value}"
        try:
            found = _passes_of(entry.load())
        except Exception as error:  # another package's code may raise anything
            broken.append(BrokenPass(source, f"{type(error).__name__}: {error}"))
            continue
        for declared in found:
            if declared.name in _MODULE_OF or declared.name in passes:
                broken.append(BrokenPass(source, f"there is already a pass named {declared.name!r}"))
            else:
                passes[declared.name] = declared
    return tuple(passes.values()), tuple(broken)


def _passes_of(loaded: object) -> list[type[Pass]]:
    declared = loaded() if callable(loaded) and not isinstance(loaded, type) else loaded
    if isinstance(declared, type):
        declared = [declared]
    if not isinstance(declared, Iterable):
        raise TypeError(f"expected a subclass of Pass or a sequence of them, not {type(declared).__name__}")
    found = list(declared)
    for item in found:
        if not isinstance(item, type) or not issubclass(item, Pass):
            what = item.__name__ if isinstance(item, type) else type(item).__name__
            raise TypeError(f"expected a subclass of Pass, not {what}")
        if not isinstance(getattr(item, "name", None), str) or not isinstance(
            getattr(item, "summary", None), str
        ):
            raise TypeError(f"{item.__name__} needs a name and a summary")
    return found


@cache
def _load(path: str) -> type[Pass]:
    module, _, name = path.partition(":")
    return cast("type[Pass]", getattr(importlib.import_module(module), name))


@cache
def _from_packages() -> tuple[tuple[type[Pass], ...], tuple[BrokenPass, ...]]:
    from importlib import metadata  # slow to import

    return read_entry_points(metadata.entry_points(group=ENTRY_POINT_GROUP))
