"""Lowered UBO loads and push constants that have the same meaning in two linked stages.

`load_ubo` with a block number does not: each stage of a GL program numbers its own blocks, and block 0 may
hold its own loose uniforms. Vulkan's descriptors (set and binding) and push constants belong to the
pipeline. But a stage may only read what the pipeline layout makes visible to it, which dumps do not state;
a stage that reads the same binding, or the same bytes, already may.
"""

from __future__ import annotations

from functools import cached_property

from nirls.ir.effects import can_reorder
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr, LoadConstInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def

_UBO_LOADS = frozenset(("load_ubo", "load_ubo_vec4"))
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
        if not can_reorder(instr):
            return f"@{instr.name} may not be repeated"
        if instr.name == "vulkan_resource_index":
            return "" if _binding(instr) in self._bindings else "only one stage reads this binding"
        if instr.name == "load_vulkan_descriptor":
            is_ubo = instr.indices.get("desc_type") == _UBO and _reads_index(instr)
            return "" if is_ubo else "it is no descriptor of a UBO"
        if instr.name in _UBO_LOADS:
            return "" if _is_descriptor(instr) else "each stage numbers its UBOs on its own"
        read = _bytes(instr)
        if read is None:
            return f"@{instr.name} belongs to one stage"
        return "" if read <= self._push_constants else "only one stage reads these push constants"

    @cached_property
    def _bindings(self) -> frozenset[_Binding]:
        """The bindings of UBOs that both shaders read."""
        first, second = (
            frozenset(binding for instr in _intrinsics(shader) if (binding := _binding(instr)) is not None)
            for shader in (self.first, self.second)
        )
        return first & second

    @cached_property
    def _push_constants(self) -> frozenset[int]:
        """The bytes of push constants that both shaders read at known offsets."""
        first, second = (
            frozenset(byte for instr in _intrinsics(shader) for byte in _bytes(instr) or ())
            for shader in (self.first, self.second)
        )
        return first & second


def _intrinsics(shader: Shader) -> list[IntrinsicInstr]:
    return [instr for impl in shader.impls() for instr in impl.instrs() if isinstance(instr, IntrinsicInstr)]


def _binding(instr: IntrinsicInstr) -> _Binding | None:
    """Return set and binding of a UBO resource index, which must be the constant 0 (no array of blocks)."""
    if instr.name != "vulkan_resource_index" or instr.indices.get("desc_type") != _UBO or not instr.sources:
        return None
    if _constant(instr.sources[0].def_) != 0:
        return None
    return instr.int_index("desc_set"), instr.int_index("binding")


def _reads_index(instr: IntrinsicInstr) -> bool:
    index = instr.sources[0].def_ if instr.sources else None
    maker = None if index is None else index.instr
    return isinstance(maker, IntrinsicInstr) and maker.name == "vulkan_resource_index"


def _is_descriptor(load: IntrinsicInstr) -> bool:
    """Whether a UBO load addresses its block by a descriptor, not by a number."""
    block = load.sources[0].def_ if load.sources else None
    maker: Instr | None = None if block is None else block.instr
    while isinstance(maker, AluInstr) and maker.op in ("mov", "vec2") and maker.sources[0].def_ is not None:
        maker = maker.sources[0].def_.instr
    return isinstance(maker, IntrinsicInstr) and maker.name == "load_vulkan_descriptor"


def _bytes(load: IntrinsicInstr) -> frozenset[int] | None:
    """Return the bytes that a push constant load reads; None for anything else and for unknown offsets."""
    if load.name != "load_push_constant" or load.def_ is None or not load.sources:
        return None
    offset = _constant(load.sources[0].def_)
    if offset is None:
        return None
    start = load.int_index("base") + offset
    return frozenset(range(start, start + load.def_.num_components * load.def_.bit_size // 8))


def _constant(value: Def | None) -> int | None:
    maker = None if value is None else value.instr
    return maker.values[0] if isinstance(maker, LoadConstInstr) and len(maker.values) == 1 else None
