"""The accesses of memory that several invocations share, and which of them may meet in one place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nirls.ir.model.access import CAN_REORDER, COHERENT, VOLATILE
from nirls.ir.model.control_flow import If, Loop
from nirls.ir.model.instructions import (
    AluInstr,
    CallInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    LoadConstInstr,
    TexInstr,
)
from nirls.ir.model.shader import Variable
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def, Src
from nirls.passes.barriers.effects import ALL_CLASSES, GROUP_CLASSES, barrier_effect, memory_class
from nirls.passes.dead_code import may_be_removed

_OWN_NUMBER = frozenset(("load_invocation_id", "load_local_invocation_index"))
_DEREF_STORES = frozenset(("store_deref", "copy_deref", "memcpy_deref"))
_DEEPEST = 64
"""How many ifs and loops around an instruction are looked at."""

_QUERIES = frozenset(
    ("txs", "lod", "query_levels", "texture_samples", "descriptor_amd", "sampler_descriptor_amd")
)
_OUTPUT_STAGES = frozenset((Stage.TESS_CTRL, Stage.MESH, Stage.TASK))
_NO_MEMORY = (
    "store_reg",
    "store_scratch",
    "store_var",
    "copy_var",
    "emit_vertex",
    "end_primitive",
    "set_vertex",
    "set_mesh",
    "decl_reg",
    "nop",
    "load_scratch",
    "load_reg",
    "discard",
    "demote",
    "terminate",
    "begin_invocation_interlock",
    "end_invocation_interlock",
)

Where = tuple[object, int, int]
"""A range of a place: what it is in (a variable, a kind of memory), its first unit, and the one behind it."""


@dataclass(frozen=True, slots=True, eq=False)
class SharedAccess:
    """An access of memory that other invocations may access too.

    `classes` are the classes of memory that it may touch. `places` are the ranges, None for any place of its
    classes. `vertex` is the vertex of a per-vertex output: a number, "own" for the invocation's own, None if
    it may be any. `only` is the number of the one invocation that gets there, None if several may.
    `synchronizes` is set for what other invocations may wait for without a barrier: atomics, coherent and
    volatile accesses, and whatever is not known.
    """

    instr: Instr
    classes: frozenset[str]
    reads: bool
    writes: bool
    places: tuple[Where, ...] | None = None
    vertex: int | str | None = None
    only: int | None = None
    synchronizes: bool = False

    def may_meet(self, other: SharedAccess) -> bool:
        """Whether the two, by different invocations, may touch one place, and one of them writes it."""
        if not (self.writes or other.writes) or not self.classes & other.classes:
            return False
        if self.only is not None and self.only == other.only:
            return False
        if self.vertex is not None and other.vertex is not None:
            if self._own_vertex and other._own_vertex:
                return False
            if isinstance(self.vertex, int) and isinstance(other.vertex, int) and self.vertex != other.vertex:
                return False
        if self.places is None or other.places is None:
            return True
        return any(_overlap(one, two) for one in self.places for two in other.places)

    @property
    def _own_vertex(self) -> bool:
        return self.vertex == "own" or (self.only is not None and self.vertex == self.only)


def shared_access(instr: Instr, stage: Stage | None) -> SharedAccess | None:
    """The access of an instruction; None for one that touches nothing that others do, and for a barrier."""
    if isinstance(instr, CallInstr):
        return SharedAccess(instr, ALL_CLASSES, True, True, synchronizes=True)
    if isinstance(instr, TexInstr):
        if instr.op in _QUERIES:
            return None
        return SharedAccess(instr, frozenset(("image",)), True, False)
    if not isinstance(instr, IntrinsicInstr) or instr.name.startswith(_NO_MEMORY):
        return None
    if barrier_effect(instr) is not None or instr.int_index("access") & CAN_REORDER:
        return None
    name = instr.name
    if (
        "deref" in name
        and instr.sources
        and name.startswith(("load_", "store_", "copy_", "memcpy_", "deref_"))
    ):
        return _of_deref(instr, stage)
    if ("_output" in name and instr.io_semantics is not None) or name in ("load_output", "store_output"):
        return _of_output(instr, stage) if stage in _OUTPUT_STAGES else None
    memory = _memory_of(name)
    if memory is not None:
        return _of_memory(instr, memory)
    if may_be_removed(instr):
        return None
    return SharedAccess(instr, ALL_CLASSES, True, True, synchronizes=True)


def _memory_of(name: str) -> str | None:
    if "_shared" in name or name.startswith("shared_"):
        return "shared"
    if "task_payload" in name:
        return "task_payload"
    if "image" in name:
        return None if name.endswith(("_size", "_samples", "_levels", "_format", "_order")) else "image"
    if "ssbo" in name or "global" in name or name.startswith("atomic_counter"):
        return None if "get_ssbo_size" in name or "global_invocation" in name else "buffer"
    return None


def _of_memory(instr: IntrinsicInstr, memory: str) -> SharedAccess:
    name = instr.name
    atomic = "atomic" in name and not name.startswith("atomic_counter_read")
    stores = "store" in name or atomic
    places = _constant_range(instr, stores) if memory == "shared" and not atomic else None
    return SharedAccess(
        instr,
        frozenset((memory,)),
        not stores or atomic,
        stores,
        places,
        only=only_invocation(instr),
        synchronizes=atomic or _is_watched(instr),
    )


def _is_watched(instr: IntrinsicInstr) -> bool:
    return bool(instr.int_index("access") & (VOLATILE | COHERENT))


def _constant_range(instr: IntrinsicInstr, stores: bool) -> tuple[Where, ...] | None:
    """The bytes of an access of shared memory at a constant offset."""
    value = instr.sources[0].def_ if stores and instr.sources else instr.def_
    offset = _constant(instr.sources[-1]) if instr.sources else None
    if value is None or offset is None:
        return None
    start = instr.int_index("base") + offset
    return (("shared", start, start + value.num_components * max(value.bit_size // 8, 1)),)


def _of_deref(instr: IntrinsicInstr, stage: Stage | None) -> SharedAccess | None:
    derefs = [_deref(src) for src in instr.sources[: 2 if instr.name.startswith(("copy_", "memcpy_")) else 1]]
    classes: set[str] = set()
    for deref in derefs:
        modes = deref.mode.split("|") if deref is not None and deref.mode else list(ALL_CLASSES)
        classes |= {found for mode in modes if (found := memory_class(mode)) is not None}
    if stage not in _OUTPUT_STAGES:
        classes.discard("shader_out")
    if not classes:
        return None
    atomic = "atomic" in instr.name
    variables = [_variable(deref) for deref in derefs]
    # Two buffers or images may be one; variables of a group are not.
    known = classes <= GROUP_CLASSES and all(variable is not None for variable in variables)
    vertex = _vertex_of_deref(derefs[0]) if len(derefs) == 1 and classes == {"shader_out"} else None
    return SharedAccess(
        instr,
        frozenset(classes),
        instr.name not in _DEREF_STORES or len(derefs) > 1,
        atomic or instr.name in _DEREF_STORES,
        tuple((id(variable), 0, 1) for variable in variables) if known else None,
        vertex,
        only_invocation(instr),
        atomic or _is_watched(instr),
    )


def _deref(src: Src) -> DerefInstr | None:
    maker = None if src.def_ is None else src.def_.instr
    return maker if isinstance(maker, DerefInstr) else None


def _path(deref: DerefInstr | None) -> list[DerefInstr]:
    """A dereference chain from the variable on."""
    path: list[DerefInstr] = []
    while deref is not None:
        path.append(deref)
        deref = None if deref.parent is None else _deref(deref.parent)
    return path[::-1]


def _variable(deref: DerefInstr | None) -> Variable | None:
    path = _path(deref)
    return path[0].var if path and path[0].deref_kind == "var" else None


def _vertex_of_deref(deref: DerefInstr | None) -> int | str | None:
    path = _path(deref)
    if len(path) < 2 or path[0].var is None or "patch" in path[0].var.qualifiers:
        return None
    index = path[1]
    if index.deref_kind != "array":
        return None
    if index.const_index is not None:
        return index.const_index
    return None if index.index is None else _vertex(index.index)


def _of_output(instr: IntrinsicInstr, stage: Stage | None) -> SharedAccess:
    stores = "store" in instr.name
    per_vertex = "per_vertex" in instr.name or "per_primitive" in instr.name
    position = 1 if stores else 0
    vertex = None
    if per_vertex and len(instr.sources) > position + 1:
        vertex = _vertex(instr.sources[position])
    return SharedAccess(
        instr,
        frozenset(("shader_out",)),
        not stores,
        stores,
        _slots(instr, stores),
        vertex if stage is Stage.TESS_CTRL else None,
        only_invocation(instr),
    )


def _vertex(src: Src) -> int | str | None:
    constant = _constant(src)
    if constant is not None:
        return constant
    maker = None if src.def_ is None else src.def_.instr
    return "own" if isinstance(maker, IntrinsicInstr) and maker.name == "load_invocation_id" else None


def _slots(instr: IntrinsicInstr, stores: bool) -> tuple[Where, ...] | None:
    """The components, counted from the first of slot 0, of an output access."""
    semantics = instr.io_semantics
    value = instr.sources[0].def_ if stores and instr.sources else instr.def_
    if semantics is None or semantics.location < 0 or value is None or not instr.sources:
        return None
    offset = _constant(instr.sources[-1])
    if offset is None:
        return (("slots", semantics.location * 4, (semantics.location + max(semantics.num_slots, 1)) * 4),)
    width = 2 if value.bit_size == 64 else 1
    first = (semantics.location + offset) * 4 + instr.int_index("component")
    lanes = [lane for lane in range(value.num_components) if not stores or instr.write_mask >> lane & 1]
    return tuple(("slots", first + lane * width, first + (lane + 1) * width) for lane in lanes)


def only_invocation(instr: Instr) -> int | None:
    """The one invocation of a group that runs an instruction, where an if asks for its number."""
    child: object = instr.block
    at = None if instr.block is None else instr.block.parent
    for _ in range(_DEEPEST):
        if not isinstance(at, If | Loop):
            return None
        if isinstance(at, If):
            number = _asked_number(at.condition.def_)
            if number is not None and number[1] is (child in at.then_body):
                return number[0]
        child, at = at, at.parent
    return None


def _asked_number(condition: Def | None) -> tuple[int, bool] | None:
    """The invocation number that a condition compares with, and whether it must be equal."""
    maker = None if condition is None else condition.instr
    if not isinstance(maker, AluInstr) or maker.op not in ("ieq", "ine", "ieq32", "ine32"):
        return None
    for one, other in (maker.sources, maker.sources[::-1]):
        asked = None if one.def_ is None else one.def_.instr
        if isinstance(asked, IntrinsicInstr) and asked.name in _OWN_NUMBER:
            constant = _constant(other)
            return None if constant is None else (constant, maker.op.startswith("ieq"))
    return None


def _constant(src: Src) -> int | None:
    maker = None if src.def_ is None else src.def_.instr
    if not isinstance(maker, LoadConstInstr) or not maker.values:
        return None
    swizzle: Sequence[int] = getattr(src, "swizzle", (0,))
    lane = swizzle[0] if swizzle else 0
    return maker.values[lane] if lane < len(maker.values) else None


def _overlap(one: Where, two: Where) -> bool:
    if one[0] != two[0]:
        # Ranges of one variable, of slots and of bytes are told apart by what they are in.
        return isinstance(one[0], str) != isinstance(two[0], str)
    return one[1] < two[2] and two[1] < one[2]
