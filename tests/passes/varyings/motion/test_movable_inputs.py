"""Which inputs may have a part in a moved expression, and how they are read."""

from __future__ import annotations

import pytest

from nirls.ir.io.interpolation import Interpolation
from nirls.ir.model.shader import Shader
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.motion.convergence import find_convergent
from nirls.passes.varyings.motion.movability import ReadAs, ReadMode
from nirls.passes.varyings.motion.movable_inputs import movable_inputs
from nirls.passes.varyings.values.tess_interpolation import TessEquation
from tests.passes.shader_text import ONE, ZERO, load, shader, store, use
from tests.passes.varyings.pairs import OPTIONS, fragment, interface_of, interpolated, vertex

OUTPUT = (store("VAR0", "%10"),)
DRAW = ("32    %19 = @load_draw_id", "32    %20 = u2f32 %19", store("VAR0", "%20"))


def readings(stores: tuple[str, ...], lines: tuple[str, ...], options: LinkOptions = OPTIONS) -> list[ReadAs]:
    interface = interface_of(vertex(*stores), fragment(*lines), options)
    find_convergent(interface)
    return [item.read_as for item in movable_inputs(interface)]


@pytest.mark.parametrize(
    ("stores", "line", "expected"),
    [
        (OUTPUT, load(4, "VAR0"), ReadMode.FLAT),
        (OUTPUT, interpolated(4, "VAR0"), Interpolation.PERSPECTIVE_PIXEL),
        (OUTPUT, interpolated(4, "VAR0", coordinates=3), Interpolation.PERSPECTIVE_CENTROID),
        (DRAW, interpolated(4, "VAR0"), ReadMode.CONVERGENT),
    ],
)
def test_readings(stores: tuple[str, ...], line: str, expected: ReadAs) -> None:
    assert readings(stores, (line, use("%4"))) == [expected]


def test_float_controls_keep_convergent_inputs_where_they_are() -> None:
    lines = (interpolated(4, "VAR0"), use("%4"))
    assert readings(DRAW, lines, LinkOptions(preserve_nans=True)) == []


def test_one_store_and_one_load() -> None:
    assert readings((*OUTPUT, store("VAR0", "%11")), (load(4, "VAR0"), use("%4"))) == []
    assert readings(OUTPUT, (load(4, "VAR0"), load(5, "VAR0"), use("%4"), use("%5"))) == []


def test_inputs_that_something_unknown_reads_stay() -> None:
    deltas = load(5, "VAR0", name="load_fs_input_interp_deltas")
    assert readings(OUTPUT, (load(4, "VAR0"), deltas, use("%4"))) == []


@pytest.mark.parametrize(("number", "count"), [("%9", 1), ("%1", 0)])
def test_outputs_of_another_vertex_stay(number: str, count: int) -> None:
    line = store("VAR0", "%10", name="store_per_vertex_output").replace("%0 (0x0)", number, 1)
    control = vertex(
        "32    %9 = @load_invocation_id".replace("%9", "%19"), line.replace("%9", "%19"), stage="TESS_CTRL"
    )
    items = movable_inputs(interface_of(control, by_hand()))
    assert len(items) == count


def test_colors_do_not_move() -> None:
    assert readings((store("COL0", "%10"),), (interpolated(4, "COL0"), use("%4"))) == []


def by_hand() -> Shader:
    """A shader that interpolates an input itself, as %6."""
    corners = [
        f"32    %{4 + vertex} = @load_per_vertex_input (%{2 * vertex}, %0 (0x0)) (base=0, range=1,"
        " component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)"
        for vertex in range(2)
    ]
    return shader(
        "TESS_EVAL",
        ZERO,
        ONE,
        "32    %2 = load_const (0x00000001)",
        "32x3  %3 = @load_tess_coord",
        *corners,
        "32    %6 = flrp %4, %5, %3.x",
        use("%6"),
    )


def test_interpolation_by_hand_stands_for_its_loads() -> None:
    [item] = movable_inputs(interface_of(vertex(*OUTPUT), by_hand()))
    assert isinstance(item.read_as, TessEquation)
    assert item.load.def_ is not None
    assert item.load.def_.index == 6
