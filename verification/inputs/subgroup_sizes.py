"""Sizes of subgroups to run with: those that the headers and the shaders leave open."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from nirls.ir.effects import effects_of
from nirls.ir.model.instructions import Instr, IntrinsicInstr, LoadConstInstr
from nirls.ir.model.shader import Shader

_SIZES = (8, 16, 32, 64, 128)
_SMALLEST = 4
"""Smaller numbers in the header are kinds (Mesa: `gl_subgroup_size`)."""

_USUAL = 32
_NAMES = ("load_subgroup_", "load_num_subgroups", "inverse_ballot")
_BALLOTS = frozenset(("ballot", "ballot_relaxed", "load_subgroup_eq_mask", "load_subgroup_ge_mask"))
_BY_SIZE = ("load_subgroup_", "load_num_subgroups", "ballot_")
"""Intrinsics for which `nir_lower_subgroups` and others write the size into the shader."""


@dataclass(frozen=True, slots=True)
class SubgroupSizes:
    """Sizes to try. The result depends on them if `matters`.

    A pass that writes a size into the shader is right if it is right for that size, and there may be several
    that it may have meant: it must be right for all sizes of one of the `alternatives`.
    """

    alternatives: tuple[tuple[int, ...], ...] = ((_USUAL,),)
    matters: bool = False


def subgroup_sizes(before: Sequence[Shader], after: Sequence[Shader]) -> SubgroupSizes:
    """Return the sizes of subgroups that both sides may run with.

    A header gives one size or a range, and a ballot has a bit for each invocation. If the pass has replaced
    operations that depend on the size, constants of one side only are sizes that it may have written.
    """
    shaders = (*before, *after)
    if not any(map(_depends_on_size, shaders)):
        return SubgroupSizes()
    allowed = _allowed(shaders)
    written = _written(before, after, allowed)
    alternatives = tuple((size,) for size in written) if written and len(allowed) > 1 else (allowed,)
    return SubgroupSizes(alternatives, matters=True)


def _depends_on_size(shader: Shader) -> bool:
    if any((variable.location or "").startswith("SYSTEM_VALUE_SUBGROUP") for variable in shader.variables):
        return True
    return any(
        isinstance(instr, IntrinsicInstr)
        and (instr.name.startswith(_NAMES) or effects_of(instr).exchange == "subgroup")
        for instr in shader.instrs()
    )


def _allowed(shaders: Sequence[Shader]) -> tuple[int, ...]:
    """Return the sizes that all headers and ballots allow; those of the last header if they contradict."""
    allowed = set(_SIZES)
    for shader in shaders:
        stated = _stated(shader)
        if stated:
            allowed = allowed & stated or stated
    most = min((_bits_of_ballots(shader) for shader in shaders), default=max(_SIZES))
    fitting = tuple(sorted(size for size in allowed if size <= most))
    return fitting or (min(allowed),)


def _stated(shader: Shader) -> set[int]:
    """Return the sizes that a header allows; empty if it leaves them open."""
    size = shader.header_number("subgroup_size")
    if size >= _SMALLEST:
        return {size}
    least, most = shader.header_number("min_subgroup_size"), shader.header_number("max_subgroup_size")
    if least == most and most >= _SMALLEST:
        return {most}
    return {size for size in _SIZES if least <= size <= most}


def _bits_of_ballots(shader: Shader) -> int:
    bits = (
        instr.def_.num_components * instr.def_.bit_size
        for instr in shader.instrs()
        if isinstance(instr, IntrinsicInstr) and instr.name in _BALLOTS and instr.def_ is not None
    )
    return min((count for count in bits if count >= min(_SIZES)), default=max(_SIZES))


def _written(before: Sequence[Shader], after: Sequence[Shader], allowed: Collection[int]) -> tuple[int, ...]:
    """Return the sizes that the pass may have written in place of an operation that depends on them.

    The size itself, else a number below it, or its logarithm. The bits of a word of a ballot are a size only
    if there is no other.
    """
    if not _operations(before) - _operations(after):
        return ()
    new = _constants(after) - _constants(before)
    words = {
        instr.def_.bit_size
        for shader in after
        for instr in shader.instrs()
        if isinstance(instr, IntrinsicInstr) and instr.name in _BALLOTS and instr.def_ is not None
    }
    readings = (
        [size for size in allowed if size in new and size not in words],
        [size for size in allowed if size - 1 in new],
        [size for size in allowed if size in new],
        [size for size in allowed if size.bit_length() - 1 in new],
    )
    return tuple(next(filter(None, readings), ()))


def _operations(shaders: Iterable[Shader]) -> set[str]:
    return {
        instr.name
        for instr in _instrs(shaders)
        if isinstance(instr, IntrinsicInstr) and instr.name.startswith(_BY_SIZE)
    }


def _constants(shaders: Iterable[Shader]) -> set[int]:
    loads = (instr for instr in _instrs(shaders) if isinstance(instr, LoadConstInstr))
    return {number for load in loads for number in load.values}


def _instrs(shaders: Iterable[Shader]) -> Iterable[Instr]:
    return (instr for shader in shaders for instr in shader.instrs())
