"""Outputs that the next stage does not read, in every pair of stages and every slot.

What becomes of them is what Mesa's own unit tests expect (opt_varyings_tests_dead_output.cpp): each group
below is a macro of that file.
"""

from __future__ import annotations

import pytest

from nirls.ir.model.instructions import IntrinsicInstr, UndefInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import varying_slot
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.scalar_slots import LinkProgress
from nirls.passes.varyings.link_pair import link_pair
from tests.passes.shader_text import ZERO, shader

_RASTERIZED = (
    *("POS", "PSIZ", "CLIP_VERTEX", "CLIP_DIST0", "CLIP_DIST1", "CULL_DIST0", "CULL_DIST1"),
    *("LAYER", "VIEWPORT"),
)
_LEGACY = ("COL0", "COL1", "FOGC", "TEX0", "BFC0", "BFC1")
_GENERIC = (("VAR0", 32), ("VAR0", 16), ("VAR0_16BIT", 16))
_ALL = (*((slot, 32) for slot in (*_RASTERIZED, *_LEGACY)), *_GENERIC)
_LEVELS = ("TESS_LEVEL_INNER", "TESS_LEVEL_OUTER")
_PATCH = (("PATCH0", 32), ("PATCH0", 16))
_BEFORE_FRAGMENT = ("VERTEX", "TESS_EVAL", "GEOMETRY")

_REMOVED = [
    *(("VERTEX", "TESS_CTRL", *one) for one in _ALL),
    *(("VERTEX", "TESS_EVAL", *one) for one in _ALL),
    *(("TESS_CTRL", "TESS_EVAL", *one) for one in (*_ALL, *_PATCH)),
    *(("VERTEX", "GEOMETRY", *one) for one in _ALL),
    *(("TESS_EVAL", "GEOMETRY", *one) for one in _ALL),
    *((stage, "FRAGMENT", slot, 32) for stage in _BEFORE_FRAGMENT for slot in _LEGACY),
    *((stage, "FRAGMENT", *one) for stage in (*_BEFORE_FRAGMENT, "MESH") for one in _GENERIC),
    ("GEOMETRY", "FRAGMENT", "PRIMITIVE_ID", 32),
]
_KEPT = [
    *(("TESS_CTRL", "TESS_EVAL", slot) for slot in _LEVELS),
    *((stage, "FRAGMENT", slot) for stage in _BEFORE_FRAGMENT for slot in _RASTERIZED),
    *(("MESH", "FRAGMENT", slot) for slot in _RASTERIZED if slot != "CLIP_VERTEX"),
]
_CAPTURED = [
    *((stage, *one) for stage in _BEFORE_FRAGMENT for one in _ALL),
    ("GEOMETRY", "PRIMITIVE_ID", 32),
]
_ONLY_SYSTEM_VALUES = frozenset(("POS", "PSIZ", "CLIP_VERTEX"))


def _producer(stage: str, slot: str, bits: int, captured: bool = False) -> Shader:
    per_vertex = stage in ("TESS_CTRL", "MESH") and not slot.startswith(("PATCH", "TESS_LEVEL"))
    name, vertex = ("store_per_vertex_output", "%0, ") if per_vertex else ("store_output", "")
    xfb = "component=0 buffer=0 offset=0" if captured else ""
    return shader(
        stage,
        ZERO,
        f"{bits}    %1 = load_const (0x{0:0{bits // 4}x})",
        f"           @{name} (%1, {vertex}%0 (0x0)) (base=0, range=0, wrmask=x, component=0,"
        f" src_type=float{bits}, io location=VARYING_SLOT_{slot} slots=1, xfb({xfb}), xfb2())",
    )


def _linked(producer: Shader, consumer: str) -> tuple[LinkProgress, list[IntrinsicInstr]]:
    progress = link_pair(producer, shader(consumer, ZERO), LinkOptions(spirv=True))
    assert isinstance(progress, LinkProgress)
    stores = [
        instr
        for impl in producer.impls()
        for instr in impl.instrs()
        if isinstance(instr, IntrinsicInstr) and instr.name.startswith("store_")
    ]
    return progress, stores


@pytest.mark.parametrize(("stage", "consumer", "slot", "bits"), _REMOVED)
def test_removed(stage: str, consumer: str, slot: str, bits: int) -> None:
    progress, stores = _linked(_producer(stage, slot, bits), consumer)
    assert stores == []
    assert progress.producer


@pytest.mark.parametrize(("stage", "consumer", "slot"), _KEPT)
def test_kept_for_fixed_hardware(stage: str, consumer: str, slot: str) -> None:
    _, (store,) = _linked(_producer(stage, slot, 32), consumer)
    assert store.io_semantics is not None
    assert store.io_semantics.location == varying_slot(slot)
    assert store.io_semantics.has("no_varying") is (slot not in _ONLY_SYSTEM_VALUES)


@pytest.mark.parametrize(("stage", "slot", "bits"), _CAPTURED)
def test_kept_for_transform_feedback(stage: str, slot: str, bits: int) -> None:
    _, (store,) = _linked(_producer(stage, slot, bits, captured=True), "FRAGMENT")
    # Compaction moves the second colors to the first ones, and what has no fixed function to VAR0.
    moved = {"COL1": "COL0", "BFC1": "BFC0"}.get(slot, slot)
    if slot in ("FOGC", "PRIMITIVE_ID", "TEX0", "VAR0_16BIT"):
        moved = "VAR0"
    assert store.io_semantics is not None
    assert store.io_semantics.location == varying_slot(moved)
    assert store.io_semantics.has("no_varying") is (slot not in _ONLY_SYSTEM_VALUES)
    assert "component=0" in str(store.indices["io_xfb"]) or store.indices["io_xfb"]


@pytest.mark.parametrize(("slot", "bits"), [*_ALL, *((slot, 32) for slot in _LEVELS), *_PATCH])
def test_load_of_an_output_that_is_never_written(slot: str, bits: int) -> None:
    per_vertex = not slot.startswith(("PATCH", "TESS_LEVEL"))
    name, vertex = ("load_per_vertex_output", "%0, ") if per_vertex else ("load_output", "")
    producer = shader(
        "TESS_CTRL",
        ZERO,
        f"{bits}    %1 = @{name} ({vertex}%0 (0x0)) (base=0, range=0, component=0, dest_type=float{bits},"
        f" io location=VARYING_SLOT_{slot} slots=1)",
        f"           @store_ssbo (%1, %0 (0x0), %0 (0x0)) (wrmask=x, access=none, align_mul={bits // 8},"
        " align_offset=0)",
    )
    progress, stores = _linked(producer, "TESS_EVAL")
    assert [store.name for store in stores] == ["store_ssbo"]
    assert progress.producer
    made = [instr for impl in producer.impls() for instr in impl.instrs() if isinstance(instr, UndefInstr)]
    assert [instr.def_ and instr.def_.bit_size for instr in made] == [bits]
