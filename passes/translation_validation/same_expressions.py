"""Proof that two snapshots compute the same, by value numbering instead of runs.

Copies, unused code, repeated expressions, constant folding and the split of vectors into scalars do not
matter. Everything with an effect must occur in the same order, in the same control flow, with the same
operands. A loop phi is numbered by partition refinement (Alpern, Wegman, Zadeck: Detecting equality of
variables in programs).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from itertools import chain

import numpy as np

from nirls.ir.effects import can_eliminate, can_reorder, effects_of
from nirls.ir.evaluate.alu import UnsupportedOpcode, evaluate_alu
from nirls.ir.evaluate.alu_operation import container_type
from nirls.ir.model.control_flow import Block, CfNode, FunctionImpl, If
from nirls.ir.model.instructions import (
    AluInstr,
    CallInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    JumpInstr,
    LoadConstInstr,
    ParallelCopyInstr,
    PhiInstr,
    TexInstr,
    UndefInstr,
)
from nirls.ir.model.io_semantics import IoSemantics, XfbOutputs
from nirls.ir.model.math_control import EXACT_WORDS
from nirls.ir.model.shader import Shader, Variable
from nirls.ir.model.values import AluSrc, Def, Src
from nirls.ir.tables import opcode

_GATHERED = (
    *("flrp_lowered", "io_lowered", "inputs", "outputs", "uniforms", "name", "label", "internal"),
    *("inputs_", "outputs_", "patch_", "per_primitive_", "system_values_", "bit_sizes_", "num_", "textures_"),
    *(
        "images_",
        "samplers_",
        "known_interpolation",
        "needs_",
        "uses_",
        "writes_memory",
        "source_",
        "divergence",
    ),
    *("perspective_varyings", "linear_varyings", "tcs_cross_", "tcs_same_", "io_", "scratch"),
)
"""Starts of header fields that describe the code, and are gathered from it."""

_LIKE_COPIES = ("mov", "vec")
_PRIVATE = frozenset(("function_temp", "shader_temp"))
_OF_WHOLE_SLOTS = frozenset(("base", "component", "range", "write_mask"))
_MOST_ROUNDS = 16


class _UnknownError(Exception):
    """Code that value numbering does not cover: registers, gotos, undefined names."""


def same_expressions(before: Shader, after: Shader) -> bool:
    """Return whether both shaders have the same effects on the same values; False if that is not certain."""
    if before.stage is not after.stage or _surroundings(before) != _surroundings(after):
        return False
    bodies = list(before.impls()), list(after.impls())
    if [impl.function.name for impl in bodies[0]] != [impl.function.name for impl in bodies[1]]:
        return False
    if any(shader.has_unstructured_control_flow for shader in (before, after)):
        return False
    try:
        return all(_same_bodies((before, after), one, other) for one, other in zip(*bodies, strict=True))
    except _UnknownError:
        return False


def _surroundings(shader: Shader) -> Hashable:
    """Everything outside of the bodies that affects results."""
    header = frozenset((item.key, item.value) for item in shader.header if not item.key.startswith(_GATHERED))
    interface = frozenset(
        _declared(variable) for variable in shader.variables if variable.mode in ("shader_in", "shader_out")
    )
    functions = tuple((one.name, one.params, one.is_entrypoint) for one in shader.functions)
    return header, interface, functions


def _declared(variable: Variable) -> Hashable:
    mode = "temporary" if variable.mode in _PRIVATE else variable.mode
    return (
        *(variable.name, mode, variable.type_name, variable.interpolation, variable.precision),
        *(variable.qualifiers, variable.access, variable.image_format, variable.location),
        *(variable.driver_location, variable.data, variable.trailing, variable.initializer),
    )


def _same_bodies(shaders: tuple[Shader, Shader], before: FunctionImpl, after: FunctionImpl) -> bool:
    numbers = _Numbers()
    sides = _Body(shaders[0], before, numbers), _Body(shaders[1], after, numbers)
    classes = 0
    for _ in range(_MOST_ROUNDS):
        traces = [side.trace() for side in sides]
        if traces[0] != traces[1]:
            return False
        known, classes = classes, len(set().union(*(side.loop_phis.values() for side in sides)))
        if classes == known or not any(side.loop_phis for side in sides):
            return True
    return False


class _Numbers:
    """Value numbers by their computation."""

    def __init__(self) -> None:
        self._of: dict[Hashable, int] = {}
        self._constants: dict[int, tuple[int, int]] = {}

    def of(self, computation: Hashable) -> int:
        """Return the number of a value."""
        return self._of.setdefault(computation, len(self._of))

    def of_constant(self, bit_size: int, bits: int) -> int:
        """Return the number of a constant."""
        number = self.of(("const", bit_size, bits))
        self._constants[number] = bit_size, bits
        return number

    def folded(self, op: str, bit_size: int, reads: Sequence[int]) -> int | None:
        """Return the number of a scalar operation on constants; None if it cannot be evaluated."""
        constants = [self._constants.get(number) for number in reads]
        known = [constant for constant in constants if constant is not None]
        if not known or len(known) < len(reads):
            return None
        try:
            result = evaluate_alu(
                op,
                [np.array([[bits]], dtype=container_type(size)) for size, bits in known],
                dest_components=1,
                dest_bit_size=bit_size,
                source_bit_sizes=[size for size, _ in known],
            )
        except (UnsupportedOpcode, ValueError, KeyError, OverflowError):
            return None
        return self.of_constant(bit_size, int(result[0][0]))


class _Body:
    """Value numbers of one function body; equal numbers of both bodies are equal values."""

    def __init__(self, shader: Shader, impl: FunctionImpl, numbers: _Numbers) -> None:
        self._numbers = numbers
        self._places: dict[Block, int] = {}
        self._of: dict[Def, tuple[int, ...]] = {}
        self._trace: list[Hashable] = []
        self._nodes = list(_walked(impl))
        names = Counter(variable.name for variable in (*shader.variables, *impl.locals))
        self._ambiguous = {name for name, times in names.items() if times > 1}
        self.loop_phis: dict[tuple[PhiInstr, int], int] = {}
        for node in self._nodes:
            if isinstance(node, Block):
                self._places[node] = len(self._places)

    def trace(self) -> list[Hashable]:
        """Number all values, and return the control flow and effects in order.

        Each call refines the numbers of loop phis by those of their sources in the previous one.
        """
        earlier, self._of, self._trace = self._of, {}, []
        for node in self._nodes:
            if isinstance(node, If):
                self._trace.append(("if", self._read(node.condition)))
            elif isinstance(node, Block):
                self._trace.append("block")
                for instr in node:
                    self._visit(instr, earlier)
            else:
                self._trace.append(node)
        return self._trace

    def _read(self, src: Src) -> tuple[int, ...]:
        if src.def_ is None or src.def_ not in self._of:
            raise _UnknownError
        return self._of[src.def_]

    def _visit(self, instr: Instr, earlier: dict[Def, tuple[int, ...]]) -> None:
        if instr.reg_dest is not None or isinstance(instr, ParallelCopyInstr):
            raise _UnknownError
        if instr.def_ is not None and can_eliminate(instr):
            self._of[instr.def_] = self._values(instr, instr.def_, earlier)
            return
        if instr.def_ is None and isinstance(instr, IntrinsicInstr) and _accesses_slot(instr):
            mask = instr.write_mask
            stored = self._read(instr.sources[0])
            lanes = [lane for lane in range(len(stored)) if mask >> lane & 1]
            self._trace += zip(
                self._scalar_accesses(instr, lanes), (stored[lane] for lane in lanes), strict=True
            )
            return
        what = self._effect(instr)
        if instr.def_ is not None:
            at = len(self._trace)
            self._of[instr.def_] = self._each(instr.def_, ("result", at))
        self._trace.append(what)

    def _each(self, value: Def, key: Hashable) -> tuple[int, ...]:
        return tuple(self._numbers.of((key, value.bit_size, lane)) for lane in range(value.num_components))

    def _values(self, instr: Instr, value: Def, earlier: dict[Def, tuple[int, ...]]) -> tuple[int, ...]:
        match instr:
            case AluInstr():
                return self._alu(instr, value)
            case LoadConstInstr():
                return tuple(self._numbers.of_constant(value.bit_size, bits) for bits in instr.values)
            case UndefInstr():
                return (self._numbers.of(("undefined", value.bit_size)),) * value.num_components
            case PhiInstr():
                return tuple(self._phi(instr, value, lane, earlier) for lane in range(value.num_components))
            case DerefInstr():
                return self._each(value, self._deref(instr))
            case TexInstr():
                return self._each(value, (self._operation(instr), self._when(instr)))
            case IntrinsicInstr():
                when = self._when(instr)
                if _accesses_slot(instr):
                    return tuple(
                        self._numbers.of((what, value.bit_size, when))
                        for what in self._scalar_accesses(instr, range(value.num_components))
                    )
                return self._each(value, (self._operation(instr), when))
        raise _UnknownError

    def _when(self, instr: Instr) -> int:
        """Position in the trace, if the value depends on memory or on other invocations; else -1."""
        is_placed = bool(effects_of(instr).exchange)
        if isinstance(instr, IntrinsicInstr):
            is_placed = is_placed or not can_reorder(instr)
        return len(self._trace) if is_placed else -1

    def _alu(self, instr: AluInstr, value: Def) -> tuple[int, ...]:
        entry = opcode(instr.op)
        if entry is None or len(entry.input_sizes) != len(instr.sources):
            raise _UnknownError
        sources = [
            self._swizzled(src, size or value.num_components)
            for src, size in zip(instr.sources, entry.input_sizes, strict=True)
        ]
        if instr.op.startswith(_LIKE_COPIES) and not instr.flags:
            lanes = sources[0] if instr.op == "mov" else [lane for source in sources for lane in source]
            return tuple(lanes)
        what = (instr.op, instr.flags, value.bit_size, self._when(instr))
        if entry.output_size or any(entry.input_sizes):
            key = (what, tuple(map(tuple, sources)))
            return tuple(self._numbers.of((key, lane)) for lane in range(value.num_components))
        found = []
        for lane in range(value.num_components):
            reads = [source[lane] for source in sources]
            if entry.is_commutative:
                reads[:2] = sorted(reads[:2])
            folded = (
                None if instr.flags - EXACT_WORDS else self._numbers.folded(instr.op, value.bit_size, reads)
            )
            found.append(self._numbers.of((what, *reads)) if folded is None else folded)
        return tuple(found)

    def _swizzled(self, src: AluSrc, size: int) -> list[int]:
        lanes = self._read(src)
        if any(channel >= len(lanes) for channel in src.swizzle[:size]):
            raise _UnknownError
        found = [lanes[channel] for channel in src.swizzle[:size]]
        if src.negate or src.abs:
            return [self._numbers.of(("modified", src.negate, src.abs, lane)) for lane in found]
        return found

    def _phi(self, phi: PhiInstr, value: Def, lane: int, earlier: dict[Def, tuple[int, ...]]) -> int:
        place = None if phi.block is None else self._places.get(phi.block)
        if place is None or any(src.def_ is None for src in phi.sources):
            raise _UnknownError
        preds = [self._places.get(src.pred, -1) for src in phi.sources]
        if -1 in preds:
            raise _UnknownError
        if max(preds) < place:
            arriving = sorted(
                (pred, self._read(src)[lane]) for pred, src in zip(preds, phi.sources, strict=True)
            )
            if len({number for _, number in arriving}) == 1:
                return arriving[0][1]
            return self._numbers.of(("phi", place, tuple(arriving)))
        sources = []
        for pred, src in zip(preds, phi.sources, strict=True):
            known = self._read(src) if pred < place else None if src.def_ is None else earlier.get(src.def_)
            sources.append((pred, -1 if known is None else known[lane]))
        previous = self.loop_phis.get((phi, lane), -1)
        number = self._numbers.of(("loop phi", place, value.bit_size, previous, tuple(sorted(sources))))
        self.loop_phis[phi, lane] = number
        return number

    def _deref(self, deref: DerefInstr) -> Hashable:
        mode = "temporary" if deref.mode in _PRIVATE else deref.mode
        kind = (deref.deref_kind, mode, deref.type_name, deref.field, deref.cast_info)
        parent = None if deref.parent is None else self._read(deref.parent)
        constant = deref.constant_index
        if constant is not None or deref.index is None:
            index: Hashable = constant
        else:
            index = ("at", self._read(deref.index))
        variable: Hashable = deref.var_name
        if deref.var is not None:
            variable = _declared(deref.var)
        if deref.deref_kind == "var" and (deref.var is None or deref.var.name in self._ambiguous):
            raise _UnknownError
        return ("deref", kind, variable, parent, index)

    def _operation(self, instr: IntrinsicInstr | TexInstr) -> Hashable:
        if isinstance(instr, TexInstr):
            reads = frozenset((src.kind, self._read(src)) for src in instr.sources)
            numbers = (instr.texture_index, instr.sampler_index, instr.component, instr.offsets)
            return (instr.op, instr.dest_type, numbers, instr.flags, reads)
        sources = [self._read(src) for src in instr.sources]
        mask = instr.indices.get("write_mask")
        if isinstance(mask, int) and instr.name.startswith("store_"):
            stored = 1 if instr.name == "store_deref" else 0
            sources[stored] = tuple(
                number if mask >> lane & 1 else -1 for lane, number in enumerate(sources[stored])
            )
        return (instr.name, tuple(sorted(instr.indices.items())), tuple(sources))

    def _scalar_accesses(self, instr: IntrinsicInstr, lanes: Sequence[int]) -> list[Hashable]:
        """Keys of an access of lowered I/O for each component; stored values are not part of them."""
        indices = tuple(
            sorted((key, index) for key, index in instr.indices.items() if key not in _OF_WHOLE_SLOTS)
        )
        skipped = 1 if instr.name.startswith("store_") else 0
        sources = tuple(map(self._read, instr.sources[skipped:]))
        first = instr.int_index("component")
        return [(instr.name, indices, sources, first + lane) for lane in lanes]

    def _effect(self, instr: Instr) -> Hashable:
        match instr:
            case IntrinsicInstr() | TexInstr():
                return self._operation(instr)
            case JumpInstr() if not instr.targets and not instr.sources:
                return ("jump", instr.jump_kind)
            case CallInstr() if not instr.is_indirect:
                return ("call", instr.op, instr.callee_name, tuple(map(self._read, instr.sources)))
        raise _UnknownError


def _accesses_slot(instr: IntrinsicInstr) -> bool:
    """Whether a load or store of lowered I/O may be split into scalars: its slot is known, without XFB."""
    is_access = instr.name.startswith(("load_", "store_")) and "component" in instr.indices
    feedback = instr.indices.get("io_xfb"), instr.indices.get("io_xfb2")
    has_feedback = any(isinstance(one, XfbOutputs) and any(one.outputs) for one in feedback)
    return is_access and isinstance(instr.indices.get("io_semantics"), IoSemantics) and not has_feedback


def _walked(impl: FunctionImpl) -> Iterator[If | Block | str]:
    """Yield ifs and blocks in printed order, and words for the other parts of the control flow."""
    stack: list[Iterator[CfNode | str]] = [iter(impl.body)]
    while stack:
        node = next(stack[-1], None)
        if node is None:
            stack.pop()
        elif isinstance(node, Block | str):
            yield node
        elif isinstance(node, If):
            yield node
            stack.append(chain(node.then_body, ("else",), node.else_body, ("end if",)))
        else:
            yield "loop"
            stack.append(chain(node.body, ("continue",), node.continue_body, ("end loop",)))
