"""What random stages hand to each other."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from nirls.verification.random_shaders.interfaces import (
    RandomVarying,
    by_declaration,
    declarations,
    fragment_inputs,
    patch_inputs,
    vertex_inputs,
)


def test_semantics_name_the_element_or_all_of_them() -> None:
    array = RandomVarying("VAR8", 2, elements=4)
    assert "component=2, src_type=float32" in array.semantics("src_type", 3)
    assert "VARYING_SLOT_VAR11 slots=1" in array.semantics("src_type", 3)
    assert "VARYING_SLOT_VAR8 slots=4" in array.semantics("src_type", None)
    assert RandomVarying("VAR0", 0, 16, high=True).semantics("src_type").endswith("slots=1 high_16bits")
    assert "BFC1" in RandomVarying("COL1", 0).semantics("src_type", slot="BFC1")
    assert "dest_type=int32" in RandomVarying("LAYER", 0, is_integer=True).semantics("dest_type")
    assert "location=VERT_ATTRIB_POS" in RandomVarying("VERT_ATTRIB_POS", 0).semantics("dest_type")


@pytest.mark.parametrize("number", range(40))
def test_no_two_varyings_share_a_place(number: int) -> None:
    for made in (
        fragment_inputs(random.Random(number), "VERTEX"),
        vertex_inputs(random.Random(number)),
        patch_inputs(random.Random(number)),
    ):
        places = Counter((one.slot, one.component, one.high if one.bits == 16 else None) for one in made)
        assert max(places.values(), default=0) <= 1
        whole = {(one.slot, one.component) for one in made if one.bits == 32}
        assert whole.isdisjoint((one.slot, one.component) for one in made if one.bits == 16)


def test_what_a_stage_cannot_have_is_not_made() -> None:
    """Integers are not interpolated; only geometry and mesh shaders write a primitive number."""
    for number in range(60):
        inputs = fragment_inputs(random.Random(number), "VERTEX")
        assert not any(one.slot == "PRIMITIVE_ID" or one.per_primitive for one in inputs)
        assert not any(one.is_integer and one.barycentric for one in inputs)
        assert all(one.patch for one in patch_inputs(random.Random(number)))


@pytest.mark.parametrize("number", range(40))
def test_a_declared_slot_has_one_qualifier(number: int) -> None:
    made = by_declaration(fragment_inputs(random.Random(number), "VERTEX"))
    qualifiers: dict[str, set[tuple[str, str]]] = {}
    for one in made:
        stem = one.slot.rstrip("0123456789")
        for element in range(one.elements):
            slot = one.slot if one.elements == 1 else f"{stem}{int(one.slot[len(stem) :]) + element}"
            qualifiers.setdefault(slot, set()).add((one.barycentric, one.mode))
    assert all(len(found) == 1 for found in qualifiers.values())


def test_declarations_of_inputs() -> None:
    made = [
        RandomVarying("VAR1", 2, barycentric="load_barycentric_centroid", mode="NOPERSPECTIVE"),
        RandomVarying("VAR8", 0, 16, elements=2),
        RandomVarying("LAYER", 0, is_integer=True),
        RandomVarying("VAR2", 0, per_primitive=True),
    ]
    assert declarations(made) == [
        "decl_var centroid shader_in INTERP_MODE_NOPERSPECTIVE none float in0 (VARYING_SLOT_VAR1.z, 0, 0)",
        "decl_var shader_in INTERP_MODE_FLAT none float16_t[2] in1 (VARYING_SLOT_VAR8.x, 1, 0)",
        "decl_var shader_in INTERP_MODE_FLAT none uint in2 (VARYING_SLOT_LAYER.x, 2, 0)",
    ]
