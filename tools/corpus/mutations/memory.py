"""Wrong accesses of outputs and memory: stores, addresses, atomics, barriers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Literal

from nirls.ir.effects import effects_of
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import DerefInstr, IndexValue, Instr, IntrinsicInstr
from nirls.ir.model.io_semantics import IoSemantics
from tools.corpus.mutations.change import (
    Change,
    Ways,
    beside,
    is_load,
    is_store,
    plus,
    set_source,
    source_at,
    undefined,
)
from tools.corpus.mutations.values import earlier_like

_BARRIERS = frozenset(("barrier", "scoped_barrier", "control_barrier"))
# The sources of accesses that hold addresses in bytes, by the name without load_ or store_.
_OFFSETS = {
    "load_ubo": 1,
    "load_ssbo": 1,
    "store_ssbo": 2,
    "load_shared": 0,
    "store_shared": 1,
    "load_global": 0,
    "store_global": 1,
    "load_global_constant": 0,
    "load_push_constant": 0,
    "load_uniform": 0,
    "load_scratch": 0,
    "store_scratch": 1,
    "ssbo_atomic": 1,
    "shared_atomic": 0,
}
_BLOCKS = {"load_ubo": 0, "load_ssbo": 0, "store_ssbo": 1, "ssbo_atomic": 0, "vulkan_resource_index": 0}


def drop(applies: Callable[[IntrinsicInstr], bool]) -> Ways:
    """Remove intrinsics without a result that is read."""

    def ways(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
        if (
            isinstance(instr, IntrinsicInstr)
            and applies(instr)
            and (instr.def_ is None or not instr.def_.uses)
        ):
            yield instr.remove

    return ways


def memories_of(instr: Instr) -> frozenset[str]:
    """Return the memories that an intrinsic writes."""
    return frozenset(
        memory for access in effects_of(instr).accesses if access.writes for memory in access.memories
    )


def _stores_to(*memories: str) -> Callable[[IntrinsicInstr], bool]:
    return lambda instr: (
        (is_store(instr) or "store" in instr.name) and not memories_of(instr).isdisjoint(memories)
    )


def other_index(
    name: str,
    other: Callable[[IndexValue], IndexValue | None],
    applies: Callable[[IntrinsicInstr], bool] = lambda _: True,
) -> Ways:
    """Give an index of intrinsics that satisfy a condition another value; `other` returns None to keep it."""

    def ways(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
        if isinstance(instr, IntrinsicInstr) and name in instr.indices and applies(instr):
            changed = other(instr.indices[name])
            if changed is not None:
                yield partial(instr.indices.__setitem__, name, changed)

    return ways


def other_component(applies: Callable[[Instr], bool]) -> Ways:
    """Access another component, with scalar accesses that satisfy a condition."""

    def is_scalar(instr: IntrinsicInstr) -> bool:
        value = instr.sources[0] if instr.def_ is None else instr.def_
        return value.num_components == 1

    return other_index(
        "component",
        lambda component: (component + 1) % 4 if isinstance(component, int) else None,
        lambda instr: applies(instr) and is_scalar(instr),
    )


def other_slot(applies: Callable[[IntrinsicInstr], bool]) -> Ways:
    """Access the next slot, with accesses that satisfy a condition."""
    return other_index("io_semantics", _next_slot, applies)


def _next_slot(semantics: IndexValue) -> IndexValue | None:
    return replace(semantics, location=semantics.location + 1) if isinstance(semantics, IoSemantics) else None


def _store_other(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    src = _stored(instr)
    other = None if src is None else earlier_like(instr, instr.srcs()[src].def_)
    if other is not None and src is not None:
        yield partial(instr.srcs()[src].set_def, other)


def _stored(instr: Instr) -> int | None:
    """Return the position of the source that a store stores."""
    if not isinstance(instr, IntrinsicInstr) or not is_store(instr):
        return None
    return 1 if instr.name == "store_deref" else 0


def _undefined_store(impl: FunctionImpl, instr: Instr) -> Iterator[Change]:
    position = _stored(instr)
    if position is not None:
        yield partial(set_source, impl, instr, instr.srcs()[position], undefined)


def _narrow_mask(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    mask = instr.indices.get("write_mask") if isinstance(instr, IntrinsicInstr) else None
    if isinstance(instr, IntrinsicInstr) and isinstance(mask, int) and mask.bit_count() > 1:
        for narrower in (mask & mask - 1, mask & ~(1 << mask.bit_length() - 1)):
            yield partial(instr.indices.__setitem__, "write_mask", narrower)


def _further(applies: Callable[[Instr], bool], places: dict[str, int], step: int) -> Ways:
    """Add a number to the source of an access at the position in the table."""
    return source_at(
        places,
        plus(step),
        lambda instr, src: applies(instr) and src.num_components == 1 and src.bit_size > 1,
    )


def _other_element(impl: FunctionImpl, instr: Instr) -> Iterator[Change]:
    """Add 1 to the index of an array element."""
    index = instr.index if isinstance(instr, DerefInstr) and instr.constant_index is None else None
    if index is not None and index.def_ is not None:
        yield partial(set_source, impl, instr, index, plus(1))


def _other_variable(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    """Access another variable of the same type, the nearest earlier one of the block."""
    if not isinstance(instr, DerefInstr) or instr.deref_kind != "var" or instr.def_ is None:
        return
    for above in beside(instr, "prev"):
        if (
            isinstance(above, DerefInstr)
            and above.def_ is not None
            and (above.deref_kind, above.mode, above.type_name) == ("var", instr.mode, instr.type_name)
            and above.var is not instr.var
        ):
            yield partial(instr.def_.replace_all_uses_with, above.def_)
            return


def _other_atomic(operation: object) -> str | None:
    if not isinstance(operation, str):
        return None
    return "iadd" if operation == "umax" else "umax"


def _exchange_atomic(operation: object) -> str | None:
    return "xchg" if isinstance(operation, str) and operation not in ("xchg", "cmpxchg") else None


def _atomic_data(impl: FunctionImpl, instr: Instr) -> Iterator[Change]:
    if _is_atomic(instr) and instr.srcs():
        src = instr.srcs()[-1]
        if src.def_ is not None and src.num_components == 1 and src.bit_size >= 32:
            yield partial(set_source, impl, instr, src, plus(1))


def _is_atomic(instr: Instr) -> bool:
    return isinstance(instr, IntrinsicInstr) and "atomic" in instr.name


def is_barrier(instr: Instr) -> bool:
    """Whether an instruction is a barrier."""
    return isinstance(instr, IntrinsicInstr) and instr.name in _BARRIERS


def _move_barrier(direction: Literal["prev", "next"]) -> Ways:
    """Move a barrier across the nearest memory access of its block that writes."""

    def ways(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
        for at in beside(instr, direction) if is_barrier(instr) else ():
            if is_barrier(at):
                return
            if memories_of(at):
                yield partial(_put_beside, instr, at, direction)
                return

    return ways


def _put_beside(instr: Instr, place: Instr, direction: str) -> None:
    block = instr.block
    assert block is not None
    instr.unlink()
    if direction == "prev":
        block.insert_before(place, instr)
    else:
        block.insert_after(place, instr)


def _load_across_store(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    """Move a load behind the next store of its block to the same memory, where nothing between reads it."""
    value = instr.def_
    if value is None or not isinstance(instr, IntrinsicInstr) or not is_load(instr):
        return
    read = {memory for access in effects_of(instr).accesses if access.reads for memory in access.memories}
    for below in beside(instr, "next"):
        if any(src.def_ is value for src in below.all_srcs()):
            return
        if not memories_of(below).isdisjoint(read):
            yield partial(_put_beside, instr, below, "next")
            return


def _exchange_stores(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    """Move a store behind the next one to the same memory."""
    if not isinstance(instr, IntrinsicInstr) or not is_store(instr):
        return
    for below in beside(instr, "next"):
        if isinstance(below, IntrinsicInstr) and below.name == instr.name and is_store(below):
            if below.indices == instr.indices and not memories_of(below).isdisjoint(memories_of(instr)):
                yield partial(_put_beside, instr, below, "next")
            return


KINDS: dict[str, Ways] = {
    "drop a store": drop(is_store),
    "drop a store to a buffer": drop(_stores_to("ssbo", "global")),
    "drop a store to shared memory": drop(_stores_to("shared")),
    "drop a store to an image": drop(_stores_to("image")),
    "store to another component": other_component(is_store),
    "store to another slot": other_slot(is_store),
    "store another value": _store_other,
    "store an undefined value": _undefined_store,
    "store fewer components": _narrow_mask,
    "store further on": _further(is_store, _OFFSETS, 4),
    "load further on": _further(is_load, _OFFSETS, 4),
    "load before": _further(is_load, _OFFSETS, -4),
    "another block": _further(lambda _: True, _BLOCKS, 1),
    "another binding": other_index("binding", lambda value: value + 1 if isinstance(value, int) else None),
    "another element": _other_element,
    "another variable": _other_variable,
    "exchange two stores": _exchange_stores,
    "load across a store": _load_across_store,
    "other atomic": other_index("atomic_op", _other_atomic),
    "exchange for an atomic": other_index("atomic_op", _exchange_atomic),
    "another atomic operand": _atomic_data,
    "drop an atomic": drop(_is_atomic),
    "drop a barrier": drop(is_barrier),
    "move a barrier up": _move_barrier("prev"),
    "move a barrier down": _move_barrier("next"),
    "barrier without control": other_index(
        "execution_scope", lambda value: "NONE" if str(value) not in ("NONE", "0") else None
    ),
    "barrier without memory": other_index("memory_modes", lambda value: () if value else None),
}
"""Kinds for stores, loads, atomics and barriers."""
