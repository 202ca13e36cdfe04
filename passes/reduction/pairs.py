"""Cuts applied to both of two versions of a shader, so that the difference between them remains."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from nirls.ir.analysis.correspondence import correspondence, instr_content
from nirls.ir.model.instructions import Instr, IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.passes.reduction.cuts import (
    FUNCTION,
    HEADER,
    NODE_KINDS,
    VARIABLE,
    ReductionCut,
    cuts_of,
    variables_of,
)


def paired_cuts(shaders: Sequence[Shader], kind: str) -> list[tuple[ReductionCut, ...]]:
    """Find the cuts of a kind that two shaders have in common, each with its counterpart.

    Instructions are matched by `nirls.ir.analysis.correspondence`, those without a def by content and order,
    ifs and loops by order.
    """
    first, second = shaders
    keys = _keys(first, second, kind)
    cuts = cuts_of(shaders, kind)
    places = {keys[1].get(cut.place): cut.place for cut in cuts if cut.shader == 1}
    places.pop(None, None)
    return [
        (cut, ReductionCut(kind, 1, places[key]))
        for cut in cuts
        if cut.shader == 0 and (key := keys[0].get(cut.place)) is not None and key in places
    ]


def snapshot_cuts(shaders: Sequence[Shader], kind: str) -> list[tuple[ReductionCut, ...]]:
    """Find the cuts of a kind that successive snapshots have in common, then all single ones.

    Shaders of the same stage are taken for snapshots of one shader, in order.
    """
    steps: dict[ReductionCut, list[ReductionCut]] = {}
    newest: dict[Stage | None, int] = {}
    for number, shader in enumerate(shaders):
        older = newest.get(shader.stage)
        newest[shader.stage] = number
        if older is None:
            continue
        for first, second in paired_cuts([shaders[older], shader], kind):
            before, after = first._replace(shader=older), second._replace(shader=number)
            step = steps.setdefault(before, [before])
            step.append(after)
            steps[after] = step
    shared = {id(step): tuple(step) for step in steps.values()}
    return [*shared.values(), *((cut,) for cut in cuts_of(shaders, kind))]


def _keys(first: Shader, second: Shader, kind: str) -> tuple[dict[int, Hashable], dict[int, Hashable]]:
    """Map the places of each shader to keys that are equal for corresponding places."""
    if kind == HEADER:
        return _numbered([[item.key for item in shader.header] for shader in (first, second)])
    if kind == VARIABLE:
        return _numbered(
            [[(item.mode, item.name) for item in variables_of(shader)] for shader in (first, second)]
        )
    if kind == FUNCTION:
        return _numbered([[item.name for item in shader.functions] for shader in (first, second)])
    one, other = first.entrypoint, second.entrypoint
    if one is None or other is None:
        return {}, {}
    impls = one, other
    if kind in NODE_KINDS:
        return _numbered([[""] * sum(1 for _ in impl.cf_nodes()) for impl in impls])
    twins = correspondence(one, other).values
    instrs = [list(impl.instrs()) for impl in impls]
    origin: dict[Instr, Hashable] = {
        value.instr: ("value", id(twin)) for value, twin in twins.items() if value.instr is not None
    }
    for twin in twins.values():
        if twin.instr is not None:
            origin[twin.instr] = ("value", id(twin))
    return _numbered(
        [[origin.get(instr, None if instr.defs() else _content(instr)) for instr in side] for side in instrs]
    )


def _numbered(sides: Sequence[Sequence[Hashable]]) -> tuple[dict[int, Hashable], dict[int, Hashable]]:
    """Make the keys of each side unique by adding an occurrence number; places with key None are omitted."""
    found: list[dict[int, Hashable]] = []
    for side in sides:
        seen: dict[Hashable, int] = {}
        keys: dict[int, Hashable] = {}
        for place, key in enumerate(side):
            if key is not None:
                seen[key] = seen.get(key, 0) + 1
                keys[place] = (key, seen[key])
        found.append(keys)
    return found[0], found[1]


def _content(instr: Instr) -> Hashable:
    """Return the matching key of an instruction without a def: its content; for outputs, the location."""
    semantics = instr.io_semantics if isinstance(instr, IntrinsicInstr) else None
    if semantics is None or not isinstance(instr, IntrinsicInstr):
        return ("content", instr_content(instr))
    high = semantics.has("high_16bits")
    return ("output", instr.name, semantics.location, instr.int_index("component"), high)
