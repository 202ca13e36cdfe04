from __future__ import annotations

import pytest

ZERO = "32    %0 = load_const (0x00000000 = 0.000000)"


def store(io: str, *, component: int = 0, src_type: str = "float32", xfb: str = "xfb(), xfb2()") -> str:
    return (
        f"@store_output (%0, %0) (base=0, range=1, wrmask=x, component={component},"
        f" src_type={src_type}, io {io}, {xfb})"
    )


def marked(line: str) -> str:
    return f"\n{ZERO}\n{line}\n{'^' * len(line)}\n"


ATTRIBUTE = (
    "32    %1 = @load_input (%0) (base=0, range=1, component=0, dest_type=float32,"
    " io location=VERT_ATTRIB_EDGEFLAG slots={})"
)
SUSPICIOUS = [
    (
        "wrong-stage",
        "FRAGMENT",
        "@barrier (execution_scope=WORKGROUP, memory_scope=WORKGROUP, mem_semantics=ACQ|REL, mem_modes=ssbo)",
    ),
    (
        "bad-index",
        "VERTEX",
        store("location=VARYING_SLOT_VAR0 slots=1", xfb="xfb(component=x buffer=0 offset=0), xfb2()"),
    ),
    ("bad-bit-size", "FRAGMENT", "8x2   %1 = @load_barycentric_pixel (interp_mode=INTERP_MODE_NONE)"),
    (
        "bad-alignment",
        "COMPUTE",
        "32    %1 = @load_kernel_input (%0) (base=0, range=4, align_mul=12, align_offset=0)",
    ),
]
BAD = [
    ("bad-slot", "TESS_CTRL", ATTRIBUTE.format(40)),
    ("bad-slot", "FRAGMENT", store("location=FRAG_RESULT_DATA7 slots=4")),
    ("bad-slot", "VERTEX", store("location=VARYING_SLOT_VAR0 slots=1", component=4)),
    ("bad-slot", "VERTEX", store("location=VARYING_SLOT_VAR0 slots=200")),
    ("wrong-stage", "VERTEX", store("location=VARYING_SLOT_VAR0 slots=1 dualsrc")),
    ("wrong-stage", "VERTEX", store("location=VARYING_SLOT_VAR0 slots=1 gs_streams(x=1 y=0 z=0 w=0)")),
    ("wrong-stage", "FRAGMENT", store("location=FRAG_RESULT_DATA0 slots=1 high_dvec2")),
    ("bad-bit-size", "VERTEX", store("location=VARYING_SLOT_VAR0 slots=1", src_type="float16")),
    (
        "bad-xfb",
        "VERTEX",
        store(
            "location=VARYING_SLOT_VAR0 slots=1",
            xfb="xfb(components=0..1 buffer=0 offset=0, component=1 buffer=0 offset=8), xfb2()",
        ),
    ),
    (
        "bad-alignment",
        "FRAGMENT",
        "32    %1 = @load_ubo (%0, %0) (access=none, align_mul=12, align_offset=0, range_base=0, range=16)",
    ),
    (
        "bad-alignment",
        "FRAGMENT",
        "32    %1 = @load_ubo (%0, %0) (access=none, align_mul=4, align_offset=4, range_base=0, range=16)",
    ),
    (
        "bad-index",
        "FRAGMENT",
        "32    %1 = @load_ubo (%0, %0) (access=none, align_mul=4, align_offset=0, range_base=0, range=0)",
    ),
    ("bad-index", "FRAGMENT", "32x2  %1 = @load_barycentric_pixel (interp_mode=INTERP_MODE_FLAT)"),
    (
        "bad-bit-size",
        "FRAGMENT",
        "1     %1 = @load_ubo (%0, %0) (access=none, align_mul=4, align_offset=0, range_base=0, range=16)",
    ),
]

GOOD = [
    ("TESS_CTRL", ATTRIBUTE.format(1)),
    ("TESS_CTRL", ATTRIBUTE.format("1 high_dvec2")),
    ("FRAGMENT", store("location=FRAG_RESULT_DATA0 slots=8 dualsrc")),
    ("VERTEX", store("location=VARYING_SLOT_VAR31 slots=1", component=3)),
    ("GEOMETRY", store("location=VARYING_SLOT_VAR0 slots=1 gs_streams(x=1 y=0 z=0 w=0)")),
    ("FRAGMENT", store("location=UNKNOWN slots=1")),
    (
        "VERTEX",
        store(
            "location=VARYING_SLOT_VAR0 slots=1",
            xfb="xfb(component=0 buffer=0 offset=0, component=1 buffer=0 offset=8), xfb2()",
        ),
    ),
    (
        "FRAGMENT",
        "@barrier (execution_scope=NONE, memory_scope=DEVICE, mem_semantics=ACQ|REL, mem_modes=ssbo)",
    ),
    (
        "COMPUTE",
        "@barrier (execution_scope=WORKGROUP, memory_scope=WORKGROUP, mem_semantics=ACQ|REL, mem_modes=ssbo)",
    ),
    ("FRAGMENT", "32x2  %1 = @load_barycentric_pixel (interp_mode=INTERP_MODE_NOPERSPECTIVE)"),
]


@pytest.mark.parametrize(("code", "stage", "line"), BAD)
def test_bad(check, code: str, stage: str, line: str) -> None:
    check(code, marked(line), stage=stage, severity="warning" if code == "bad-slot" else "error")


@pytest.mark.parametrize(("code", "stage", "line"), SUSPICIOUS)
def test_what_mesa_does_not_check_is_a_warning(check, code: str, stage: str, line: str) -> None:
    check(code, marked(line), stage=stage, severity="warning")


def test_slots_of_vertex_attributes_may_be_none(check_clean) -> None:
    # brw_nir_lower_vs_inputs of Mesa 22.3 reads gl_VertexID so.
    line = ATTRIBUTE.replace("component=0", "component=3").format(0)
    check_clean(f"{ZERO}\n{line}", stage="VERTEX")


@pytest.mark.parametrize(("stage", "line"), GOOD)
def test_good(check_clean, stage: str, line: str) -> None:
    check_clean(f"{ZERO}\n{line}", stage=stage)


def test_patch_slot_of_a_vertex(check, check_clean) -> None:
    def line(name: str, sources: str) -> str:
        return (
            f"@{name} ({sources}) (base=0, range=1, wrmask=x, component=0, src_type=float32,"
            " io location=VARYING_SLOT_PATCH0 slots=1)"
        )

    check("bad-slot", marked(line("store_per_vertex_output", "%0, %0, %0")), stage="TESS_CTRL")
    store_patch = line("store_output", "%0, %0").replace(" slots=1)", " slots=1, xfb(), xfb2())")
    check_clean(f"{ZERO}\n{store_patch}", stage="TESS_CTRL")


FUNCTION = """shader: MESA_SHADER_FRAGMENT
decl_function scaled (32)
decl_function main () (entrypoint)

impl scaled {{
    block b0:  // preds:
    32    %0 = @load_param (param_idx={index})
          // succs: b1
    block b1:
}}
"""


def test_parameter_that_exists(check_clean) -> None:
    check_clean(FUNCTION.format(index=0))


def test_parameter_that_does_not_exist(check) -> None:
    text = FUNCTION.format(index=1)
    line = next(line for line in text.splitlines() if "load_param" in line)
    carets = " " * 4 + "^" * (len(line) - 4)
    check("bad-parameter", text.replace(line, f"{line}\n{carets}"))


def test_coefficients_are_of_one_component(check_clean) -> None:
    check_clean(
        "32    %0 = load_const (0x00000000)\n"
        "32x3  %1 = @load_fs_input_interp_deltas (%0) (base=33, component=2, io location=33 slots=1)",
        stage="FRAGMENT",
    )


@pytest.mark.parametrize("flags", ["dualsrc", "high_dvec2", "gs_streams(x=1 y=0 z=0 w=0)"])
def test_flags_of_loads_are_not_checked(check_clean, flags: str) -> None:
    # Mesa checks those of stores; Honeykrisp lowers vertex shaders to compute shaders.
    line = (
        "32    %1 = @load_input (%0) (base=0, range=1, component=0, dest_type=float32,"
        f" io location=1 slots=1 {flags})"
    )
    check_clean(f"{ZERO}\n{line}", stage="COMPUTE")
