from __future__ import annotations

import pytest

from nirls.ir.model.instructions import Instr
from nirls.verification.compare.external_state import (
    external_state,
    external_writes,
    form_of,
    keeps_addresses,
)
from nirls.verification.snapshots import RunnableSnapshot, compare_snapshots
from nirls.verification.verdict import Different, Equivalent
from tests.passes.shader_text import ONE, ZERO, load, shader, store

UBO = "32 %5 = @load_ubo (%0 (0x0), %0 (0x0)) (access=none, align_mul=16, align_offset=0)"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((store("VAR0", "%1"),), {"outputs"}),
        ((load(5, "VAR0"),), {"inputs"}),
        ((load(5, "VAR0", name="load_per_vertex_input"),), {"inputs"}),
        (("32 %5 = @load_ubo_vec4 (%0, %0) (access=none, base=0, component=0)",), {"UBOs by index"}),
        ((UBO,), {"UBOs by index"}),
        (
            (
                "32 %5 = deref_var &p (task_payload uint)",
                "32 %6 = @load_deref (%5) (access=none)",
                "32 %7 = @load_task_payload (%0) (base=0, align_mul=4, align_offset=0)",
            ),
            {"task_payload variables", "task payload by offset"},
        ),
        # The same instruction with a descriptor, which drivers replace by numbers of their own.
        (
            (
                "32x2 %2 = @vulkan_resource_index (%0) (desc_set=0, binding=1, desc_type=UBO)",
                "32x2 %3 = @load_vulkan_descriptor (%2) (desc_type=UBO)",
                UBO.replace("(%0 (0x0), ", "(%3, "),
            ),
            {"UBOs by binding"},
        ),
        (
            ("32x4 %4 = vec4 %0, %1, %0, %1", UBO.replace("(%0 (0x0), ", "(%4, ")),
            {"buffers by descriptor"},
        ),
        (("64 %5 = @load_ssbo_address (%0, %0) (access=none)",), {"load_ssbo_address"}),
        (("32 %5 = @load_push_constant (%0 (0x0)) (base=0, range=4)",), {"push constants by offset"}),
        (("32x2 %5 = deref_var &a (ubo float)", "32 %6 = @load_deref (%5) (access=none)"), {"ubo variables"}),
        (("32 %5 = deref_var &a (shader_in float)", "32 %6 = @load_deref (%5) (access=none)"), {"inputs"}),
        (
            (
                "32 %5 = deref_var &a (function_temp float)",
                "32 %6 = deref_var &b (shader_in float)",
                "@copy_deref (%5, %6) (dst_access=none, src_access=none)",
            ),
            {"inputs"},
        ),
        (("32 %5 = deref_var &a (function_temp float)", "32 %6 = @load_deref (%5) (access=none)"), set()),
        (("32 %5 = @load_shared (%0 (0x0)) (base=0, align_mul=4, align_offset=0)",), set()),
        # System values keep their meaning under every name.
        (("32 %5 = @load_vertex_id",), set()),
        (("32 %5 = fadd %1, %1",), set()),
        # Operations without a known meaning, and queries that a driver answers from a descriptor.
        (("32 %5 = fmul_rtz %1, %1",), {"fmul_rtz"}),
        (("32 %5 = @bar_set_nv",), {"bar_set_nv"}),
        (("32x2 %5 = (int32)txs %0 (lod), 0 (texture), 2D",), {"txs", "textures by index"}),
        # The layer of an array texture that the hardware rounds down.
        (
            (
                "32 %5 = load_const (0x40200000 = 2.500000)",
                "32x3 %6 = vec3 %1, %1, %5",
                "32x4 %7 = (float32)tex %6 (coord), 0 (texture), 0 (sampler), 2D",
            ),
            {"textures by index", "coordinates plus a half"},
        ),
        *(
            (
                (
                    f"32 %5 = load_const ({added})",
                    f"32 %8 = {op} %1, %5",
                    "32x3 %6 = vec3 %1, %1, %8",
                    "32x4 %7 = (float32)tex %6 (coord), 0 (texture), 0 (sampler), 2D",
                ),
                {"textures by index"} | ({"coordinates plus a half"} if is_half else set()),
            )
            for op, added, is_half in (
                ("fadd", "0x3f000000 = 0.500000", True),
                ("fmul", "0x3f000000 = 0.500000", False),
                ("fadd", "0x3e800000 = 0.250000", False),
            )
        ),
    ],
)
def test_forms(lines: tuple[str, ...], expected: set[str]) -> None:
    assert external_state(shader("VERTEX", ZERO, ONE, *lines)) == expected


def test_form_of_one_instruction() -> None:
    parsed = shader("VERTEX", ZERO, UBO)
    instrs: list[Instr] = [instr for impl in parsed.impls() for instr in impl.instrs()]
    assert [form_of(instr) for instr in instrs] == ["", "UBOs by index"]


STORE = "@store_ssbo (%1, %0 (0x0), {offset}) (wrmask=x, access=none, align_mul=4, align_offset=0)"


def test_writes_are_counted_by_form() -> None:
    stores = shader(ZERO, ONE, STORE.format(offset="%0 (0x0)"), STORE.format(offset="%1 (0x1)"))
    assert external_writes(stores) == {"SSBOs by index": 2}
    assert not external_writes(shader(ZERO, ONE, UBO, store("VAR0", "%5")))


def test_addresses_are_kept_by_value() -> None:
    first, second = (shader(ZERO, ONE, STORE.format(offset=offset)) for offset in ("%0 (0x0)", "%1 (0x1)"))
    assert keeps_addresses(first, first)
    assert not keeps_addresses(first, second)
    # The stored value is no part of the address, and an access may go.
    other = shader(ZERO, ONE, STORE.format(offset="%0 (0x0)").replace("(%1, ", "(%0, "))
    assert keeps_addresses(first, other)
    assert keeps_addresses(first, shader(ZERO, ONE))
    assert not keeps_addresses(shader(ZERO, ONE), first)


PUSHED = "32 %5 = @load_push_constant (%0) (base={}, range=4, align_mul=4, align_offset=0)"
FROM_BUFFER = "32 %5 = @load_ssbo (%0, {}) (access=none, align_mul=4, align_offset=0)"


@pytest.mark.parametrize(
    ("before", "after", "pass_name", "verdict"),
    [
        (PUSHED.format(240), PUSHED.format(16), "anv_nir_compute_push_layout", Equivalent),
        (PUSHED.format(240), PUSHED.format(16), "nir_opt_algebraic", Different),
        (FROM_BUFFER.format("%0"), FROM_BUFFER.format("%1"), "anv_nir_compute_push_layout", Different),
    ],
)
def test_a_driver_lays_out_push_constants(before: str, after: str, pass_name: str, verdict: type) -> None:
    sides = [
        RunnableSnapshot(shader("VERTEX", ZERO, ONE, line, store("VAR0", "%5"))) for line in (before, after)
    ]
    assert isinstance(compare_snapshots(*sides, pass_name).verdict, verdict)
