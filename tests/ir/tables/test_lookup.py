from __future__ import annotations

import pytest

from nirls.ir import tables
from nirls.ir.tables.releases import RELEASES, parse_releases


def test_opcode_has_shape_and_properties() -> None:
    fdot3 = tables.opcode("fdot3")
    assert fdot3 is not None
    assert fdot3.input_sizes == (3, 3)
    assert fdot3.input_types == ("float", "float")
    assert (fdot3.output_size, fdot3.output_type) == (1, "float")
    assert fdot3.is_commutative
    assert fdot3.releases == RELEASES


def test_conversion_is_marked() -> None:
    f2u32, fadd = tables.opcode("f2u32"), tables.opcode("fadd")
    assert f2u32 is not None
    assert fadd is not None
    assert (f2u32.is_conversion, fadd.is_conversion) == (True, False)


def test_entry_of_some_releases_only() -> None:
    scoped, barrier = tables.intrinsic("scoped_barrier"), tables.intrinsic("barrier")
    assert scoped is not None
    assert barrier is not None
    assert scoped.releases == parse_releases("21.0-23.2")
    assert barrier.releases == parse_releases("23.3-26.2")


def test_changed_entry_has_its_older_form() -> None:
    newest = tables.intrinsic("load_input")
    assert newest is not None
    assert "range" in newest.indices
    assert newest.older is not None
    assert "range" not in newest.older.indices
    assert newest.older.releases == parse_releases("20.3-23.2")
    assert newest.forms()[:2] == (newest, newest.older)


def test_intrinsic_flags() -> None:
    load_ubo, store = tables.intrinsic("load_ubo"), tables.intrinsic("store_ssbo")
    assert load_ubo is not None
    assert store is not None
    assert load_ubo.can_eliminate
    assert load_ubo.can_reorder
    assert not store.can_eliminate
    assert not store.has_dest


def test_system_value() -> None:
    invocation = tables.intrinsic("load_local_invocation_id")
    assert invocation is not None
    assert invocation.is_sysval
    assert invocation.dest_components == 3


def test_unknown_names_are_none() -> None:
    assert tables.opcode("fquux") is None
    assert tables.intrinsic("load_quux") is None
    assert tables.opcode("load_ubo") is None


def test_listings_hold_every_name_once_in_order() -> None:
    assert list(tables.opcodes()) == sorted(tables.opcodes())
    assert list(tables.intrinsics()) == sorted(tables.intrinsics())
    assert all(tables.opcode(name) is entry for name, entry in tables.opcodes().items())
    assert len(tables.opcodes()) >= 650
    assert len(tables.intrinsics()) >= 1100


def test_no_row_repeats_a_form_of_the_same_name() -> None:
    for entry in tables.opcodes().values():
        shapes = [
            (
                *(form.input_types, form.input_sizes, form.output_type, form.output_size),
                *(form.algebraic_properties, form.is_conversion),
            )
            for form in entry.forms()
        ]
        assert len(shapes) == len(set(shapes)), entry.name
    for known in tables.intrinsics().values():
        forms = [
            (
                *(form.src_components, form.has_dest, form.dest_components),
                *(form.bit_sizes, form.indices, form.flags, form.is_sysval),
            )
            for form in known.forms()
        ]
        assert len(forms) == len(set(forms)), known.name


@pytest.mark.parametrize("name", ["imov", "fmov", "fdot_replicated4", "fne", "b2f", "i2f", "fnoise4_3"])
def test_retired_opcode(name: str) -> None:
    entry = tables.opcode(name)
    assert entry is not None
    assert RELEASES.index(entry.releases[-1]) < RELEASES.index("22.0")


@pytest.mark.parametrize(
    "name", ["load_var", "store_var", "load_work_group_id", "load_ubo_indirect", "var_atomic_add"]
)
def test_retired_intrinsic(name: str) -> None:
    entry = tables.intrinsic(name)
    assert entry is not None
    assert RELEASES.index(entry.releases[-1]) < RELEASES.index("22.0")


def test_older_shape_of_a_living_intrinsic() -> None:
    entry = tables.intrinsic("image_load")
    assert entry is not None
    assert [len(form.src_components) for form in entry.forms()][-1] == 2
