"""The pass `lower_vec_and_coalesce`: computation of vector operands directly in the target register.

Follows the pass of that name of 2015 and its review (Mesa: nir_lower_vec_to_movs, nir_lower_vec_to_regs).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from nirls.ir.finding import FindingCode, Place, Related, Severity
from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr, constant_of, is_undef
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import AluSrc, Def, RegDest, Register
from nirls.ir.tables import opcode
from nirls.ir.tables.families import VECTORS
from nirls.passes.booleans import move_opcode
from nirls.passes.declaration import Pass, Site, SiteFix
from nirls.passes.registers.coalesce_plan import InPlace, VectorPlan, compatible_plans, plan_vectors
from nirls.passes.registers.webs import mask_of

COALESCABLE_VECTOR = FindingCode(
    "coalescable-vector", "Vector whose operands could be computed in place", Severity.HINT
)


@dataclass(frozen=True)
class LowerVecAndCoalesce(Pass):
    """Coalesce vecN operands into the register that receives the vector."""

    name = "lower_vec_and_coalesce"
    codes = (COALESCABLE_VECTOR,)

    def apply(self, shader: Shader) -> bool:
        return lower_vec_and_coalesce(shader)

    def sites(self, shaders: Sequence[Shader]) -> Iterable[Site]:
        for dump, shader in enumerate(shaders):
            for impl in shader.impls():
                for plan in plan_vectors(impl):
                    yield self._site(shader, impl, plan, Place.of(plan.vec.span, dump))

    def _site(self, shader: Shader, impl: FunctionImpl, plan: VectorPlan, place: Place) -> Site:
        op, saved = plan.vec.op, plan.channels_saved
        total = saved + len(plan.left) - len(plan.direct)
        noun = "move" if saved == 1 else "moves"
        finding = COALESCABLE_VECTOR.at(
            place,
            f"{saved} of {total} channels of this {op} can be computed in place: saves {saved} {noun}",
            related=_left(plan, place.dump),
            data={"saved": saved, "channels": total},
            gain=saved,
        )

        def coalesce() -> list[Shader]:
            _carry_out(Builder(impl, impl.start_block), plan, move_opcode(shader))
            return [shader]

        fix = SiteFix(f"Compute the operands of this {op} in place", coalesce)
        return Site(finding, (fix,), whole=f"Run {self.name}")


def _left(plan: VectorPlan, dump: int) -> Iterator[Related]:
    """Yield why operands keep their move."""
    direct = {channel for channel, _ in plan.direct}
    by_move = {src for channel, src in plan.left if channel not in direct}
    for src, reason in plan.reasons:
        maker = src.def_instr
        span = plan.vec.span if maker is None or maker.span is None else maker.span
        if src in by_move and span is not None:
            name = f"%{src.ssa.index}" if src.reg is None else f"r{src.reg.index}"
            yield Related(Place.of(span, dump), f"{name} keeps its move: {reason}")


def lower_vec_and_coalesce(shader: Shader) -> bool:
    """Make the instructions that define the operands of a vector write the target register directly.

    Applies to registers of old dumps, and to `store_reg` of a vector. An operand is computed in place if the
    vector is its only user, its instructions are per channel, and no read in between would find another value
    in the target channel. It may be written in several blocks, to a register or for phis, which go. An
    intrinsic or texture instruction can write a whole register of an old dump. `store_reg` takes constants,
    and values of any block that are as wide as the register, as they are. The remaining channels become a
    smaller vector, or moves (`imov` in old dumps).
    """
    progress, move = False, move_opcode(shader)
    for impl in shader.impls():
        builder = Builder(impl, impl.start_block)
        while plans := compatible_plans(impl):
            progress = True
            for plan in plans:
                _carry_out(builder, plan, move)
    return progress


def _carry_out(builder: Builder, plan: VectorPlan, move: str) -> None:
    if plan.store is None:
        assert isinstance(plan.target, Register)
        _coalesce_registers(builder.impl, plan, plan.target, move)
    else:
        assert isinstance(plan.target, Def)
        _coalesce_stores(builder, plan, plan.store, plan.target)


def _coalesce_registers(impl: FunctionImpl, plan: VectorPlan, target: Register, move: str) -> None:
    sources = {src.reg for src in plan.vec.sources if src.reg is not None and src.reg is not target}
    for in_place in plan.in_place:
        if isinstance(in_place.producer, AluInstr):
            _reswizzle(in_place.producer, in_place.places)
        if in_place.producer.reg_dest is not None:
            in_place.producer.reg_dest.clear()
        in_place.producer.reg_dest = RegDest(target, mask_of(in_place.channels), instr=in_place.producer)
    _write_what_is_left(plan, move)
    _remove_copies(plan.copies)
    for in_place in plan.in_place:
        in_place.producer.def_ = None
    for reg in sources:
        if not reg.uses and not reg.writes:
            impl.registers.remove(reg)


def _remove_copies(copies: Iterable[Instr]) -> None:
    for copy in copies:
        for src in copy.all_srcs():
            src.clear()
    for copy in copies:
        copy.remove()


def _write_what_is_left(plan: VectorPlan, move: str) -> None:
    """Shrink the vector to the remaining channels, as a `vecN` or a move; remove it if there are none."""
    vec = plan.vec
    kept = {id(src) for _, src in plan.left}
    for src in vec.sources:
        if id(src) not in kept:
            src.clear()
    if not plan.left:
        vec.remove()
        return
    assert vec.reg_dest is not None
    vec.reg_dest.write_mask = mask_of([channel for channel, _ in plan.left])
    first = plan.left[0][1]
    plain = not any(src.negate or src.abs or src.reg_indirect is not None for _, src in plan.left)
    if plain and all((src.def_, src.reg) == (first.def_, first.reg) for _, src in plan.left):
        swizzle = tuple(src.swizzle[0] for _, src in plan.left)
        for _, src in plan.left[1:]:
            src.clear()
        first.swizzle = swizzle
        vec.op, vec.sources = move, [first]
        return
    vec.op, vec.sources = f"vec{len(plan.left)}", [src for _, src in plan.left]
    assert vec.op in VECTORS


def _coalesce_stores(builder: Builder, plan: VectorPlan, store: IntrinsicInstr, target: Def) -> None:
    handles = {src.def_ for copy in plan.copies if isinstance(copy, IntrinsicInstr) for src in copy.sources}
    for in_place in plan.in_place:
        producer = in_place.producer
        if isinstance(producer, IntrinsicInstr):
            _store_elsewhere(builder, in_place, plan.width, store, target)
            continue
        assert isinstance(producer, AluInstr)
        _store_widened(builder.after_instr(producer), producer, in_place, plan.width, store, target)
    for constant in plan.constants:
        bits = constant_of(constant.value)
        assert bits is not None
        by_channel = {
            channel: bits[place] for channel, place in zip(constant.channels, constant.places, strict=True)
        }
        builder.at_end_of(constant.block)
        _store_constant(builder, by_channel, constant.value.bit_size, plan.width, store, target)
    groups: dict[Def, list[tuple[int, int]]] = {}
    builder.before_instr(store)
    direct = {channel for channel, _ in plan.direct}
    constants: dict[int, int] = {}
    whole: dict[Def, list[int]] = {}
    for channel, src in plan.left:
        bits = constant_of(src.def_)
        if channel not in direct:
            groups.setdefault(src.ssa, []).append((channel, src.swizzle[0]))
        elif bits is not None:
            constants[channel] = bits[src.swizzle[0]]
        else:
            whole.setdefault(src.ssa, []).append(channel)
    if constants:
        _store_constant(builder, constants, plan.left[0][1].bit_size, plan.width, store, target)
    for value, channels in whole.items():
        builder.intrinsic("store_reg", [value, target], _store_indices(store, channels))
    for value, pairs in groups.items():
        if not is_undef(value):
            swizzle = _spread(pairs, plan.width)
            moved = builder.alu("mov", [AluSrc(value, swizzle)], plan.width, value.bit_size)
            channels = [channel for channel, _ in pairs]
            builder.intrinsic("store_reg", [moved, target], _store_indices(store, channels))
    store.remove()
    plan.vec.remove()
    _remove_copies(plan.copies)
    for handle in handles:
        if handle is not None and handle.instr is not None and not handle.uses:
            handle.instr.remove()


def _store_elsewhere(
    builder: Builder, in_place: InPlace, width: int, store: IntrinsicInstr, target: Def
) -> None:
    """Replace a `store_reg` by one to channels of another register."""
    producer = in_place.producer
    assert isinstance(producer, IntrinsicInstr)
    value = producer.sources[0].ssa
    bits = constant_of(value)
    builder.before_instr(producer)
    if value.num_components == width and in_place.channels == in_place.places:
        builder.intrinsic("store_reg", [value, target], _store_indices(store, in_place.channels))
    elif bits is not None:
        by_channel = {
            channel: bits[place] for channel, place in zip(in_place.channels, in_place.places, strict=True)
        }
        _store_constant(builder, by_channel, value.bit_size, width, store, target)
    else:
        assert isinstance(value.instr, AluInstr)
        _store_widened(builder, value.instr, in_place, width, store, target)
    producer.remove()


def _store_widened(
    builder: Builder, maker: AluInstr, in_place: InPlace, width: int, store: IntrinsicInstr, target: Def
) -> None:
    """Compute each place of a value in its channel and store it; other channels are arbitrary."""
    made = maker.def_
    assert made is not None
    _reswizzle(maker, _spread(list(zip(in_place.channels, in_place.places, strict=True)), width))
    made.num_components = width
    builder.intrinsic("store_reg", [made, target], _store_indices(store, in_place.channels))


def _store_constant(
    builder: Builder,
    by_channel: Mapping[int, int],
    bit_size: int,
    width: int,
    store: IntrinsicInstr,
    target: Def,
) -> None:
    value = builder.load_const([by_channel.get(channel, 0) for channel in range(width)], bit_size)
    builder.intrinsic("store_reg", [value, target], _store_indices(store, by_channel))


def _store_indices(store: IntrinsicInstr, channels: Iterable[int]) -> dict[str, int]:
    """Return the indices of a `store_reg` to channels, in the printed order of another one."""
    values = {"base": 0, "write_mask": mask_of(channels), "legacy_fsat": 0}
    return {name: values[name] for name in sorted(values, key=list(store.indices).index)}


def _spread(pairs: Sequence[tuple[int, int]], width: int) -> tuple[int, ...]:
    wanted = dict(pairs)
    return tuple(wanted.get(channel, pairs[0][1]) for channel in range(width))


def _reswizzle(producer: AluInstr, places: Sequence[int]) -> None:
    entry = opcode(producer.op)
    sizes = () if entry is None else entry.input_sizes
    for src, size in zip(producer.sources, sizes, strict=True):
        if size == 0:
            src.swizzle = tuple(src.swizzle[place] for place in places)
