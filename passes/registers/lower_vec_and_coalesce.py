"""The pass `lower_vec_and_coalesce`: computation of vector operands directly in the target register.

Follows the pass of that name of 2015 and its review (Mesa: nir_lower_vec_to_movs, nir_lower_vec_to_regs).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nirls.ir.finding import Finding, FindingCode, Fix, Place, Severity
from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import AluInstr, IntrinsicInstr, UndefInstr, constant_of
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import AluSrc, Def, RegDest, Register
from nirls.ir.tables import opcode
from nirls.passes.booleans import move_opcode
from nirls.passes.cleanup.copies import VECTORS
from nirls.passes.declaration import Change, Pass, changes
from nirls.passes.registers.coalesce_plan import InPlace, VectorPlan, plan_vectors

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

    def find(self, shaders: Sequence[Shader]) -> Iterable[Finding]:
        for dump, shader in enumerate(shaders):
            for impl in shader.impls():
                for plan in plan_vectors(impl):
                    if plan.vec.span is not None:
                        yield self._finding(plan, Place.of(plan.vec.span, dump))

    def fix(self, shaders: Sequence[Shader], key: str) -> list[Change]:
        if key == self.name:
            return changes(shaders, self.run)
        return changes(shaders, lambda copies: [one for one in copies if self._coalesce_one(one, key)])

    def _coalesce_one(self, shader: Shader, key: str) -> bool:
        for impl in shader.impls():
            for plan in plan_vectors(impl):
                if plan.vec.span is not None and self._key(plan.vec.span.start) == key:
                    _carry_out(impl, plan, move_opcode(shader))
                    return True
        return False

    def _key(self, start: int) -> str:
        return f"{self.name}:{start}"

    def _finding(self, plan: VectorPlan, place: Place) -> Finding:
        op, saved = plan.vec.op, plan.channels_saved
        total = saved + len(plan.left) - len(plan.direct)
        noun = "move" if saved == 1 else "moves"
        return COALESCABLE_VECTOR.at(
            place,
            f"{saved} of {total} channels of this {op} can be computed in place: saves {saved} {noun}",
            fixes=[
                Fix(f"Compute the operands of this {op} in place", self._key(place.start), preferred=True),
                Fix(f"Run {self.name}", self.name, "pass"),
            ],
            data={"saved": saved, "channels": total},
        )


def lower_vec_and_coalesce(shader: Shader) -> bool:
    """Make the instructions that define the operands of a vector write the target register directly.

    Applies to registers of old dumps, and to `store_reg` of a vector. An operand is computed in place if the
    vector is its only user, the instruction is per channel and in the same block, and the target channel is
    neither read nor written in between. An intrinsic or texture instruction can write a whole register of an
    old dump. `store_reg` takes constants, and values of any block that are as wide as the register, as they
    are. The remaining channels become a smaller vector, or moves (`imov` in old dumps).
    """
    progress, move = False, move_opcode(shader)
    for impl in shader.impls():
        while plans := plan_vectors(impl):
            progress = True
            for plan in plans:
                _carry_out(impl, plan, move)
    return progress


def _carry_out(impl: FunctionImpl, plan: VectorPlan, move: str) -> None:
    builder = Builder(impl, impl.start_block)
    if plan.store is None:
        assert isinstance(plan.target, Register)
        _coalesce_registers(impl, plan, plan.target, move)
    else:
        assert isinstance(plan.target, Def)
        _coalesce_stores(builder, plan, plan.store, plan.target)


def _coalesce_registers(impl: FunctionImpl, plan: VectorPlan, target: Register, move: str) -> None:
    sources = {src.reg for src in plan.vec.sources if src.reg is not None and src.reg is not target}
    for one in plan.in_place:
        if isinstance(one.producer, AluInstr):
            _reswizzle(one.producer, one.places)
        if one.producer.reg_dest is not None:
            one.producer.reg_dest.clear()
        one.producer.def_ = None
        one.producer.reg_dest = RegDest(target, _mask(one.channels), instr=one.producer)
    _write_what_is_left(plan, move)
    for reg in sources:
        if not reg.uses and not reg.writes:
            impl.registers.remove(reg)


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
    vec.reg_dest.write_mask = _mask([channel for channel, _ in plan.left])
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
    for one in plan.in_place:
        producer, made = one.producer, one.producer.def_
        block = producer.block
        assert made is not None
        assert block is not None
        assert isinstance(producer, AluInstr)
        _widen(one, plan.width)
        made.num_components = plan.width
        builder.block, builder.before = block, producer.next
        builder.intrinsic("store_reg", [made, target], _store_indices(store, one.channels))
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
        size = plan.left[0][1].bit_size
        bits_of_all = [constants.get(channel, 0) for channel in range(plan.width)]
        stored = builder.load_const(bits_of_all, size)
        builder.intrinsic("store_reg", [stored, target], _store_indices(store, constants))
    for value, channels in whole.items():
        builder.intrinsic("store_reg", [value, target], _store_indices(store, channels))
    for value, pairs in groups.items():
        if not isinstance(value.instr, UndefInstr):
            swizzle = _spread(pairs, plan.width)
            moved = builder.alu("mov", [AluSrc(value, swizzle)], plan.width, value.bit_size)
            channels = [channel for channel, _ in pairs]
            builder.intrinsic("store_reg", [moved, target], _store_indices(store, channels))
    store.remove()
    plan.vec.remove()


def _store_indices(store: IntrinsicInstr, channels: Iterable[int]) -> dict[str, int]:
    return {"base": 0, "write_mask": _mask(channels), "legacy_fsat": 0}


def _widen(one: InPlace, width: int) -> None:
    """Reswizzle the producer so that each place is computed in its channel; other channels are arbitrary."""
    assert isinstance(one.producer, AluInstr)
    places = _spread(list(zip(one.channels, one.places, strict=True)), width)
    _reswizzle(one.producer, places)


def _spread(pairs: Sequence[tuple[int, int]], width: int) -> tuple[int, ...]:
    wanted = dict(pairs)
    return tuple(wanted.get(channel, pairs[0][1]) for channel in range(width))


def _reswizzle(producer: AluInstr, places: Sequence[int]) -> None:
    entry = opcode(producer.op)
    sizes = () if entry is None else entry.input_sizes
    for src, size in zip(producer.sources, sizes, strict=True):
        if size == 0:
            src.swizzle = tuple(src.swizzle[place] for place in places)


def _mask(channels: Iterable[int]) -> int:
    mask = 0
    for channel in channels:
        mask |= 1 << channel
    return mask
