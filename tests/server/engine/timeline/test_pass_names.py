from __future__ import annotations

import pytest

from nirls.server.engine.timeline.pass_names import PassLine, read_text_between


def test_the_last_pass_before_a_dump_printed_it() -> None:
    found = read_text_between(b"nir_opt_dce\nnir_opt_cse\n\n")
    assert found.owner == PassLine("nir_opt_cse", 1)
    assert found.passes == (PassLine("nir_opt_dce", 0),)
    assert found.heading is None


@pytest.mark.parametrize(
    "line", ["after nir_opt_dce:", "MESA: info: nir_opt_dce", "running nir_opt_dce(nir)"]
)
def test_what_drivers_write_around_a_name(line: str) -> None:
    assert read_text_between(line.encode()).owner == PassLine("nir_opt_dce", 0)


def test_a_skipped_pass_prints_nothing() -> None:
    found = read_text_between(b"nir_opt_dce\nskipping nir_opt_cse\n")
    assert found.owner is None
    assert found.passes == (PassLine("nir_opt_dce", 0), PassLine("nir_opt_cse", 1, skipped=True))


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        (b"NIR (SSA form) for vertex shader:\n", "NIR (SSA form) for vertex shader"),
        (
            b"nir_opt_dce\nNIR shader before instruction selection:\n\n",
            "NIR shader before instruction selection",
        ),
        (b"NIR shader:\n---8<---\n", "NIR shader"),
        (b"NIR shader:\nsomething else\n", None),
        # A blank of Unicode is blank too.
        ("NIR shader:\n\x1c \u2003\n".encode(), "NIR shader"),
        (b"", None),
    ],
)
def test_headings(text: bytes, heading: str | None) -> None:
    assert read_text_between(text).heading == heading


def test_assembly_is_no_pass() -> None:
    text = b"BB0\n\tp_logical_start\nloop_1:\nv_add_f32 v0, v1, v2\n  s_endpgm_saved\n" + b"x_" * 1000
    assert read_text_between(text).passes == ()


def test_a_line_about_nir_without_a_colon_is_a_heading() -> None:
    assert read_text_between(b"dump nir1: type=0\n----------------------\n").heading == "dump nir1: type=0"
    assert read_text_between(b"GL some device\n----------------------\n").heading is None


@pytest.mark.parametrize(
    ("text", "is_foreign"),
    [
        (b'   )"));\n}\n\nTEST_F(my_test, b)\n{\n   check_nir_string(NIR_REFERENCE_SHADER(R"(\n', True),
        (b"Then the loop is unrolled, and this is what we get:\n", True),
        (b"The shader of the game is the same as before.\n", True),
        (b"NIR (SSA form) for vertex shader:\n", False),
        (b"mov(16) g6<1>F g2<8,8,1>F { align1 1H };\n", False),
        (b"Native code for unnamed fragment shader (null) (src_hash 0x00000000):\n", False),
        (b"compiled in 3 ms.\n", False),
        (b"", False),
    ],
)
def test_text_of_people_between_dumps(text: bytes, is_foreign: bool) -> None:
    between = read_text_between(text)
    assert between.is_foreign is is_foreign
    if is_foreign:
        assert (between.owner, between.heading) == (None, None)
