from __future__ import annotations

from nirls.ir import tables
from nirls.ir.tables.vendors import VENDORS, vendor_of


def test_vendor_is_the_last_word() -> None:
    assert vendor_of("load_shared2_amd") == "AMD hardware"
    assert vendor_of("load_ubo") == ""


def test_every_vendor_has_intrinsics() -> None:
    assert VENDORS.keys() == {name.rpartition("_")[2] for name in tables.intrinsics() if vendor_of(name)}
