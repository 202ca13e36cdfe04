from __future__ import annotations

from nirls.passes.cleanup.lower_io_to_scalar import lower_io_to_scalar
from tests.passes.expectation import assert_becomes, assert_unchanged

ZERO = "32 %0 = load_const (0x00000000)"


def load(value: str, component: int, size: str = "32", range_: int = 0, offset: str = "%0") -> str:
    return (
        f"{size} {value} = @load_input ({offset}) (base=3, range={range_}, component={component},"
        " dest_type=float32, io location=VERT_ATTRIB_GENERIC0 slots=1)"
    )


def store(
    value: str,
    component: int,
    mask: str = "x",
    range_: int = 0,
    xfb: str = "",
    xfb2: str = "",
    flags: str = "",
) -> str:
    return (
        f"@store_output ({value}, %0) (base=1, range={range_}, wrmask={mask}, component={component},"
        f" src_type=float32, io location=VARYING_SLOT_VAR0 slots=1{flags}, xfb({xfb}), xfb2({xfb2}))"
    )


def body(*lines: str) -> str:
    return "\n".join(["block b0:", ZERO, *lines, "block b1:"])


def test_load() -> None:
    assert_becomes(
        lower_io_to_scalar,
        body(load("%1", 1, "32x2", 1), "32x2 %2 = fneg %1"),
        body(load("%3", 1), load("%4", 2), "32x2 %1 = vec2 %3, %4", "32x2 %2 = fneg %1"),
        stage="VERTEX",
    )


def test_store_writes_what_its_mask_says() -> None:
    vector = "32x3 %1 = load_const (0x1, 0x2, 0x3)"
    assert_becomes(
        lower_io_to_scalar,
        body(vector, store("%1", 1, "xz", 1)),
        body(vector, "32 %2 = mov %1.x", store("%2", 1), "32 %3 = mov %1.z", store("%3", 3)),
        stage="VERTEX",
    )


def test_transform_feedback_is_split() -> None:
    vector = "32x3 %1 = load_const (0x1, 0x2, 0x3)"
    assert_becomes(
        lower_io_to_scalar,
        body(vector, store("%1", 0, "xyz", 1, xfb="components=0..2 buffer=2 offset=16")),
        body(
            vector,
            "32 %2 = mov %1.x",
            store("%2", 0, xfb="component=0 buffer=2 offset=16"),
            "32 %3 = mov %1.y",
            store("%3", 1, xfb="component=1 buffer=2 offset=20"),
            "32 %4 = mov %1.z",
            store("%4", 2, xfb2="component=2 buffer=2 offset=24"),
        ),
        stage="VERTEX",
    )


def test_components_that_nothing_can_read_are_not_stored() -> None:
    vector = "32x2 %1 = load_const (0x1, 0x2)"
    flags = " no_varying no_sysval_output"
    assert_becomes(
        lower_io_to_scalar,
        body(vector, store("%1", 0, "xy", 1, xfb="component=1 buffer=0 offset=0", flags=flags)),
        body(vector, "32 %3 = mov %1.y", store("%3", 1, xfb="component=1 buffer=0 offset=0", flags=flags)),
        stage="VERTEX",
    )


def test_wide_components_go_on_in_the_next_slot() -> None:
    def wide(value: str, component: int, size: str = "64", range_: int = 0, offset: str = "%0") -> str:
        text = load(value, component, size, range_, offset)
        return text.replace("slots=1", "slots=2").replace("float32", "float64")

    assert_becomes(
        lower_io_to_scalar,
        body(wide("%1", 0, "64x3", 1), "64x3 %2 = fneg %1"),
        body(
            wide("%3", 0),
            wide("%4", 2),
            "32 %5 = load_const (0x00000001)",
            "32 %6 = iadd %0, %5",
            wide("%7", 0, offset="%6"),
            "64x3 %1 = vec3 %3, %4, %7",
            "64x3 %2 = fneg %1",
        ),
        stage="VERTEX",
    )


def test_streams_of_a_geometry_shader() -> None:
    vector = "32x2 %1 = load_const (0x1, 0x2)"
    assert_becomes(
        lower_io_to_scalar,
        body(vector, store("%1", 0, "xy", 1, flags=" gs_streams(x=0 y=3 z=0 w=0)")),
        body(
            vector,
            "32 %2 = mov %1.x",
            store("%2", 0, flags=" gs_streams(x=0 y=0 z=0 w=0)"),
            "32 %3 = mov %1.y",
            store("%3", 1, flags=" gs_streams(x=3 y=0 z=0 w=0)"),
        ),
        stage="GEOMETRY",
    )


def test_scalars_stay() -> None:
    assert_unchanged(lower_io_to_scalar, body(load("%1", 0), store("%1", 0)), stage="VERTEX")


def test_transform_feedback_of_64_bit_components_captures_two_words_each() -> None:
    vector = "64x2 %1 = load_const (0x1, 0x2)"

    def wide(value: str, component: int, mask: str = "x", range_: int = 0, **xfb: str) -> str:
        return store(value, component, mask, range_, **xfb).replace("float32", "float64")

    whole = wide("%1", 0, "xy", 1, xfb="components=0..3 buffer=1 offset=8")
    assert_becomes(
        lower_io_to_scalar,
        body(vector, whole),
        body(
            vector,
            "64 %2 = mov %1.x",
            wide("%2", 0, xfb="components=0..1 buffer=1 offset=8"),
            "64 %3 = mov %1.y",
            wide("%3", 2, xfb2="components=2..3 buffer=1 offset=16"),
        ),
        stage="VERTEX",
    )
