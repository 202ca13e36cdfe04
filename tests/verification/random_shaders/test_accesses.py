"""The text of loads and stores of varyings."""

from __future__ import annotations

import random

from nirls.verification.random_shaders.accesses import load, store, take
from nirls.verification.random_shaders.body import Body
from nirls.verification.random_shaders.interfaces import RandomVarying

ARRAY = RandomVarying("VAR8", 1, elements=3)


def test_a_load_names_the_source_before_its_offset() -> None:
    body = Body(random.Random(1), "TESS_EVAL")
    vertex = body.int_constant(2)
    load(body, "load_per_vertex_input", RandomVarying("VAR1", 3), vertex)
    assert (
        f"@load_per_vertex_input (%{vertex}, %{body.zero}) (base=0, range=1, component=3," in body.lines[-1]
    )
    load(body, "load_interpolated_input", RandomVarying("VAR1", 3), vertex)
    assert "range" not in body.lines[-1]


def test_an_index_that_is_not_constant_touches_all_slots_of_an_array() -> None:
    body = Body(random.Random(1), "VERTEX")
    store(body, ARRAY, body.zero, at=(body.zero, None))
    assert "range=3" in body.lines[-1]
    assert "VARYING_SLOT_VAR8 slots=3" in body.lines[-1]
    store(body, ARRAY, body.zero, at=(body.zero, 2))
    assert "range=1" in body.lines[-1]
    assert "VARYING_SLOT_VAR10 slots=1" in body.lines[-1]


def test_transform_feedback_of_high_components_is_in_the_second_index() -> None:
    body = Body(random.Random(1), "VERTEX")
    for component, tail in ((1, "xfb({}), xfb2())"), (2, "xfb(), xfb2({}))")):
        store(body, RandomVarying("VAR0", component), body.zero, captured=8)
        assert body.lines[-1].endswith(tail.format(f"component={component} buffer=0 offset=8"))


def test_only_geometry_shaders_name_streams() -> None:
    for stage, count in (("VERTEX", 0), ("GEOMETRY", 1)):
        body = Body(random.Random(1), stage)
        store(body, RandomVarying("VAR0", 0), body.zero)
        assert body.lines[-1].count("gs_streams") == count


def test_ints_are_read_as_floats_where_there_is_no_integer_arithmetic() -> None:
    body = Body(random.Random(1), "FRAGMENT")
    take(body, RandomVarying("LAYER", 0, is_integer=True), body.zero)
    assert "i2f32" in body.lines[-1]
    assert len(body.floats) == 1
