from __future__ import annotations

import pytest

from nirls.ir import tables
from nirls.ir.tables.retired import RETIRED_INTRINSICS, RETIRED_OPCODES
from nirls.ir.tables.rows import parse_intrinsic, parse_opcode


def rows(table: str) -> list[str]:
    return [row for row in table.splitlines() if row]


def test_every_row_is_in_the_notation() -> None:
    assert all(parse_opcode(row).releases for row in rows(RETIRED_OPCODES))
    assert all(parse_intrinsic(row).releases for row in rows(RETIRED_INTRINSICS))


def test_no_row_repeats_a_form_of_the_same_name() -> None:
    for entry in tables.opcodes().values():
        shapes = [(form.input_types, form.input_sizes, form.output_type) for form in entry.forms()]
        assert len(shapes) == len(set(shapes)), entry.name
    for known in tables.intrinsics().values():
        forms = [
            (form.src_components, form.dest_components, form.bit_sizes, form.indices, form.flags)
            for form in known.forms()
        ]
        assert len(forms) == len(set(forms)), known.name


@pytest.mark.parametrize("name", ["imov", "fmov", "fdot_replicated4", "fne", "b2f", "i2f", "fnoise4_3"])
def test_retired_opcode(name: str) -> None:
    entry = tables.opcode(name)
    assert entry is not None
    assert not {"22.3", "25.0"} & set(entry.releases)


@pytest.mark.parametrize(
    "name", ["load_var", "store_var", "load_work_group_id", "load_ubo_indirect", "var_atomic_add"]
)
def test_retired_intrinsic(name: str) -> None:
    entry = tables.intrinsic(name)
    assert entry is not None
    assert not {"22.3", "25.0"} & set(entry.releases)


def test_older_shape_of_a_living_intrinsic() -> None:
    entry = tables.intrinsic("image_load")
    assert entry is not None
    assert [len(form.src_components) for form in entry.forms()][-1] == 2
