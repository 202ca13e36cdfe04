"""What can run."""

from __future__ import annotations

from nirls.ir.tables import intrinsic, opcode
from nirls.verification.evaluate.supported import supported_alu_opcodes, supported_intrinsics


def test_intrinsics_of_all_families() -> None:
    names = supported_intrinsics()
    assert {"load_deref", "store_ssbo", "reduce", "image_load", "emit_vertex", "barrier", "ddx"} <= names
    assert sum(intrinsic(name) is not None for name in names) > 250
    assert "ignore_ray_intersection" not in supported_intrinsics()


def test_derivatives_count_as_opcodes() -> None:
    names = supported_alu_opcodes()
    assert {"fadd", "fddx", "fddy_coarse"} <= names
    assert len(names) > 300
    assert opcode("fadd") is not None
