from __future__ import annotations

import pytest

from nirls.ir.text.uniform_words import UniformWordError, read_word


def test_word_has_a_buffer_a_byte_and_bits() -> None:
    assert read_word("0:16 = 1") == ("0", 16, 1)
    assert read_word("push:0x8=-0.0") == ("push", 8, 0x80000000)
    assert read_word("0:016 = 1") == ("0", 16, 1)
    assert read_word("0.31:4=true") == ("0.31", 4, 0xFFFFFFFF)


@pytest.mark.parametrize("text", ["0:16", "ubo:16=1", "0:18=1", "0:0=4294967296", "0:0=1e99", "0:0=1, 2"])
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(UniformWordError):
        read_word(text)
