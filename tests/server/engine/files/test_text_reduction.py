from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from nirls.passes.reduction.search import ReductionEnd, Search
from nirls.server.engine.files.text_reduction import TextReduction, reduce_texts
from tests.passes.shader_text import ONE, ZERO, load, shader_text, store, use

VERTEX = shader_text("VERTEX", ZERO, ONE, store("VAR0"), store("VAR1"))
FRAGMENT = shader_text("FRAGMENT", ZERO, load(1, "VAR0"), load(2, "VAR1"), use("%1"), use("%2"))


def contains(*words: bytes) -> Callable[[Sequence[bytes]], bool]:
    return lambda texts: all(any(word in text for text in texts) for word in words)


def reduced(*texts: str, has: Sequence[bytes], jobs: int = 1) -> TextReduction:
    return reduce_texts([text.encode() for text in texts], contains(*has), Search(jobs=jobs))


@pytest.mark.parametrize("jobs", [1, 2])
def test_log_is_reduced_to_what_is_needed(jobs: int) -> None:
    log = "start\n" + (VERTEX + "nir_opt_dce\n" + FRAGMENT + "nir_opt_cse\nend\n") * 20
    found = reduced(log, has=[b"nir_opt_cse", b"VAR1 "], jobs=jobs)
    assert found.end is ReductionEnd.COMPLETE
    (text,) = found.texts
    lines = text.decode().splitlines()
    assert text.count(b"shader:") == 1
    assert lines.count("nir_opt_cse") == 1
    assert not {"start", "nir_opt_dce", "end"} & set(lines)
    assert b"VAR0 " not in text


def test_files_of_a_pipeline_are_reduced_together() -> None:
    found = reduced(VERTEX, FRAGMENT, has=[b"store_output", b"load_input"])
    vertex, fragment = found.texts
    assert vertex.count(b"store_output") == 1
    assert fragment.count(b"load_input") == 1


def test_file_that_is_not_needed_becomes_empty() -> None:
    assert reduced(VERTEX, FRAGMENT, has=[b"FRAGMENT"]).texts[0] == b""


def test_a_dump_is_left() -> None:
    assert b"shader:" in reduced("x\n" + VERTEX + "y\n", has=[]).texts[0]


def test_snapshots_shrink_alike() -> None:
    before = VERTEX.replace("shader:", "shader:", 1)
    after = VERTEX.replace("store_output (%1 (", "store_output (%0 (")

    def is_same_size(texts: Sequence[bytes]) -> bool:
        parts = texts[0].split(b"shader:")[1:]
        return len(parts) == 2 and parts[0].count(b"store_output") == parts[1].count(b"store_output") > 0

    texts = [(before + "nir_opt\n" + after).encode()]
    found = reduce_texts(texts, is_same_size, Search())
    assert found.texts[0].count(b"store_output") == 2
    assert b"nir_opt" not in found.texts[0]


def test_what_a_logger_wrote_before_lines_goes_too() -> None:
    log = "".join(f"MESA: info: {line}\n" for line in VERTEX.splitlines())
    assert b"MESA: info" not in reduced(log, has=[b"VAR1"]).texts[0]
    kept = reduced(log, has=[b"MESA: info: ", b"VAR1"]).texts[0]
    assert b"MESA: info: shader: MESA_SHADER_VERTEX" in kept
    assert b"VAR0" not in kept


def test_lines_of_a_dump_that_cannot_be_read_are_dropped() -> None:
    broken = VERTEX.replace("impl main {", "impl main {\n    nonsense here ???")
    (text,) = reduced(broken, has=[b"nonsense"]).texts
    assert len(text.splitlines()) <= 3


def test_interruption_gives_the_smallest_so_far() -> None:
    seen: list[Sequence[bytes]] = []

    def holds(texts: Sequence[bytes]) -> bool:
        if len(seen) == 2:
            raise KeyboardInterrupt
        return b"VAR1" in texts[0]

    found = reduce_texts([("log\n" + VERTEX).encode() * 20], holds, Search(), seen.append)
    assert found.end is ReductionEnd.INTERRUPTED
    assert list(found.texts) == seen[-1]
