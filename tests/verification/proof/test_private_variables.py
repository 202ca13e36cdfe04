from __future__ import annotations

from nirls.verification.proof.private_variables import PrivateVariables
from tests.verification.proof.forwarding_shaders import V, W, get, put, result, straight


def test_only_cells_that_something_reads_are_kept() -> None:
    shader = straight(V, W, put("%10", "%2"), put("%11", "%4"), get(30, "%11"), *result("%30"))
    impl = next(shader.impls())
    private = PrivateVariables(shader, impl, shader_temps=True, ambiguous=())
    assert {cell.variable.name for cell in private.cells} == {"w", "o"}
    without = PrivateVariables(shader, impl, shader_temps=False, ambiguous=())
    assert {cell.variable.name for cell in without.cells} == {"w"}
