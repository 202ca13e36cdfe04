"""Search for uniforms that determine control flow and selections (Mesa: nir_find_inlinable_uniforms).

In addition to the if conditions and loop terminators that Mesa considers, conditions of selections between
loads count, which zink's lowering of dynamic buffer indices creates.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from nirls.ir.model.control_flow import Block, FunctionImpl, If, Loop
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr, LoadConstInstr, PhiInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import AluSrc, Def
from nirls.ir.tables import opcode
from nirls.ir.tables.families import BOOLEAN_SELECTIONS, MOVES, VECTORS, is_comparison
from nirls.passes.loops.trip_count import break_of
from nirls.passes.uniforms.places import MOST_BYTES, UNIFORM_LOADS, UniformLoad, UniformWord, uniform_load

BRANCH, LOOP, SELECT = "an if", "a loop", "a selection"
EVERY_BUFFER = "all"
DEFAULT_BUFFER = "default"
"""The buffer of uniforms without a block: UBO 0, or UBO 1 if the driver shifts the numbers (ANV, zink)."""

Uniform = tuple[UniformWord, ...]
"""The words of a uniform, lowest first; one, but for those of 64 bits."""
SELECTIONS = BOOLEAN_SELECTIONS | {"fcsel", "fcsel_ge", "fcsel_gt"}

_STEPS = frozenset(("iadd", "fadd", "imul", "fmul", "ishl", "ishr", "ushr"))

Scalar = tuple[Def, int]


@dataclass(frozen=True, slots=True)
class Decision:
    """An if, loop or selection determined by uniforms only: its `kind`, location and uniform words."""

    kind: str
    at: Instr | If
    places: tuple[UniformWord, ...]


@dataclass(slots=True)
class Deciding:
    """The uniforms worth inlining in a shader, with their decisions and loads in printed order."""

    decisions: list[Decision]
    loads: dict[UniformWord, list[IntrinsicInstr]]

    @property
    def places(self) -> list[UniformWord]:
        return list(self.loads)

    @property
    def uniforms(self) -> list[Uniform]:
        """The words, those that are parts of one loaded value together."""
        found: dict[Uniform, None] = {}
        for place, instrs in self.loads.items():
            parts = (words for instr in instrs for words in _components(instr) if place in words)
            found[max(parts, key=len, default=(place,))] = None
        return list(found)

    def decided_by(self, place: UniformWord) -> list[Decision]:
        return [decision for decision in self.decisions if place in decision.places]

    def needed_with(self, place: UniformWord) -> tuple[UniformWord, ...]:
        """Return the words of the smallest decision with a given word, to be inlined together."""
        return min((decision.places for decision in self.decided_by(place)), key=len, default=(place,))


def uniform_loads(shader: Shader) -> Iterator[UniformLoad]:
    """Yield all loads of uniforms at constant locations."""
    for instr in shader.instrs():
        load = uniform_load(instr)
        if load is not None:
            yield load


def loads_into_registers(shader: Shader) -> bool:
    """Whether a uniform load has a register as result or operand; such loads are not analyzed."""
    return any(
        isinstance(instr, IntrinsicInstr)
        and instr.name in UNIFORM_LOADS
        and (instr.reg_dest is not None or any(src.reg is not None for src in instr.sources))
        for instr in shader.instrs()
    )


def find_deciding(shader: Shader, buffers: Collection[str], limit: int) -> Deciding:
    """Find the uniforms worth inlining, first those of ifs and loops, then those of selections.

    `buffers` are the names of the buffers to consider. A decision is skipped if it would raise the number of
    words above `limit`.
    """
    loads_of_shader = list(uniform_loads(shader))
    if DEFAULT_BUFFER in buffers:
        has_first = any(load.buffer == "0" for load in loads_of_shader)
        buffers = {*buffers, "0" if has_first else "1"}
    search = _Search(buffers, limit)
    for impl in shader.impls():
        search.control_flow(impl)
    for impl in shader.impls():
        search.selections(impl)
    loads: dict[UniformWord, list[IntrinsicInstr]] = {place: [] for place in search.places}
    for load in loads_of_shader:
        read = {place for part in range(load.value.num_components) for place in load.words(part)}
        for place in read & loads.keys():
            loads[place].append(load.instr)
    return Deciding(search.decisions, loads)


def _components(instr: IntrinsicInstr) -> Iterator[Uniform]:
    load = uniform_load(instr)
    if load is not None:
        yield from (load.words(part) for part in range(load.value.num_components))


class _Search:
    def __init__(self, buffers: Collection[str], limit: int) -> None:
        self.buffers = buffers
        self.limit = limit
        self.places: dict[UniformWord, None] = {}
        self.decisions: list[Decision] = []
        self.known: dict[Scalar, tuple[UniformWord, ...] | None] = {}
        self.between_loads: dict[Def, bool] = {}

    def control_flow(self, impl: FunctionImpl) -> None:
        loop_of: dict[If, Loop] = {}
        for node in impl.cf_nodes():
            if isinstance(node, Loop):
                loop_of.update((child, node) for child in node.body if isinstance(child, If))
            elif isinstance(node, If) and node.condition.def_ is not None:
                loop = loop_of.get(node)
                ends = loop is not None and any(break_of(body) is not None for body in node.bodies())
                uniform_words = (
                    self.loop_end(node.condition.def_, loop) if ends and loop is not None else None
                )
                self.decide(
                    LOOP if ends else BRANCH, node, uniform_words or self.words((node.condition.def_, 0))
                )

    def selections(self, impl: FunctionImpl) -> None:
        for instr in impl.instrs():
            if not isinstance(instr, AluInstr) or instr.op not in SELECTIONS or not self.selects_loads(instr):
                continue
            condition = instr.sources[0]
            if condition.def_ is None:
                continue
            places: dict[UniformWord, None] = {}
            for component in set(condition.swizzle):
                uniform_words = self.words((condition.def_, component))
                if uniform_words is None:
                    break
                places.update(dict.fromkeys(uniform_words))
            else:
                self.decide(SELECT, instr, tuple(places))

    def selects_loads(self, select: AluInstr) -> bool:
        """Whether an operand of a selection is a load, directly or through other selections."""
        if select.def_ is not None and select.def_ in self.between_loads:
            return self.between_loads[select.def_]
        result = False
        for src in select.sources[1:]:
            maker = src.def_instr
            if isinstance(maker, IntrinsicInstr) and maker.name.startswith("load_"):
                result = True
            elif isinstance(maker, AluInstr) and maker.op in SELECTIONS and maker.def_ is not None:
                # Printed order: its operands were visited before, except in malformed dumps.
                result |= self.between_loads.get(maker.def_, False)
        if select.def_ is not None:
            self.between_loads[select.def_] = result
        return result

    def decide(self, kind: str, at: Instr | If, places: tuple[UniformWord, ...] | None) -> None:
        if not places:
            return
        if any(EVERY_BUFFER not in self.buffers and place.buffer not in self.buffers for place in places):
            return
        if len(self.places.keys() | set(places)) > self.limit:
            return
        self.places.update(dict.fromkeys(places))
        self.decisions.append(Decision(kind, at, places))

    def loop_end(self, condition: Def, loop: Loop) -> tuple[UniformWord, ...] | None:
        """Return the words of a comparison of an induction variable; None if it is not one."""
        comparison = condition.instr
        if isinstance(comparison, AluInstr) and comparison.op == "inot":
            comparison = comparison.sources[0].def_instr
        if not isinstance(comparison, AluInstr) or not is_comparison(comparison.op):
            return None
        if len(comparison.sources) != 2:
            return None
        src, other = comparison.sources
        for counter, bound in ((src, other), (other, src)):
            if counter.def_ is None or bound.def_ is None:
                continue
            steps = self.induction((counter.def_, counter.swizzle[0]), loop)
            limit = self.words((bound.def_, bound.swizzle[0]))
            if steps is not None and limit is not None:
                return tuple(dict.fromkeys((*steps, *limit)))
        return None

    def induction(self, scalar: Scalar, loop: Loop) -> tuple[UniformWord, ...] | None:
        """Return the words of the start and step of an induction variable; None if it is not one.

        An induction variable is a phi in the loop header, or the phi plus its step.
        """
        value, component = scalar
        header = loop.body[0] if loop.body and isinstance(loop.body[0], Block) else None
        phi = _phi_in(value, header)
        if phi is None and isinstance(value.instr, AluInstr) and value.instr.op in _STEPS:
            phi = next((found for src in value.instr.sources if (found := _phi_in(src.def_, header))), None)
        if phi is None or len(phi.sources) != 2 or phi.def_ is None:
            return None
        for start, update in ((phi.sources[0], phi.sources[1]), (phi.sources[1], phi.sources[0])):
            step = None if update.def_ is None else _step_of(update.def_, phi.def_, component)
            if start.def_ is None or step is None or step.def_ is None:
                continue
            places = self.words((start.def_, component)), self.words((step.def_, step.swizzle[component]))
            if places[0] is not None and places[1] is not None:
                return tuple(dict.fromkeys((*places[0], *places[1])))
        return None

    def words(self, scalar: Scalar) -> tuple[UniformWord, ...] | None:
        """Return the words that determine a component; None if it has other inputs or too many words."""

        work: list[tuple[Scalar, list[Scalar] | None]] = [(scalar, None)]
        while work:
            current, operands = work.pop()
            if operands is not None:
                self.known[current] = self.union(operands)
                continue
            if current in self.known:
                continue
            self.known[current] = None  # ends the recursion on cycles in malformed dumps
            made_of = _operands(current)
            if isinstance(made_of, tuple):
                self.known[current] = made_of
            elif made_of is not None:
                work.append((current, made_of))
                work += [(operand, None) for operand in made_of]
        return self.known[scalar]

    def union(self, operands: list[Scalar]) -> tuple[UniformWord, ...] | None:
        found: dict[UniformWord, None] = {}
        for operand in operands:
            places = self.known[operand]
            if places is None:
                return None
            found.update(dict.fromkeys(places))
        return tuple(found) if len(found) <= self.limit else None


def _operands(scalar: Scalar) -> list[Scalar] | tuple[UniformWord, ...] | None:
    """Return the operands of a computed component, or the words of a loaded one; None for others."""
    value, component = scalar
    maker = value.instr
    if isinstance(maker, LoadConstInstr):
        return ()
    if isinstance(maker, IntrinsicInstr):
        load = uniform_load(maker)
        if load is None or component >= value.num_components:
            return None
        words = load.words(component)
        return words if words[-1].offset <= MOST_BYTES else None
    if not isinstance(maker, AluInstr) or any(src.def_ is None for src in maker.sources):
        return None
    if maker.op in VECTORS:
        part = maker.sources[component] if component < len(maker.sources) else None
        return None if part is None else [(part.ssa, part.swizzle[0])]
    if maker.op in MOVES:
        return _read_by(maker.sources[0], component, 0)
    entry = opcode(maker.op)
    if entry is None or len(entry.input_sizes) != len(maker.sources):
        return None
    read: list[Scalar] = []
    for src, size in zip(maker.sources, entry.input_sizes, strict=True):
        part_read = _read_by(src, component, size)
        if part_read is None:
            return None
        read += part_read
    return read


def _read_by(src: AluSrc, component: int, size: int) -> list[Scalar] | None:
    if src.def_ is None:
        return None
    if size:
        return [(src.def_, place) for place in src.swizzle]
    return [(src.def_, src.swizzle[component])] if component < len(src.swizzle) else None


def _phi_in(value: Def | None, header: Block | None) -> PhiInstr | None:
    maker = None if value is None else value.instr
    return maker if isinstance(maker, PhiInstr) and maker.block is header and header is not None else None


def _step_of(update: Def, counter: Def, component: int) -> AluSrc | None:
    """Return the step of an induction variable, given its value `update` for the next iteration."""
    maker = update.instr
    if not isinstance(maker, AluInstr) or maker.op not in _STEPS or len(maker.sources) != 2:
        return None
    src, other = maker.sources
    for previous, step in ((src, other), (other, src)):
        in_place = component < len(previous.swizzle) and previous.swizzle[component] == component
        if previous.def_ is counter and in_place and component < len(step.swizzle):
            return step
    return None
