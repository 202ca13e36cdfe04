"""The form of a word in each era."""

from __future__ import annotations

from nirls.ir.model.shader import Dialect
from nirls.server.ide.completion.releases import intrinsic_of


def test_the_form_of_the_era() -> None:
    now, then = (intrinsic_of("load_input", dialect) for dialect in (Dialect.MODERN, Dialect.CLASSIC))
    assert now is not None
    assert then is not None
    assert "range" in now.indices
    assert "range" not in then.indices


def test_a_word_of_another_era_has_its_newest_form() -> None:
    assert intrinsic_of("ddx", Dialect.OLD) == intrinsic_of("ddx", Dialect.MODERN) is not None
    assert intrinsic_of("nothing_of_the_kind", Dialect.MODERN) is None
