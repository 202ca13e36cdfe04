"""Inputs: flat and interpolated ones, offsets, vertices."""

from __future__ import annotations

import numpy as np
import pytest

from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.state.options import RunOptions
from nirls.verification.evaluate.surroundings.environment import Environment, PipelineState
from nirls.verification.evaluate.surroundings.result import OutputKey
from tests.verification.evaluate.shader_text import DATA0, VAR0, floats, run, shader_of, store, stored

SEMANTICS = "dest_type=float32, io location=VARYING_SLOT_VAR{} slots={})"


def fragment(*lines: str):  # type: ignore[no-untyped-def]
    head = [
        "    block b0:   // preds:",
        "    32     %0 = load_const (0x00000000)",
        "    32     %1 = load_const (0x00000001)",
        "    32     %2 = load_const (0x00000002)",
    ]
    return run(shader_of("\n".join([*head, *lines, "                // succs: b99"]), "FRAGMENT"), lanes=16)


def at_vertex(name: str, vertex: int) -> str:
    return (
        f"    32     %{name} = @load_input_vertex (%{vertex} (0x{vertex}), %0 (0x0)) (base=0, component=0, "
        + SEMANTICS.format(0, 1)
    )


def smooth(name: str, weight: str) -> str:
    return (
        f"    32     %{name} = @load_interpolated_input (%{weight}, %0 (0x0)) (base=0, component=0, "
        + SEMANTICS.format(0, 1)
    )


def test_a_smooth_input_is_the_mixture_of_its_vertices() -> None:
    result = fragment(
        "    32x2   %3 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)",
        *(at_vertex(str(10 + vertex), vertex) for vertex in range(3)),
        smooth("20", "3"),
        "    32     %21 = mov %3.x",
        "    32     %22 = mov %3.y",
        *(store(str(10 + vertex), "0", "FRAG_RESULT_DATA0", vertex) for vertex in range(3)),
        store("20", "0", "FRAG_RESULT_DATA0", 3),
        store("21", "0", "FRAG_RESULT_DATA1", 0),
        store("22", "0", "FRAG_RESULT_DATA1", 1),
    )
    first, second, third, mixed = (np.array(floats(result, n, DATA0)) for n in range(4))
    i, j = (np.array(floats(result, n, DATA0 + 1)) for n in range(2))
    usable = np.isfinite(first + second + third) & (abs(first) + abs(second) + abs(third) < 1e4)
    assert usable.sum() >= 8
    expected = first + i * (second - first) + j * (third - first)
    assert np.allclose(mixed[usable], expected[usable], rtol=1e-4, atol=1e-4)


def test_a_flat_input_is_that_of_the_provoking_vertex() -> None:
    result = fragment(
        "    32     %3 = @load_input (%0 (0x0)) (base=0, range=1, component=0, " + SEMANTICS.format(0, 1),
        at_vertex("4", 0),
        at_vertex("5", 1),
        *(store(str(3 + place), "0", "FRAG_RESULT_DATA0", place) for place in range(3)),
    )
    assert stored(result, 0, DATA0) == stored(result, 1, DATA0) != stored(result, 2, DATA0)


def test_offsets_and_samples_move_the_place() -> None:
    lines = [
        "    32x2   %3 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)",
        "    32x2   %4 = vec2 %0, %0",
        "    32x2   %5 = @load_barycentric_at_offset (%4) (interp_mode=INTERP_MODE_SMOOTH)",
        "    32     %6 = load_const (0x3e800000 = 0.250000)",
        "    32x2   %7 = vec2 %6, %0",
        "    32x2   %8 = @load_barycentric_at_offset (%7) (interp_mode=INTERP_MODE_SMOOTH)",
        *(f"    32     %1{number} = mov %{number}.x" for number in (3, 5, 8)),
        *(store(f"1{number}", "0", "FRAG_RESULT_DATA0", place) for place, number in enumerate((3, 5, 8))),
    ]
    result = fragment(*lines)
    assert stored(result, 0, DATA0) == stored(result, 1, DATA0)
    assert all(a != b for a, b in zip(stored(result, 0, DATA0), stored(result, 2, DATA0), strict=True))


@pytest.mark.parametrize("stage", ["TESS_CTRL", "GEOMETRY"])
def test_arrayed_inputs_are_told_apart_by_vertex_and_slot(stage: str) -> None:
    def load(name: str, vertex: str, offset: str, slot: int) -> str:
        place = f"(%{vertex}, %{offset}) (base=0, range=2, component=0, "
        return f"    32     %{name} = @load_per_vertex_input {place}" + SEMANTICS.format(slot, 2)

    body = "\n".join(
        [
            "    block b0:   // preds:",
            "    32     %0 = load_const (0x00000000)",
            "    32     %1 = load_const (0x00000001)",
            load("2", "0", "0", 0),
            load("3", "1", "0", 0),
            load("4", "0", "1", 0),
            load("5", "0", "0", 1),
            *(store(str(2 + place), "0", component=place) for place in range(4)),
            "                // succs: b99",
        ]
    )
    result = run(shader_of(body, stage), lanes=6)
    first, vertex, offset, slot = (stored(result, place) for place in range(4))
    assert offset == slot
    assert first != vertex
    assert first != offset


def test_an_undefined_offset_gives_undefined() -> None:
    result = fragment(
        "    32     %3 = undefined",
        "    32     %4 = @load_input (%3) (base=0, range=2, component=0, " + SEMANTICS.format(0, 2),
        store("4", "0", "FRAG_RESULT_DATA0"),
    )
    assert result.outputs[OutputKey(DATA0, 0)].poison.all()
    assert OutputKey(VAR0, 0) not in result.outputs


def test_an_undefined_offset_of_an_interpolated_input_gives_undefined() -> None:
    result = fragment(
        "    32     %3 = undefined",
        "    32x2   %4 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)",
        "    32     %5 = @load_interpolated_input (%4, %3) (base=0, component=0, " + SEMANTICS.format(0, 2),
        store("5", "0", "FRAG_RESULT_DATA0"),
    )
    assert result.outputs[OutputKey(DATA0, 0)].poison.all()


def test_an_offset_of_an_interpolated_input_counts_slots() -> None:
    load = "    32     %{} = @load_interpolated_input (%4, %{}) (base=0, component=0, "
    result = fragment(
        "    32x2   %4 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)",
        load.format(5, 1) + SEMANTICS.format(0, 2),
        load.format(6, 0) + SEMANTICS.format(1, 1),
        store("5", "0", "FRAG_RESULT_DATA0", 0),
        store("6", "0", "FRAG_RESULT_DATA0", 1),
    )
    assert stored(result, 0, DATA0) == stored(result, 1, DATA0)


@pytest.mark.parametrize(("flat_shade", "mode"), [(True, "NONE"), (False, "NONE"), (True, "SMOOTH")])
def test_colors_without_interpolation_follow_the_shade_model(flat_shade: bool, mode: str) -> None:
    color = "dest_type=float32, io location=VARYING_SLOT_COL0 slots=1)"
    text = "\n".join(
        [
            "    block b0:   // preds:",
            "    32     %0 = load_const (0x00000000)",
            f"    32x2   %1 = @load_barycentric_pixel (interp_mode=INTERP_MODE_{mode})",
            f"    32     %2 = @load_interpolated_input (%1, %0 (0x0)) (base=0, component=0, {color}",
            f"    32     %3 = @load_input_vertex (%0 (0x0), %0 (0x0)) (base=0, component=0, {color}",
            store("2", "0", "FRAG_RESULT_DATA0", 0),
            store("3", "0", "FRAG_RESULT_DATA0", 1),
            "                // succs: b99",
        ]
    )
    environment = Environment(1, state=PipelineState(flat_shade=flat_shade))
    result = Machine(shader_of(text, "FRAGMENT")).run(environment, lanes=16)
    vertices = [stored(result, number, DATA0) for number in range(2)]
    assert (vertices[0] == vertices[1]) is (flat_shade and mode == "NONE")


@pytest.mark.parametrize("is_sampled", [False, True])
@pytest.mark.parametrize("is_exact", [False, True])
def test_interpolation_rounds_unless_it_is_said_to_be_exact(is_exact: bool, is_sampled: bool) -> None:
    """A texture has the error of its coordinates, and of their derivatives."""
    lines = [
        "    block b0:   // preds:",
        "    32     %0 = load_const (0x00000000)",
        "    32x2   %3 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)",
        smooth("4", "3"),
        "    32x2   %5 = vec2 %4, %4",
        "    32x4   %6 = (float32)tex %5 (coord), 0 (texture), 0 (sampler)",
        "    32     %7 = mov %6.x",
        store("7" if is_sampled else "4", "0", "FRAG_RESULT_DATA0"),
        "                // succs: b99",
    ]
    machine = Machine(shader_of("\n".join(lines), "FRAGMENT"))
    options = RunOptions(track_error=True, interpolation_is_exact=is_exact)
    environment = Environment(1, special=0.0)
    result = machine.run(environment, lanes=16, options=options)
    assert (result.outputs[OutputKey(DATA0, 0)].error > 0).any() == (not is_exact)
    assert len(result.interpolations) == 1
    assert machine.run(environment, lanes=16).interpolations == result.interpolations


def test_interpolations_differ_by_their_place() -> None:
    lines = [
        "    block b0:   // preds:",
        "    32     %0 = load_const (0x00000000)",
        "    32x2   %3 = @load_barycentric_{} (interp_mode=INTERP_MODE_SMOOTH)",
        smooth("4", "3"),
        store("4", "0", "FRAG_RESULT_DATA0"),
        "                // succs: b99",
    ]
    environment = Environment(1)
    pixel, centroid, again = (
        Machine(shader_of("\n".join(lines).format(where), "FRAGMENT"))
        .run(environment, lanes=16)
        .interpolations
        for where in ("pixel", "centroid", "pixel")
    )
    assert pixel == again
    assert not pixel & centroid
