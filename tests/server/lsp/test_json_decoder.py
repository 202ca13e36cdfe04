"""Strings decoded in parts are those that `json` decodes at once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nirls.server.lsp import json_decoder
from nirls.server.lsp.json_decoder import JsonDecoder

PLAIN = JsonDecoder(lambda data: data)
TEXTS = st.lists(
    st.sampled_from(("\n", "\\", '"', "n", "\\n", "\r", "😀", "é", "\ud83d", "word ", "\x1f"))
).map("".join)


@pytest.fixture(params=[1, 3, 1 << 18])
def part(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_decoder, "_PART", request.param)


@pytest.mark.usefixtures("part")
def test_any_value_is_decoded_as_by_json() -> None:
    @given(
        st.recursive(
            TEXTS | st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False),
            lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
        ),
        st.booleans(),
    )
    def check(value: Any, ascii_only: bool) -> None:
        text = json.dumps(value, ensure_ascii=ascii_only)
        assert PLAIN.decode(text) == json.loads(text)

    check()


@pytest.mark.usefixtures("part")
@pytest.mark.parametrize(
    "text", ['"abc', '"ab\\', '"\\n\\n', '"a\\n\\u12"', '"\\n\\n\x01"', '{"a": "\\n', '["\\n" 1]', ""]
)
def test_what_json_refuses_is_refused(text: str) -> None:
    for decode in (json.loads, PLAIN.decode):
        with pytest.raises(json.JSONDecodeError):
            decode(text)


def test_a_long_string_is_decoded_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    scan = json_decoder.scanstring

    def scanned(text: str, start: int, strict: bool) -> tuple[str, int]:
        found: tuple[str, int] = scan(text, start, strict)
        sizes.append(found[1] - start)
        return found

    monkeypatch.setattr(json_decoder, "scanstring", scanned)
    text = "a line of a log\n" * 200_000
    assert PLAIN.decode(json.dumps({"text": text})) == {"text": text}
    assert max(sizes) < len(text) / 8


def test_objects_become_what_the_hook_returns() -> None:
    assert JsonDecoder(lambda data: sorted(data)).decode('[{"b": 1, "a": {}}]') == [["a", "b"]]
