"""Access qualifiers as words and bits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nirls.ir.model.access import NON_READABLE, NON_WRITEABLE, VS_BINDINGS, access_bits, access_words


def test_the_words_mesa_prints() -> None:
    assert access_bits("none") == 0
    assert access_bits("24") == NON_READABLE | NON_WRITEABLE
    assert access_bits("readonly|writeonly") == NON_READABLE | NON_WRITEABLE
    assert access_bits("readonly|surprising") is None


@given(st.integers(0, (1 << 20) - 1) | st.just(VS_BINDINGS | 1))
def test_words_and_bits_agree(bits: int) -> None:
    assert access_bits("|".join(access_words(bits)) or "none") == bits
