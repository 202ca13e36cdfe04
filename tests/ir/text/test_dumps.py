"""Finding the dumps in a document."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nirls.ir.text.dumps import DumpSlice, split_dumps

HEADER = b"shader: MESA_SHADER_VERTEX\nname: x\n"
BODY = (
    b"decl_function main () (entrypoint)\n\nimpl main {\n"
    b"    block b0:  // preds:, succs: b1\n    block b1:\n}\n"
)
DUMP = HEADER + BODY


def dumps_of(data: bytes) -> list[bytes]:
    return [data[item.start : item.end] for item in split_dumps(data)]


def test_a_document_without_dumps() -> None:
    assert dumps_of(b"") == []
    assert dumps_of(b"nir_opt_dce\nshader compiled in 3 ms\n") == []


def test_text_around_dumps_is_left_out() -> None:
    assert dumps_of(b"log\n" + DUMP + b"\nnir_opt_dce\n" + DUMP + b"tail\n") == [DUMP, DUMP]


def test_dumps_may_follow_each_other_directly() -> None:
    assert dumps_of(DUMP + DUMP) == [DUMP, DUMP]


def test_several_functions_are_one_dump() -> None:
    two = HEADER + b"decl_function f ()\n\nimpl f {\n}\n\ndecl_function main ()\n\nimpl main {\n}\n"
    assert dumps_of(two + b"\nnir_opt_cse\n") == [two]


def test_directives_above_belong_to_the_dump() -> None:
    text = b"log\n// nirls: pipeline sky\n// nirls: uniform 0:16 = 1\n" + DUMP
    assert dumps_of(text) == [text[4:]]
    assert dumps_of(b"// nirls: pipeline sky\n" + DUMP) == [b"// nirls: pipeline sky\n" + DUMP]


@pytest.mark.parametrize(
    ("tail", "kept"),
    [
        (b"", b""),
        (b"nir_opt_dce\nmore log\n", b""),
        (b"    32    %0 = load_const (0x0)\n\nMESA: error\n", b"    32    %0 = load_const (0x0)\n"),
    ],
)
def test_a_cut_dump_ends_where_lines_stop_looking_like_one(tail: bytes, kept: bytes) -> None:
    cut = HEADER + b"impl main {\n    block b0:  // preds:\n"
    assert dumps_of(cut + tail) == [cut + kept]


def test_a_cut_dump_ends_before_the_next_one() -> None:
    cut = HEADER + b"impl main {\n    block b0:  // preds:\n"
    assert dumps_of(cut + DUMP) == [cut, DUMP]


def test_struct_declarations_do_not_end_a_dump() -> None:
    text = HEADER + b"struct light {\n   vec4 color;\n}\n" + BODY
    assert dumps_of(text + b"nir_opt_dce\n") == [text]


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
@pytest.mark.parametrize("behind", [b"", b"\n", b"\nlog\n", b"\n}\n"])
def test_bodies_without_indentation(newline: bytes, behind: bytes) -> None:
    body = b"impl main {\nif %0 {\nloop {\n}\n} else {\n}\nblock b9:\n}"
    text = (HEADER + body + behind).replace(b"\n", newline)
    end = newline if behind else b""
    assert dumps_of(text) == [(HEADER + body).replace(b"\n", newline) + end]


def test_a_dump_starts_at_the_beginning_of_a_line() -> None:
    assert dumps_of(b"a " + DUMP) == []
    assert dumps_of(b"\n" + DUMP) == [DUMP]


def test_the_stage_may_follow_the_colon_directly() -> None:
    assert split_dumps(b"shader:MESA_SHADER_COMPUTE\nname: one\nother text\n") == [DumpSlice(0, 37)]


def test_crlf() -> None:
    text = DUMP.replace(b"\n", b"\r\n")
    assert dumps_of(b"log\r\n" + text + b"log\r\n") == [text]


@given(st.binary(max_size=300), st.lists(st.sampled_from([b"log\n", b"\n", DUMP, b"\x00\xff\n"]), max_size=6))
def test_slices_are_ordered_and_within_the_document(noise: bytes, parts: list[bytes]) -> None:
    data = noise + b"\n" + b"".join(parts)
    position = 0
    for item in split_dumps(data):
        assert position <= item.start < item.end <= len(data)
        position = item.end


def test_every_dump_of_the_corpus_is_found(corpus: Path) -> None:
    for path in [*corpus.rglob("*.nir"), *corpus.rglob("*.log"), *corpus.rglob("*.txt")]:
        data = path.read_bytes()
        found = dumps_of(data)
        assert len(found) == data.count(b"\nshader: ") + data.startswith(b"shader: "), path
        assert all(dump.rstrip().endswith(b"}") for dump in found), path
