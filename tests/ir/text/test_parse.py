"""Every dump of the corpus is read whole."""

from __future__ import annotations

import gc
import threading
import time
from pathlib import Path

import psutil
import pytest
from tree_sitter import Parser

from nirls.ir.text.grammar import LANGUAGE
from nirls.ir.text.parse import parse_dump, parse_shaders, parse_tree
from nirls.ir.validation import validate
from tools.synthetic import vertex_dump


def corpus_files(corpus: Path) -> list[Path]:
    return sorted(path for path in corpus.rglob("*") if path.suffix in (".nir", ".txt", ".log"))


@pytest.mark.sweep
def test_no_line_of_the_corpus_is_unreadable(corpus: Path) -> None:
    files = corpus_files(corpus)
    assert files
    for path in files:
        for shader in parse_shaders(path.read_bytes()):
            assert shader.stage is not None, path
            assert shader.unreadable == [], path
            for impl in shader.impls():
                assert impl.undefined_references == [], path


@pytest.mark.sweep
def test_the_edges_in_the_comments_are_those_of_the_structure(corpus: Path) -> None:
    blocks = 0
    for path in sorted((corpus / "pipelines").rglob("*.nir")):
        for shader in parse_shaders(path.read_bytes()):
            for impl in shader.impls():
                for block in impl.blocks():
                    blocks += 1
                    preds = sorted(pred.index for pred in block.predecessors)
                    assert sorted(block.stated_preds or ()) == preds, (path, block)
                    assert tuple(succ.index for succ in block.successors) == block.stated_succs, (path, block)
    assert blocks > 1000


def test_a_text_that_is_parsed_in_chunks_has_the_same_tree() -> None:
    text = vertex_dump(1000).replace("\n", "  // é\n").encode()
    whole = Parser(LANGUAGE).parse(text)
    assert str(parse_tree(text).root_node) == str(whole.root_node)
    before = parse_tree(text)
    assert str(parse_tree(text, before.copy()).root_node) == str(whole.root_node)


def test_the_garbage_collector_is_left_as_it_was() -> None:
    gc.disable()
    try:
        parse_dump(b"shader: MESA_SHADER_VERTEX\n")
        assert not gc.isenabled()
    finally:
        gc.enable()
    parse_dump(b"shader: MESA_SHADER_VERTEX\n")
    assert gc.isenabled()


@pytest.mark.parametrize(
    "line",
    [
        f"    32  %{'9' * 5000} = undefined",
        f"    32  %1 = fadd %{'9' * 5000}, %0",
        f"    32  %1 = load_const ({'9' * 5000})",
        f"    32  %1 = @load_ubo (%0, %0) (align_mul={'9' * 5000})",
        f"    {'9' * 5000}  %1 = undefined",
        f"    32  %1 = load_const (0x{'9' * 5000})",
        f"    32  %1 = deref_var &x (shader_in vec{'9' * 5000})",
        f"    decl_var  INTERP_MODE_NONE none vec{'9' * 5000} x",
        f"    decl_reg vec{'9' * 5000} 32 r0",
    ],
)
def test_a_number_without_end_costs_its_line_at_most(line: str) -> None:
    validate(parse_dump(f"shader: MESA_SHADER_VERTEX\n{line.strip()}\nimpl main {{\n{line}\n}}\n".encode()))
    text = f"shader: MESA_SHADER_VERTEX\nimpl main {{\n    block b0:\n{line}\n    32  %2 = undefined\n}}\n"
    shader = parse_dump(text.encode())
    assert shader.entrypoint is not None
    assert 2 in [value.index for value in shader.entrypoint.defs()]


def test_absurd_sizes_are_errors_and_small() -> None:
    text = (
        b"shader: MESA_SHADER_VERTEX\nimpl main {\n    block b0:\n    4294967296x99999  %1 = undefined\n}\n"
    )
    shader = parse_dump(text)
    assert shader.entrypoint is not None
    (value,) = shader.entrypoint.defs()
    assert value.num_components < 1000
    assert value.bit_size < 1000
    assert {"bad-component-count", "bad-bit-size"} <= {problem.code for problem in validate(shader)}


@pytest.mark.sweep
def test_parsing_a_large_text_again_and_again_keeps_no_memory() -> None:
    text = b"shader: MESA_SHADER_FRAGMENT\nimpl main {\nblock b0:\n"
    text += (
        b"".join(b"    32     %%%d = fneg %%%d\n" % (number, number - 1) for number in range(2, 4000))
        + b"}\n"
    )
    process = psutil.Process()
    for number in range(10):
        tree = parse_tree(text + b"\n" * number)
    before = process.memory_info().rss
    for number in range(10, 40):
        tree = parse_tree(text + b"\n" * number)
    assert process.memory_info().rss - before < 10 * len(text)
    edited = tree.copy()
    edited.edit(5000, 5001, 5001, (200, 3), (200, 4), (200, 4))
    assert parse_tree(text + b"\n" * 39, edited).root_node.end_byte == tree.root_node.end_byte


def test_other_threads_run_while_a_large_text_is_parsed() -> None:
    text = b"shader: MESA_SHADER_FRAGMENT\nimpl main {\nblock b0:\n" + b"    32     %1 = fneg %0\n" * 20_000
    turns: list[float] = []
    is_done = threading.Event()

    def run() -> None:
        while not is_done.is_set():
            turns.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=run)
    thread.start()
    began = time.perf_counter()
    parse_tree(text)
    ended = time.perf_counter()
    is_done.set()
    thread.join()
    assert sum(began < turn < ended for turn in turns) > 3
