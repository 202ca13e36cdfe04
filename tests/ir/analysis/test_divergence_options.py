"""Whose rules a dump was marked by, and the questions that can be asked of the same driver."""

from __future__ import annotations

from nirls.ir.analysis.divergence_options import DivergenceOptions, Release
from nirls.ir.model.shader import Dialect


def test_release_of_a_dialect() -> None:
    assert Release.of_dialect(Dialect.MODERN) is Release.MESA_25_0
    assert Release.of_dialect(Dialect.CLASSIC) is Release.MESA_22_3
    assert Release.of_dialect(Dialect.OLD) is Release.MESA_22_3


def test_other_questions_keep_the_facts_of_the_driver() -> None:
    driver = DivergenceOptions(single_prim_per_subgroup=True, release=Release.MESA_22_3)
    for asked in (driver.for_vertices(), driver.for_patch()):
        assert asked.vertex
        assert asked.single_prim_per_subgroup
        assert asked.release is Release.MESA_22_3
    assert driver.for_patch().patch
    assert not driver.for_vertices().patch
    assert not driver.vertex
