from __future__ import annotations

from tools.lsp_client import apply_text_edits, edits_of


def edit(start: tuple[int, int], end: tuple[int, int], text: str) -> dict[str, object]:
    return {
        "range": {
            "start": {"line": start[0], "character": start[1]},
            "end": {"line": end[0], "character": end[1]},
        },
        "newText": text,
    }


def test_edits_are_in_places_of_the_text_before() -> None:
    text = "one\ntwo\nthree\n"
    edits = [edit((2, 0), (2, 5), "3"), edit((0, 1), (1, 1), "X"), edit((3, 0), (3, 0), "end\n")]
    assert apply_text_edits(text, edits) == "oXwo\n3\nend\n"


def test_characters_are_utf16_units() -> None:
    assert apply_text_edits("é𝄞b\n", [edit((0, 3), (0, 4), "c")]) == "é𝄞c\n"


def test_both_forms_of_workspace_edits() -> None:
    one = edit((0, 0), (0, 0), "x")
    assert edits_of({"changes": {"file:///a": [one]}}, "file:///a") == [one]
    changes = [{"textDocument": {"uri": "file:///a"}, "edits": [one]}, {"kind": "create"}]
    assert edits_of({"documentChanges": changes}, "file:///a") == [one]
    assert edits_of({"documentChanges": changes}, "file:///b") == []
