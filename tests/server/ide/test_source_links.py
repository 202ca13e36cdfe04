"""Names of source files in dumps."""

from __future__ import annotations

import pytest

from nirls.server.ide.source_links import MOST_LINKS, source_links


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("// shaders/foo.frag:12:3", ("shaders/foo.frag", 12, 3)),
        ("// 0x00000123 ./a/b.vert:7", ("./a/b.vert", 7, None)),
        ("label: terrain.comp", ("terrain.comp", None, None)),
        ('"x.glsl(12)"', ("x.glsl", 12, None)),
        ("(/usr/share/x.spv)", ("/usr/share/x.spv", None, None)),
        (r"C:\shaders\a.hlsl:3", (r"C:\shaders\a.hlsl", 3, None)),
        ("name: piglit/größe.shader_test", ("piglit/größe.shader_test", None, None)),
    ],
)
def test_names(text: str, expected: tuple[str, int | None, int | None]) -> None:
    data = text.encode()
    (link,) = source_links(data)
    assert (link.file, link.line, link.column) == expected
    assert data[link.start : link.end].decode().startswith(expected[0])


@pytest.mark.parametrize(
    "text",
    [
        "32 %1 = fadd %2.x, %3.c",
        "vec1 32 ssa_1 = mov ssa_2.h",
        "0.5.cs",
        "a.fragment",
        "x.frag.txt",
        ".vert",
        "a . c",
    ],
)
def test_what_is_no_name(text: str) -> None:
    assert list(source_links(text.encode())) == []


def test_each_is_found_once() -> None:
    assert [link.file for link in source_links(b"a.c:1 b.c:2\na.c:1")] == ["a.c", "b.c", "a.c"]


def test_there_is_an_end() -> None:
    assert len(list(source_links(b"a.c " * (MOST_LINKS + 5)))) == MOST_LINKS
    assert len(list(source_links(b".c" * 5000))) <= 1
