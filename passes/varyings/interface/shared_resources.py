"""Lowered UBO loads and push constants that have the same meaning in two linked stages.

`load_ubo` with a block number does not: each stage of a GL program numbers its own blocks, and block 0 may
hold its own loose uniforms. Vulkan's descriptors (set and binding) and push constants belong to the
pipeline. But a stage may only read what the pipeline layout makes visible to it, which dumps do not state;
a stage that reads the same binding, or the same bytes, already may.
"""

from __future__ import annotations

from functools import cached_property

from nirls.ir.effects import Access, can_reorder, effects_of
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr, scalar_constant
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Src
from nirls.passes.varyings.interface.accesses import intrinsics

_Binding = tuple[int, int]
_UBO = "UBO"


class SharedResources:
    """The resources that both shaders already read."""

    def __init__(self, first: Shader, second: Shader) -> None:
        self.first = first
        self.second = second

    def obstacle(self, instr: IntrinsicInstr) -> str:
        """Return why an instruction may have another value in the other shader; "" if it has the same.

        It must read nothing that changes, and name something that both stages share: a resource index by its
        set and binding, a descriptor by such an index, a UBO load by such a descriptor, push constants by
        their bytes. Everything else may belong to one stage.
        """
        effects = effects_of(instr)
        if not can_reorder(instr) or effects.is_everything or effects.exchange:
            return f"@{instr.name} may not be repeated"
        for access in effects.accesses:
            obstacle = self._obstacle_to_read(instr, access)
            if obstacle:
                return obstacle
        if effects.accesses or _is_descriptor(instr):
            return ""
        if "desc_type" not in instr.indices:
            return f"@{instr.name} belongs to one stage"
        if not _is_ubo(instr):
            return "it is no descriptor of a UBO"
        return "" if _binding(instr) in self._bindings else "only one stage reads this binding"

    def _obstacle_to_read(self, instr: IntrinsicInstr, access: Access) -> str:
        if access.memories == {"ubo"}:
            return "" if _names_descriptor(access.resource) else "each stage numbers its UBOs on its own"
        read = _push_constants(access)
        if read is None:
            return f"@{instr.name} belongs to one stage"
        return "" if read <= self._read_by_both else "only one stage reads these push constants"

    @cached_property
    def _bindings(self) -> frozenset[_Binding]:
        """The bindings of UBOs that both shaders read."""
        first, second = (
            frozenset(binding for instr in intrinsics(shader) if (binding := _binding(instr)) is not None)
            for shader in (self.first, self.second)
        )
        return first & second

    @cached_property
    def _read_by_both(self) -> frozenset[int]:
        """The bytes of push constants that both shaders read at known offsets."""
        first, second = (
            frozenset(
                byte
                for instr in intrinsics(shader)
                for access in effects_of(instr).accesses
                for byte in _push_constants(access) or ()
            )
            for shader in (self.first, self.second)
        )
        return first & second


def _binding(instr: IntrinsicInstr) -> _Binding | None:
    """Return set and binding of a UBO resource index, which must be the constant 0 (no array of blocks)."""
    if not instr.indices.keys() >= {"desc_set", "binding"} or not _is_ubo(instr) or not instr.sources:
        return None
    if scalar_constant(instr.sources[0].def_) != 0:
        return None
    return instr.int_index("desc_set"), instr.int_index("binding")


def _is_ubo(instr: IntrinsicInstr) -> bool:
    return instr.indices.get("desc_type") == _UBO


def _is_descriptor(instr: Instr | None) -> bool:
    """Whether an intrinsic computes the descriptor of a UBO from its resource index."""
    if not isinstance(instr, IntrinsicInstr) or not _is_ubo(instr) or not instr.sources:
        return False
    maker = instr.sources[0].def_instr
    return isinstance(maker, IntrinsicInstr) and "binding" in maker.indices


def _names_descriptor(block: Src | None) -> bool:
    """Whether a UBO load addresses its block by a descriptor, not by a number."""
    maker = None if block is None else block.def_instr
    while isinstance(maker, AluInstr) and maker.op in ("mov", "vec2"):
        maker = maker.sources[0].def_instr
    return _is_descriptor(maker)


def _push_constants(access: Access) -> frozenset[int] | None:
    """Return the bytes of push constants that an access reads; None for other memory and unknown bytes."""
    if access.memories != {"push_const"} or access.range is None or not access.range.is_constant:
        return None
    start = access.range.start.constant
    return frozenset(range(start, start + access.range.size))
