"""From the load of a varying to the stores that feed it, and from a store to the loads that read it.

Slots alone say too much: two scalars may share a slot, packed into different components, or into the two
halves of one. Accesses through variables go by the location of the variable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nirls.ir.model.instructions import DerefInstr, Instr, IntrinsicInstr
from nirls.ir.model.shader import Shader, Variable
from nirls.ir.model.slots import reads_attribute_in_tcs, slot_number
from nirls.ir.model.span import Span
from nirls.ir.model.stage import Stage
from nirls.server.ide.entities import Entity, Index, IntrinsicName, Slot

_ALL_COMPONENTS = 0xF
_LETTERS = "xyzw"
_INDICES_OF_SLOT = frozenset({"io", "location", "io_semantics"})


@dataclass(frozen=True, slots=True)
class Access:
    """A load or store of slots [first, behind) of the inputs or outputs; `components` is a mask.

    `half` is 0 or 1 for the lower or upper 16 bits, None for the whole.
    """

    first: int
    behind: int
    components: int
    half: int | None
    is_store: bool
    is_output: bool

    def meets(self, other: Access) -> bool:
        """Whether the two have a component of a slot in common."""
        if self.first >= other.behind or other.first >= self.behind:
            return False
        if not self.components & other.components:
            return False
        return self.half is None or other.half is None or self.half == other.half


def access_named(entity: Entity) -> IntrinsicInstr | None:
    """The load or store of a varying that the cursor means: on its name, or on its slot."""
    match entity:
        case IntrinsicName(instr=instr):
            return instr if access_of(instr) is not None else None
        case Slot(node=IntrinsicInstr() as instr):
            return instr if access_of(instr) is not None else None
        case Index(name=name, instr=instr):
            semantics = instr.io_semantics
            is_slot = semantics is not None and (name in _INDICES_OF_SLOT or name == str(semantics.location))
            return instr if is_slot and access_of(instr) is not None else None
        case _:
            return None


def access_of(instr: Instr) -> Access | None:
    """What an instruction loads or stores of the varyings; None for all else."""
    if not isinstance(instr, IntrinsicInstr):
        return None
    semantics = instr.io_semantics
    if semantics is None:
        return _access_of_deref(instr)
    if semantics.location < 0 or ("input" not in instr.name and "output" not in instr.name):
        return None
    is_store = instr.name.startswith("store")
    value = instr.sources[0] if is_store and instr.sources else instr.def_
    first = instr.indices.get("component", 0)
    mask = instr.indices.get("write_mask") if is_store else None
    if mask is None and value is not None:
        mask = (1 << value.num_components) - 1
    components = _ALL_COMPONENTS
    if isinstance(first, int) and isinstance(mask, int) and (value is None or value.bit_size != 64):
        components = mask << first
    half = None
    if value is not None and value.bit_size == 16:
        half = int(semantics.has("high_16bits"))
    behind = semantics.location + max(semantics.num_slots, 1)
    return Access(semantics.location, behind, components, half, is_store, "output" in instr.name)


def _access_of_deref(instr: IntrinsicInstr) -> Access | None:
    is_store = instr.name == "store_deref"
    if not is_store and instr.name != "load_deref" and not instr.name.startswith("interp_deref_at"):
        return None
    variable = _root(instr)
    if variable is None or variable.location is None or variable.mode not in ("shader_in", "shader_out"):
        return None
    name, _, letters = variable.location.partition(".")
    number = slot_number(name)
    if number < 0:
        return None
    components = sum(1 << _LETTERS.index(letter) for letter in set(letters) if letter in _LETTERS)
    is_output = variable.mode == "shader_out"
    return Access(number, number + 1, components or _ALL_COMPONENTS, None, is_store, is_output)


def _root(instr: IntrinsicInstr) -> Variable | None:
    """The variable at the start of the path of an access."""
    value = instr.sources[0].def_ if instr.sources else None
    seen: set[Instr] = set()
    while value is not None and isinstance(value.instr, DerefInstr) and value.instr not in seen:
        deref = value.instr
        if deref.deref_kind == "var":
            return deref.var
        seen.add(deref)
        value = None if deref.parent is None else deref.parent.def_
    return None


class VaryingFlow:
    """The varyings of linked stages, in pipeline order; what each stage accesses is looked up once."""

    def __init__(self, shaders: Sequence[Shader]) -> None:
        self.shaders = shaders
        self._accesses: dict[int, list[tuple[IntrinsicInstr, Access]]] = {}

    def other_ends(self, position: int, instr: IntrinsicInstr) -> list[OtherEnd]:
        """The stores that feed a load of the shader at `position`, or the loads that read a store.

        A stage that reads its own outputs back is among them. In pipeline order, then in printed order.
        """
        access = access_of(instr)
        if access is None or reads_attribute_in_tcs(instr.name, self.shaders[position].stage):
            return []
        if not access.is_output:
            return self._meeting(position - 1, access, stores=True, outputs=True)
        found = []
        if self.shaders[position].stage is not Stage.FRAGMENT:
            found = self._meeting(position, access, stores=not access.is_store, outputs=True)
        if access.is_store:
            found += self._meeting(position + 1, access, stores=False, outputs=False)
        return found

    def _meeting(self, position: int, access: Access, *, stores: bool, outputs: bool) -> list[OtherEnd]:
        return [
            OtherEnd(position, instr, instr.span, stores)
            for instr, other in self._accesses_of(position)
            if other.is_store is stores
            and other.is_output is outputs
            and isinstance(instr.span, Span)
            and access.meets(other)
        ]

    def _accesses_of(self, position: int) -> list[tuple[IntrinsicInstr, Access]]:
        if not 0 <= position < len(self.shaders):
            return []
        known = self._accesses.get(position)
        if known is None:
            known = self._accesses[position] = [
                (instr, access)
                for impl in self.shaders[position].impls()
                for instr in impl.instrs()
                if isinstance(instr, IntrinsicInstr)
                and not reads_attribute_in_tcs(instr.name, self.shaders[position].stage)
                and (access := access_of(instr)) is not None
            ]
        return known


@dataclass(frozen=True, slots=True)
class OtherEnd:
    """A load or store at `span` of the stage at a position of the pipeline."""

    position: int
    instr: IntrinsicInstr
    span: Span
    is_store: bool
