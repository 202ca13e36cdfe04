"""Faults that passes have had, on shaders small enough to be read, must not pass as equivalent."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.verification.verdict import Different, Equivalent, Unchecked
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ZERO, shader, store

INPUT = (
    "32 %1 = @load_input (%0) (base=0, range=1, component=0, dest_type=float32,"
    " io location=VERT_ATTRIB_GENERIC0 slots=1)"
)
OTHER = INPUT.replace("%1 =", "%2 =").replace("GENERIC0", "GENERIC1")
ONE = "32 %3 = load_const (0x3f800000)"
LARGEST = "32 %4 = load_const (0x7f7fffff)"
INFINITY = "32 %4 = load_const (0x7f800000)"


def computed(*lines: str) -> Shader:
    """A vertex shader that stores %9."""
    return shader("VERTEX", ZERO, INPUT, OTHER, ONE, *lines, store("VAR0", "%9"))


FAULTS = {
    "flt to inot fge": (
        ("1 %5 = flt! %1, %2", "32 %9 = bcsel %5, %0, %3"),
        ("1 %6 = fge! %1, %2", "1 %5 = inot %6", "32 %9 = bcsel %5, %0, %3"),
    ),
    "less to less or equal on computed floats": (
        ("32 %7 = fadd! %1, %3", "32 %8 = fmul! %2, %3", "1 %5 = flt! %7, %8", "32 %9 = bcsel %5, %0, %3"),
        ("32 %7 = fadd! %1, %3", "32 %8 = fmul! %2, %3", "1 %5 = fge! %8, %7", "32 %9 = bcsel %5, %0, %3"),
    ),
    "infinity to the largest float": (
        (INFINITY, "32 %9 = fmin! %1, %4"),
        (LARGEST, "32 %9 = fmin! %1, %4"),
    ),
    "minus zero to zero": (("32 %9 = mov %1",), ("32 %9 = fadd! %1, %0",)),
    "denormals flushed": (
        ("32 %9 = mov %1",),
        (
            "32 %4 = load_const (0x00800000)",
            "32 %5 = fabs %1",
            "1 %6 = flt! %5, %4",
            "32 %9 = bcsel %6, %0, %1",
        ),
    ),
    "a distance becomes zero": (
        ("32 %5 = fmul %1, %1", "32 %6 = ffma %2, %2, %5", "32 %9 = fsqrt %6"),
        ("32 %9 = mov %0",),
    ),
    "a special case that only the result has": (
        ("32 %9 = mov %1",),
        ("32 %4 = load_const (0x449a5000)", "1 %5 = feq! %1, %4", "32 %9 = bcsel %5, %0, %1"),
    ),
    "another limit of a clamp": (
        ("32 %4 = load_const (0x42c80000)", "32 %9 = fmin! %1, %4"),
        ("32 %4 = load_const (0x42c80001)", "32 %9 = fmin! %1, %4"),
    ),
}


FAULTS |= {
    "denormals flushed behind a sum": (
        ("32 %5 = fmul! %1, %2", "32 %9 = ffma! %2, %3, %5"),
        (
            *("32 %4 = load_const (0x00800000)", "32 %6 = fabs %2", "1 %7 = flt! %6, %4"),
            *("32 %8 = bcsel %7, %0, %2", "32 %5 = fmul! %1, %8", "32 %9 = ffma! %8, %3, %5"),
        ),
    ),
    "less to less or equal on rounded floats": (
        ("32 %7 = fsqrt %1", "32 %8 = fsin %2", "1 %5 = flt! %7, %8", "32 %9 = bcsel %5, %0, %3"),
        ("32 %7 = fsqrt %1", "32 %8 = fsin %2", "1 %5 = fge! %8, %7", "32 %9 = bcsel %5, %0, %3"),
    ),
    "half precision": (
        ("32 %9 = fmul %1, %2",),
        ("32 %5 = fmul %1, %2", "16 %6 = f2f16 %5", "32 %9 = f2f32 %6"),
    ),
    "wrong for large numbers": (
        ("32 %9 = fmul %1, %2",),
        ("32 %4 = load_const (0x49742400)", "32 %5 = fmin! %1, %4", "32 %9 = fmul %5, %2"),
    ),
    "wrong where three conditions hold": (
        (
            *("1 %5 = feq! %1, %2", "32 %6 = fadd %1, %3", "32 %7 = fsin %2"),
            *("1 %8 = flt! %6, %7", "1 %4 = iand %5, %8", "32 %9 = bcsel %4, %1, %3"),
        ),
        (
            *("1 %5 = feq! %1, %2", "32 %6 = fadd %1, %3", "32 %7 = fsin %2"),
            *("1 %8 = flt! %6, %7", "1 %4 = iand %5, %8", "32 %9 = bcsel %4, %0, %3"),
        ),
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_not_called_equivalent(fault: str) -> None:
    before, after = (computed(*lines) for lines in FAULTS[fault])
    assert isinstance(verify_shaders(before, before), Equivalent)
    assert not isinstance(verify_shaders(before, after), Equivalent)


def test_rounding_of_what_is_compared_excuses_no_other_comparison() -> None:
    before, after = (computed(*lines) for lines in FAULTS["less to less or equal on rounded floats"])
    assert isinstance(verify_shaders(before, after), Different)


def test_rounding_to_16_bits_is_allowed_where_the_shader_had_some() -> None:
    halves = ("16 %5 = f2f16 %1", "16 %6 = f2f16 %2", "16 %7 = f2f16 %3")
    before = computed(*halves, "16 %4 = fadd %5, %6", "16 %8 = fadd %4, %7", "32 %9 = f2f32 %8")
    after = computed(*halves, "16 %4 = fadd %6, %7", "16 %8 = fadd %5, %4", "32 %9 = f2f32 %8")
    assert isinstance(verify_shaders(before, after), Equivalent)


def test_one_nan_among_many_uniforms_is_seen() -> None:
    """The other numbers of its draw must not be special too: any of them would hide it."""
    names = [f"u{number}" for number in range(24)]
    lines = [f"32 %{10 + 2 * n} = deref_var &{name} (uniform float)" for n, name in enumerate(names)]
    lines += [f"32 %{11 + 2 * n} = @load_deref (%{10 + 2 * n}) (access=none)" for n in range(24)]
    total = "%11"
    for number in range(1, 24):
        lines.append(f"32 %{100 + number} = fadd! {total}, %{11 + 2 * number}")
        total = f"%{100 + number}"
    declared = [
        f"decl_var uniform INTERP_MODE_NONE none float {name} (0, {n}, 0)" for n, name in enumerate(names)
    ]
    before = shader("VERTEX", ZERO, *lines, store("VAR0", total), header=declared)
    checked = ["1 %200 = feq! %33, %33", "32 %201 = bcsel %200, %33, %0"]
    changed = [line.replace(", %33", ", %201") if "fadd" in line else line for line in lines]
    position = next(n for n, line in enumerate(changed) if "fadd" in line)
    after = shader(
        "VERTEX",
        ZERO,
        *changed[:position],
        *checked,
        *changed[position:],
        store("VAR0", total),
        header=declared,
    )
    assert isinstance(verify_shaders(before, before), Equivalent)
    assert isinstance(verify_shaders(before, after), Different)


WAIT = "@barrier (execution_scope=WORKGROUP, memory_scope=WORKGROUP, mem_semantics=ACQ|REL, mem_modes=shared)"
RANGE = "(base=0, wrmask=x, access=none, align_mul=4, align_offset=0)"
GROUP = f"""
32 %1 = @load_local_invocation_index
32 %2 = load_const (0x00000002)
32 %3 = load_const (0x00000001)
32 %4 = ishl %1, %2
@store_shared (%1, %4) {RANGE}
{WAIT}
32 %5 = ixor %1, %3
32 %6 = ishl %5, %2
32 %7 = @load_shared (%6) (base=0, access=none, align_mul=4, align_offset=0)
{WAIT}
32 %8 = iadd %7, %3
@store_shared (%8, %4) {RANGE}
@store_ssbo (%7, %0, %4) (wrmask=x, access=none, align_mul=4, align_offset=0)
"""


def group(text: str) -> Shader:
    header = ["workgroup_size: 8, 1, 1", "shared_size: 32"]
    return shader("COMPUTE", ZERO, *text.strip().splitlines(), header=header)


@pytest.mark.parametrize("number", [0, 1])
def test_each_barrier_around_paired_shared_accesses_is_needed(number: int) -> None:
    """The first one orders a store before the load, the second one the load before a store."""
    parts = GROUP.split(f"{WAIT}\n")
    fewer = f"{WAIT}\n".join(parts[:2]) + parts[2] if number else parts[0] + f"{WAIT}\n".join(parts[1:])
    assert isinstance(verify_shaders(group(GROUP), group(GROUP)), Equivalent)
    assert isinstance(verify_shaders(group(GROUP), group(fewer)), Different)


def test_a_shared_index_out_of_bounds_is_undefined() -> None:
    beyond = GROUP.replace("32 %6 = ishl %5, %2", "32 %9 = iadd %5, %3\n32 %6 = ishl %9, %2")
    assert isinstance(verify_shaders(group(GROUP), group(beyond)), Different)


def element(index: int) -> str:
    return f"""shader: MESA_SHADER_FRAGMENT
decl_var shader_in INTERP_MODE_SMOOTH none vec4[3] v (VARYING_SLOT_VAR0.xyzw, 0, 0)
decl_var shader_out INTERP_MODE_NONE none vec4 o (FRAG_RESULT_DATA0.xyzw, 1, 0)
decl_function main () (entrypoint)

impl main {{
    block b0:  // preds:
    32    %0 = deref_var &v (shader_in vec4[3])
    32    %1 = deref_array &(*%0)[{index}] (shader_in vec4)  // &v[{index}]
    32x4  %2 = @load_deref (%1) (access=none)
    32    %3 = deref_var &o (shader_out vec4)
               @store_deref (%3, %2) (wrmask=xyzw, access=none)
               // succs: b1
    block b1:
}}
"""


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    # With nothing defined to compare, it is not called equivalent either.
    [(1065353216, 0, Unchecked), (3, 1, Unchecked), (2, 1, Different), (2, 3, Different)],
)
def test_an_element_of_an_input_out_of_bounds_is_undefined(
    before: int, after: int, verdict: type[Unchecked] | type[Different]
) -> None:
    shaders = [parse_dump(element(index).encode()) for index in (before, after)]
    assert isinstance(verify_shaders(*shaders), verdict)


def test_the_only_store_of_a_buffer_is_not_dropped_unseen() -> None:
    kept = "32 %1 = undefined\n@store_ssbo (%1, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)"
    assert isinstance(verify_shaders(group(kept), group(kept.splitlines()[0])), Unchecked)
    defined = kept.replace("32 %1 = undefined", "32 %1 = load_const (0x00000007)")
    assert isinstance(verify_shaders(group(defined), group(defined.splitlines()[0])), Different)


LOOP = f"""shader: MESA_SHADER_VERTEX
decl_function main () (entrypoint)

impl main {{
    block b0:  // preds:
    {ZERO}
    {INPUT.replace("float32", "int32")}
    32 %2 = load_const (0x00000001)
    32 %3 = load_const (0x00000007)
    32 %4 = iand %1, %3
    // succs: b1
    loop {{
        block b1:  // preds: b0 b4
        32 %5 = phi b0: %0, b4: %8
        1 %6 = ige %5, %BOUND
        // succs: b2 b3
        if %6 {{
            block b2:  // preds: b1
            break
            // succs: b5
        }} else {{
            block b3:  // preds: b1, succs: b4
        }}
        block b4:  // preds: b3
        32 %8 = iadd %5, %2
        // succs: b1
    }}
    block b5:  // preds: b2
    {store("VAR0", "%5")}
    // succs: b6
    block b6:
}}
"""


def loop(bound: str, comparison: str = "ige %5, %BOUND") -> Shader:
    parsed = parse_dump(LOOP.replace("ige %5, %BOUND", comparison).replace("%BOUND", bound).encode())
    assert not parsed.unreadable, parsed.unreadable
    return parsed


@pytest.mark.parametrize("bound", ["%3", "%4"], ids=["constant", "input"])
def test_a_loop_that_runs_once_more_is_different(bound: str) -> None:
    assert isinstance(verify_shaders(loop(bound), loop(bound)), Equivalent)
    assert isinstance(verify_shaders(loop(bound), loop(bound, "ilt %BOUND, %5")), Different)


TEXEL = (
    "32x2 %1 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)",
    "32x2 %2 = @load_interpolated_input (%1, %0) (base=0, component=0, dest_type=float32,"
    " io location=VARYING_SLOT_VAR0 slots=1)",
    "32 %3 = deref_var &t (uniform sampler2D)",
    "32x4 %4 = (float32)tex %3 (texture_deref), %3 (sampler_deref), %2 (coord)",
    "32 %5 = @load_ubo (%0, %0) (access=none, align_mul=4, align_offset=0, range_base=0, range=4)",
    "32 %6 = load_const (0xbf000000)",
)


def shaded(*lines: str) -> Shader:
    """A fragment shader that stores %9."""
    header = ("decl_var uniform INTERP_MODE_NONE none sampler2D t (0, 0, 0)",)
    return shader(
        "FRAGMENT",
        ZERO,
        *TEXEL,
        *lines,
        store("DATA0", "%9").replace("VARYING_SLOT", "FRAG_RESULT"),
        header=header,
    )


def test_exact_sums_of_texels_may_not_be_regrouped() -> None:
    before = shaded("32 %7 = fadd! %4.x, %5", "32 %9 = fadd! %7, %6")
    after = shaded("32 %7 = fadd! %5, %6", "32 %9 = fadd! %4.x, %7")
    assert isinstance(verify_shaders(before, after), Different)


def indexed(last: str) -> Shader:
    """A vertex shader that reads a component of an array of three by a word of a buffer."""
    names = ("%3", "%4", "%5")
    stores = [
        line
        for number, name in enumerate(names)
        for line in (
            f"32 %{number + 20} = deref_array &(*%10)[{number}] (shader_temp float)",
            f"@store_deref (%{number + 20}, {last if number == 1 else name}) (wrmask=x, access=none)",
        )
    ]
    lines = (
        *(INPUT, OTHER, "32 %3 = fadd %1, %2", "32 %4 = fmul %1, %2", "32 %5 = fneg %1"),
        "32 %10 = deref_var &a (shader_temp float[3])",
        *stores,
        "32 %11 = @load_ubo (%0, %0) (access=none, align_mul=4, align_offset=0, range_base=0, range=4)",
        "32 %12 = deref_array &(*%10)[%11] (shader_temp float)",
        "32 %9 = @load_deref (%12) (access=none)",
    )
    declaration = "decl_var shader_temp INTERP_MODE_NONE none float[3] a"
    return shader("VERTEX", ZERO, *lines, store("VAR0", "%9"), header=(declaration,))


def test_each_element_of_a_small_array_counts() -> None:
    assert isinstance(verify_shaders(indexed("%4"), indexed("%4")), Equivalent)
    assert isinstance(verify_shaders(indexed("%4"), indexed("%1")), Different)


def test_the_first_vertex_counts() -> None:
    vertex = ("32 %5 = @load_vertex_id", "1 %6 = ine %5, %0")
    before = computed(*vertex, "32 %9 = bcsel %6, %1, %2")
    assert isinstance(verify_shaders(before, computed(*vertex, "32 %9 = bcsel %6, %1, %3")), Different)
