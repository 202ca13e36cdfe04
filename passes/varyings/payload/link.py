"""Linking of the payload of a task shader with its mesh shaders.

Mesa has no such pass: the payload is memory there. The steps are those of varyings, by byte: dead parts,
propagation of constants and uniform expressions, and deduplication.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nirls.ir.model.builder import Builder
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import AluSrc, Def
from nirls.ir.tables.families import VECTORS
from nirls.passes.dead_code import remove_with_its_sources
from nirls.passes.varyings.interface.accesses import Unlinkable
from nirls.passes.varyings.interface.decisions import Fate, Journal, Step
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.payload_accesses import PayloadAccess, PayloadLinkage, link_payload
from nirls.passes.varyings.interface.uniform_variables import UniformVariables
from nirls.passes.varyings.payload.plan import (
    UNWRITTEN,
    Channel,
    LoadReplacement,
    PayloadPlan,
    channel_of,
    plan_payload,
)
from nirls.passes.varyings.values.transfer import copy_value


def optimize_payload(
    linkage: PayloadLinkage, options: LinkOptions, journal: Journal | None = None, only: range | None = None
) -> list[Shader]:
    """Optimize the payload, or some bytes of it, in place once; return the changed shaders."""
    options = options.for_pair(linkage.task, linkage.mesh)
    variables = UniformVariables(linkage.task, linkage.mesh, options)
    plan = plan_payload(linkage, options, variables, only)
    changed = _apply(linkage, plan, variables)
    if journal is not None:
        _record(journal, linkage, plan)
    return changed


def _apply(linkage: PayloadLinkage, plan: PayloadPlan, variables: UniformVariables) -> list[Shader]:
    by_load: dict[PayloadAccess, dict[int, LoadReplacement]] = {}
    for piece, replacement in plan.replacements.items():
        by_load.setdefault(piece.access, {})[piece.lane] = replacement
    for access in plan.wide_loads:
        by_load.setdefault(access, {})
    by_store: dict[PayloadAccess, set[int] | None] = {}
    for removal in plan.removals:
        lanes = by_store.setdefault(removal.access, set())
        if lanes is not None and removal.lanes is not None:
            lanes |= removal.lanes
        else:
            by_store[removal.access] = None
    changed: dict[int, Shader] = {}
    for load, lanes_of_load in by_load.items():
        shader = _shader_of(linkage, load)
        _rewrite_load(shader, load, lanes_of_load, variables)
        changed[id(shader)] = shader
    for load in plan.vague_loads:
        shader = _shader_of(linkage, load)
        _replace(load.instr, [], _builder_before(shader, load.instr))
        changed[id(shader)] = shader
    for store, dead in by_store.items():
        _narrow_store(linkage.task, store, dead)
        changed[id(linkage.task)] = linkage.task
    return list(changed.values())


def _shader_of(linkage: PayloadLinkage, access: PayloadAccess) -> Shader:
    return linkage.task if access in linkage.own else linkage.mesh


def _builder_before(shader: Shader, instr: Instr) -> Builder:
    impl = next(impl for impl in shader.impls() if instr.block in set(impl.blocks()))
    return Builder(impl, impl.start_block).before_instr(instr)


# Loads


def _rewrite_load(
    shader: Shader, access: PayloadAccess, replaced: dict[int, LoadReplacement], variables: UniformVariables
) -> None:
    """Replace components of a load; the others are loaded in runs."""
    load, value = access.instr, access.value
    assert value is not None
    assert access.start is not None
    builder = _builder_before(shader, load)
    size = value.bit_size // 8
    kept = [piece.lane for piece in access.pieces() if piece.is_used and piece.lane not in replaced]
    channels: dict[int, Channel] = {}
    for run in _runs(kept):
        made = _load(builder, load, access.start, run[0] * size, len(run))
        channels.update({lane: (made, number) for number, lane in enumerate(run)})
    for lane, load_replacement in replaced.items():
        if load_replacement.constant is not None:
            channels[lane] = (builder.load_const([load_replacement.constant], value.bit_size), 0)
        elif load_replacement.channel is not None:
            source, component = load_replacement.channel
            channels[lane] = (copy_value(source, builder, shader, variables, {}), component)
        elif load_replacement.instead is not None:
            made = _load(builder, load, access.start, load_replacement.instead - access.start, 1)
            channels[lane] = (made, 0)
    _replace(load, [channels.get(lane) for lane in range(value.num_components)], builder)


def _runs(lanes: Sequence[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for lane in lanes:
        if runs and runs[-1][-1] == lane - 1 and len(runs[-1]) < 4:
            runs[-1].append(lane)
        else:
            runs.append([lane])
    return runs


def _load(builder: Builder, load: IntrinsicInstr, start: int, distance: int, width: int) -> Def:
    """Insert a load of `width` components, so many bytes behind the first byte of another load."""
    assert load.def_ is not None
    offset, indices = _moved(builder, load, start, distance)
    value = builder.load(load.name, [offset], indices, width, load.def_.bit_size)
    value.divergent = load.def_.divergent
    return value


def _moved(builder: Builder, access: IntrinsicInstr, start: int, distance: int) -> tuple[Def, dict[str, Any]]:
    """Return the offset and the indices of an access so many bytes behind another one."""
    indices = dict(access.indices)
    offset, base = access.sources[-1].ssa, access.int_index("base") + distance
    if base < 0 or "base" not in indices:
        offset, base = builder.load_const([start + distance], offset.bit_size), 0
    if "base" in indices:
        indices["base"] = base
    if access.int_index("align_mul"):
        place = access.int_index("align_offset") + distance
        indices["align_offset"] = place % access.int_index("align_mul")
    return offset, indices


def _replace(load: IntrinsicInstr, channels: Sequence[Channel | None], builder: Builder) -> None:
    """Replace a load by a vector of channels, undefined where there is none; readers keep its number."""
    old = load.def_
    assert old is not None
    if not any(channels):
        new = builder.undef(old.num_components, old.bit_size)
    elif len(channels) == 1 and channels[0] is not None and channels[0][0].num_components == 1:
        new = channels[0][0]
    else:
        nothing = builder.undef(1, old.bit_size) if None in channels else None
        sources = [AluSrc(*_channel(channel, nothing)) for channel in channels]
        op = "mov" if len(sources) == 1 else f"vec{len(sources)}"
        new = builder.alu(op, sources, len(sources), old.bit_size)
        new.divergent = old.divergent
    new.index = old.index
    old.replace_all_uses_with(new)
    remove_with_its_sources(load)


def _channel(channel: Channel | None, nothing: Def | None) -> tuple[Def, tuple[int]]:
    if channel is not None:
        return channel[0], (channel[1],)
    assert nothing is not None
    return nothing, (0,)


# Stores


def _narrow_store(shader: Shader, access: PayloadAccess, dead: set[int] | None) -> None:
    """Remove components of a store; None for all of it.

    A store of a vector that is made for it becomes stores of what is left, so that the code of the other
    components can go.
    """
    store = access.instr
    kept = [] if dead is None else [piece.lane for piece in access.pieces() if piece.lane not in dead]
    if not kept:
        remove_with_its_sources(store)
        return
    value = store.sources[0].ssa
    maker = value.instr
    if not isinstance(maker, AluInstr) or maker.op not in VECTORS:
        store.indices["write_mask"] = sum(1 << lane for lane in kept)
        return
    assert access.start is not None
    builder = _builder_before(shader, store)
    for run in _runs(kept):
        sources = [AluSrc(source, (lane,)) for source, lane in (channel_of(value, lane) for lane in run)]
        whole = sources[0].ssa
        if len(run) > 1 or whole.num_components > 1:
            op = "mov" if len(run) == 1 else f"vec{len(run)}"
            whole = builder.alu(op, sources, len(run), value.bit_size)
        offset, indices = _moved(builder, store, access.start, run[0] * value.bit_size // 8)
        indices["write_mask"] = (1 << len(run)) - 1
        builder.intrinsic(store.name, [whole, offset], indices)
    remove_with_its_sources(store)


# Records


def _record(journal: Journal, linkage: PayloadLinkage, plan: PayloadPlan) -> None:
    """Add the decisions of a round to the journal. Bytes are gone once nothing stores them."""
    after = link_payload(linkage.task, linkage.mesh, linkage.partition)
    stored = linkage.written() if isinstance(after, Unlinkable) else after.written()

    def affect(where: range, step: Step, fate: Fate, message: str) -> None:
        for part in linkage.parts_in(where):
            journal.affect((part.start,), step, fate, message, gone=stored.isdisjoint(part))

    for replacement in plan.replacements.values():
        affect(replacement.piece.where, replacement.step, replacement.fate, replacement.message)
    for load in plan.vague_loads:
        affect(load.reach, Step.DEAD, Fate.UNWRITTEN, UNWRITTEN)
    for where, obstacle in plan.obstacles:
        journal.obstruct((part.start for part in linkage.parts_in(where)), obstacle)
    for removal in plan.removals:
        for part in linkage.parts_in(removal.where):
            record = journal.records.get(part.start)
            if record is not None and not record.effects:
                text = "its value is not used in the MS" if record.was_read else "never read by the MS"
                affect(part, Step.DEAD, Fate.REMOVED, text)
