from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.text.printing import ConversionError
from nirls.server.cli.commands import print_
from tests.passes.shader_text import ONE, ZERO, load, shader_text, use
from tests.server.conftest import Run


@pytest.mark.parametrize("data", [b"", b"no dump\n", b"\x00\xff\r\n"])
def test_text_without_a_dump_comes_out_as_it_went_in_with_a_message(run: Run, data: bytes) -> None:
    result = run("print", "-", stdin=data)
    assert (result.status, result.out) == (2, data)
    assert result.err.startswith("nirls: <stdin>: ")


def test_a_header_alone_is_a_dump(run: Run) -> None:
    result = run("print", "-", stdin=b"shader: MESA_SHADER_VERTEX")
    assert (result.status, result.out, result.err) == (0, b"shader: MESA_SHADER_VERTEX", "")


def test_real_files_byte_for_byte(run: Run, tinted: Path) -> None:
    names = ("tinted.vert.nir", "tinted.frag.nir")
    result = run("print", *names)
    assert result.out == b"".join((tinted / name).read_bytes() for name in names)


def test_corpus_sample_byte_for_byte(run: Run, corpus: Path) -> None:
    samples = [
        *sorted((corpus / "old").glob("*.nir")),
        *sorted((corpus / "pipelines" / "hand_discard_nested").glob("*/frag.*.nir")),
        *sorted((corpus / "varyings").glob("dead_*"))[:10],
    ]
    result = run("print", *samples)
    assert result.out == b"".join(path.read_bytes() for path in samples)


def test_out_dir(run: Run, tinted: Path) -> None:
    assert run("print", ".", "--out-dir", "copy").status == 0
    for name in ("tinted.vert.nir", "tinted.frag.nir"):
        assert (tinted / "copy" / name).read_bytes() == (tinted / name).read_bytes()


def test_normalize_renumbers_and_is_stable(run: Run, tinted: Path) -> None:
    once = run("print", "--normalize", "tinted.vert.nir")
    assert b"32     %0 = load_const (0x00000000)" in once.out
    assert b"%207" not in once.out
    assert run("print", "--normalize", "-", stdin=once.out).out == once.out


def test_normalize_makes_renumbered_dumps_equal(run: Run, workdir: Path) -> None:
    one = shader_text("FRAGMENT", ZERO, ONE, "32    %2 = fadd %0 (0.000000), %1 (1.000000)")
    other = one.replace("%0", "%7").replace("%2", "%31")
    results = [run("print", "--normalize", "-", stdin=text.encode()).out for text in (one, other)]
    assert results[0] == results[1]


def test_dialects(run: Run, tinted: Path) -> None:
    classic = run("print", "--dialect", "classic", "tinted.vert.nir")
    assert b"vec1 32 ssa_105 = ffma ssa_11.x, ssa_248, ssa_15.x" in classic.out
    assert b"block block_0:" in classic.out
    modern = run("print", "--dialect", "modern", "-", stdin=classic.out)
    assert b" = ffma %11.x, %248, %15.x" in modern.out
    same = run("print", "--dialect", "modern", "tinted.vert.nir")
    assert same.out == (tinted / "tinted.vert.nir").read_bytes()


@pytest.mark.parametrize(("option", "suffix"), [("subgroup", "div"), ("vertex", "vdiv")])
def test_divergence_is_printed_as_mesa_does(run: Run, corpus: Path, option: str, suffix: str) -> None:
    paths = sorted((corpus / "pipelines" / "hand_discard_nested" / "modern").glob(f"*.{suffix}.nir"))
    assert paths
    for path in paths:
        text = path.read_bytes()
        assert b" div " in text or b"div " in text
        bare = text.replace(b"    con ", b"    ").replace(b"    div ", b"    ")
        assert bare != text
        result = run("print", "--normalize", "--divergence", option, "-", stdin=bare)
        assert result.out == run("print", "--normalize", path).out


def test_wrong_usage(run: Run, workdir: Path) -> None:
    assert run("print", "--dialect", "ancient", "-").status == 2
    assert run("print", "missing.nir").status == 2


TEXT = shader_text("FRAGMENT", ZERO, ONE, load(7, "VAR0"), "32    %9 = fadd %7, %1", use("%9"))
LOG = f"before\n{TEXT}between\n{TEXT}after"


def test_plain_is_byte_for_byte(run: Run) -> None:
    assert run("print", "-", stdin=LOG.encode()).out == LOG.encode()


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (("--normalize",), "%3 = fadd %2, %1"),
        (("--dialect", "classic"), "ssa_9 = fadd ssa_7, ssa_1"),
        (("--divergence", "subgroup"), "div"),
    ],
)
def test_every_dump_is_printed_anew_and_the_rest_stays(
    run: Run, arguments: tuple[str, ...], shown: str
) -> None:
    printed = " ".join(run("print", "-", *arguments, stdin=LOG.encode()).text.split())
    assert printed.count(shown) >= 2
    for between in ("before", "between", "after"):
        assert printed.count(between) == 1


def test_what_a_dialect_cannot_say_is_an_error_with_its_place(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*_: object) -> None:
        raise ConversionError("no word for it")

    monkeypatch.setattr(print_, "converted", refuses)
    result = run("print", "-", "--dialect", "classic", stdin=LOG.encode())
    assert (result.status, result.out) == (2, b"")
    assert "<stdin>, dump 1: no word for it" in result.err


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("%2 = fadd", "%2 ? fadd", "cannot be read"),
        ("}\n", "", "missing `}` of the function"),
        ("shader: MESA_SHADER_FRAGMENT\n", "", "an excerpt"),
    ],
)
@pytest.mark.parametrize("option", ["--normalize", "--dialect=classic"])
def test_dumps_that_are_not_read_whole_are_left_as_they_are(
    run: Run, tmp_path: Path, old: str, new: str, reason: str, option: str
) -> None:
    text = (
        "shader: MESA_SHADER_FRAGMENT\nname: a\ndecl_function main () (entrypoint)\n\nimpl main {\n"
        "    block b0:  // preds:\n    32    %1 = load_const (0x3f800000)\n"
        "    32    %2 = fadd %1 (0x3f800000), %1 (0x3f800000)\n               // succs: b1\n"
        "    block b1:\n}\n"
    ).replace(old, new)
    path = tmp_path / "a.nir"
    path.write_text(text)
    done = run("print", option, path)
    assert done.text == text
    assert "left as it is" in done.err
    assert reason in done.err
