from __future__ import annotations

import pytest

from nirls.ir.mesa_test import mesa_api


@pytest.mark.parametrize(
    ("version", "release"),
    [
        ("25.0", "25.0"),
        ("25.0.7", "25.0"),
        ("25.1", "25.1"),
        ("25.3", "25.1"),
        ("26", "26.2"),
        ("26.0", "26.2"),
    ],
)
def test_a_version_has_the_api_of_a_known_release(version: str, release: str) -> None:
    assert mesa_api(version).release == release


@pytest.mark.parametrize("version", ["24.3", "27", "x", "25.x", ""])
def test_other_versions_are_refused(version: str) -> None:
    with pytest.raises(ValueError, match=r"Mesa"):
        mesa_api(version)


def test_the_instruction_of_a_value() -> None:
    assert mesa_api("25.0").as_intrinsic("ssa_1") == "nir_instr_as_intrinsic(ssa_1->parent_instr)"
    assert mesa_api("26").as_alu("ssa_1") == "nir_def_as_alu(ssa_1)"
    assert mesa_api("26").maker("mov") == "nir_def_instr(mov)"
