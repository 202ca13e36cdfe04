"""Partner shaders that pass through all that a separate shader reads or writes.

The values stored by a pass-through producer are all different and unknown, so the gain of linking with it
depends on the other shader alone. A pass-through consumer keeps every value that it loads.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nirls.ir.io.access import AccessKind, IoAccess, slot_read_as
from nirls.ir.model.builder import Builder
from nirls.ir.model.instructions import IndexValue, IntrinsicInstr
from nirls.ir.model.io_semantics import IoSemantics, XfbOutputs
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import VERT_ATTRIBS
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def
from nirls.ir.text.parse import parse_dump
from nirls.passes.varyings.interface.accesses import (
    Linkage,
    Unlinkable,
    feeds_fixed_hardware,
    link,
    semantics_of,
)
from nirls.passes.varyings.interface.rules import is_patch

PRODUCER_OF = {
    Stage.FRAGMENT: Stage.VERTEX,
    Stage.GEOMETRY: Stage.VERTEX,
    Stage.TESS_CTRL: Stage.VERTEX,
    Stage.TESS_EVAL: Stage.TESS_CTRL,
}
"""The stage of the partner that supplies the inputs of a separate shader."""
CONSUMER_OF = {
    Stage.VERTEX: Stage.FRAGMENT,
    Stage.TESS_CTRL: Stage.TESS_EVAL,
    Stage.TESS_EVAL: Stage.FRAGMENT,
    Stage.GEOMETRY: Stage.FRAGMENT,
    Stage.MESH: Stage.FRAGMENT,
}
"""The stage of the partner that reads the outputs of a separate shader."""
_FIRST_ATTRIBUTE = VERT_ATTRIBS.index("GENERIC0")
_VERTICES = 3


@dataclass(frozen=True, slots=True, order=True)
class InterfaceScalar:
    """A scalar of the interface.

    `per` is the part of the intrinsic's name that says how it is accessed ("per_vertex", "per_primitive" or
    ""); `is_integer` is set if it is not interpolated.
    """

    location: int
    component: int
    high: bool
    bit_size: int
    per: str = ""
    is_integer: bool = False

    @property
    def is_patch(self) -> bool:
        """Whether the scalar is per patch."""
        return is_patch(self.location)

    def indices(self, type_index: str, base: int) -> dict[str, IndexValue]:
        """Return the indices of a scalar access, in printed order."""
        flags = ("high_16bits",) if self.high else ()
        kind = "int" if self.is_integer else "float"
        mask: dict[str, IndexValue] = {"write_mask": 1} if type_index == "src_type" else {}
        return {
            "base": base,
            "range": 1,
            **mask,
            "component": self.component,
            type_index: f"{kind}{self.bit_size}",
            "io_semantics": IoSemantics(self.location, 1, flags),
        }


def pass_through_producer(consumer: Shader) -> Shader | None:
    """Return a shader of the previous stage that stores all varyings that `consumer` reads.

    None if its varyings cannot be analyzed, or there is no previous stage. `consumer` must have scalar
    varyings.
    """
    stage = None if consumer.stage is None else PRODUCER_OF.get(consumer.stage)
    if stage is None:
        return None
    producer = _empty(stage)
    linkage = link(producer, consumer)
    if isinstance(linkage, Unlinkable) or not linkage.complete_consumer:
        return None
    build = _Body(producer)
    for number, place in enumerate(_places(linkage, linkage.input_loads)):
        build.pass_on(place, number)
    return producer


def pass_through_consumer(producer: Shader) -> Shader | None:
    """Return a shader of the next stage that reads all varyings that `producer` writes, floats interpolated.

    Outputs that only fixed hardware reads are left out. None if the varyings of `producer`, which must be
    scalar, cannot be analyzed, or there is no next stage.
    """
    stage = None if producer.stage is None else CONSUMER_OF.get(producer.stage)
    if stage is None:
        return None
    consumer = _empty(stage)
    linkage = link(producer, consumer)
    if isinstance(linkage, Unlinkable) or not linkage.complete_producer:
        return None
    build = _Body(consumer)
    for place in _places(linkage, linkage.stores):
        build.read(place)
    return consumer


def silent_partner(shader: Shader, kind: AccessKind) -> Shader | None:
    """Return a shader of the stage before or after `shader` that reads and writes nothing."""
    stages = PRODUCER_OF if kind is AccessKind.INPUT_LOAD else CONSUMER_OF
    stage = None if shader.stage is None else stages.get(shader.stage)
    return None if stage is None else _empty(stage)


def _empty(stage: Stage) -> Shader:
    return parse_dump(
        (
            f"shader: {stage.mesa_name}\ndecl_function main () (entrypoint)\n\nimpl main {{\n"
            "    block b0:  // preds:\n    // succs: b1\n    block b1:\n}\n"
        ).encode()
    )


def _places(linkage: Linkage, accesses: Iterable[IoAccess]) -> list[InterfaceScalar]:
    """Return the scalars that the accesses may touch, all elements of an indexed range included."""
    interface_scalars: set[InterfaceScalar] = set()
    for access in accesses:
        if not linkage.may_change(access) or access.streams - {0}:
            continue
        if access.is_store and feeds_fixed_hardware(access, linkage.consumer_stage):
            continue
        if access.bits not in (16, 32):
            continue
        location = slot_read_as(access.slot, linkage.consumer_stage)
        interface_scalars.update(
            InterfaceScalar(
                location + element,
                component,
                semantics_of(access).has("high_16bits"),
                access.bits,
                next((word for word in ("per_vertex", "per_primitive") if word in access.instr.name), ""),
                _is_integer(access.instr),
            )
            for element in range(access.num_slots)
            for component in access.components
        )
    return sorted(interface_scalars)


def _is_integer(instr: IntrinsicInstr) -> bool:
    """Whether an access is not interpolated, by its intrinsic or type."""
    kind = str(instr.indices.get("src_type") or instr.indices.get("dest_type") or "float")
    return instr.name == "load_input" or kind.startswith(("int", "uint", "bool"))


class _Body:
    """Builder of the single block of a pass-through shader."""

    def __init__(self, shader: Shader) -> None:
        impl = shader.entrypoint
        if impl is None or shader.stage is None:
            raise ValueError("a partner has a stage and an entry point")
        self.stage = shader.stage
        self.builder = Builder(impl, impl.start_block)
        self.zero = self.builder.load_const([0], 32)
        self.shared: dict[str, Def] = {}

    def pass_on(self, place: InterfaceScalar, number: int) -> None:
        """Store input `number` to an output scalar."""
        value = self._input(number, place.bit_size)
        name, vertex = "store_output", []
        if self.stage is Stage.TESS_CTRL and not place.is_patch:
            name, vertex = "store_per_vertex_output", [self._once("load_invocation_id")]
        indices = place.indices("src_type", number)
        if name == "store_output":
            indices |= {"io_xfb": XfbOutputs(), "io_xfb2": XfbOutputs()}
        self.builder.intrinsic(name, [value, *vertex, self.zero], indices)

    def _input(self, number: int, bit_size: int) -> Def:
        """Load a unique value: an attribute, or an input of the patch."""
        first, name, vertex = _FIRST_ATTRIBUTE, "load_input", []
        if self.stage is Stage.TESS_CTRL:
            name, vertex = "load_per_vertex_input", [self._once("load_invocation_id")]
        place = InterfaceScalar(first + number // 4, number % 4, False, bit_size)
        return self._load(name, [*vertex, self.zero], place, number)

    def read(self, place: InterfaceScalar) -> None:
        """Load an input scalar and keep the value alive by a store."""
        if self.stage is Stage.TESS_EVAL and not place.is_patch:
            for vertex in range(_VERTICES):
                self._keep(self._load("load_per_vertex_input", [self._vertex(vertex), self.zero], place, 0))
        elif place.per == "per_primitive":
            self._keep(self._load("load_per_primitive_input", [self.zero], place, 0))
        elif self.stage is Stage.FRAGMENT and not place.is_integer:
            smooth = self._once("load_barycentric_pixel", 2, {"interp_mode": "INTERP_MODE_SMOOTH"})
            self._keep(self._load("load_interpolated_input", [smooth, self.zero], place, 0))
        else:
            self._keep(self._load("load_input", [self.zero], place, 0))

    def _load(self, name: str, sources: list[Def], place: InterfaceScalar, base: int) -> Def:
        indices = place.indices("dest_type", base)
        if name == "load_interpolated_input":
            del indices["range"]
        return self.builder.load(name, sources, indices, 1, place.bit_size)

    def _keep(self, value: Def) -> None:
        indices = {"write_mask": 1, "access": 0, "align_mul": 4, "align_offset": 0}
        self.builder.intrinsic("store_ssbo", [value, self.zero, self.zero], indices)

    def _vertex(self, number: int) -> Def:
        key = f"vertex {number}"
        if key not in self.shared:
            self.shared[key] = self.builder.load_const([number], 32)
        return self.shared[key]

    def _once(self, name: str, num_components: int = 1, indices: dict[str, IndexValue] | None = None) -> Def:
        if name not in self.shared:
            self.shared[name] = self.builder.load(name, [], indices or {}, num_components, 32)
        return self.shared[name]
