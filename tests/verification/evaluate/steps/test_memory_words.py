"""Partial words, and words that are not aligned."""

from __future__ import annotations

from nirls.verification.evaluate.surroundings.result import OutputKey
from tests.verification.evaluate.shader_text import VAR0, store, stored
from tests.verification.evaluate.steps.buffer_lines import LOAD, STORE, run_lines


def test_a_misaligned_word_spreads_over_two() -> None:
    result = run_lines(
        f"                @store_ssbo (%0 (0x0), %0 (0x0), %0 (0x0)) {STORE}",
        f"                @store_ssbo (%0 (0x0), %0 (0x0), %3 (0x4)) {STORE}",
        f"                @store_ssbo (%5, %0 (0x0), %1 (0x1)) {STORE}",
        f"    32     %10 = @load_ssbo (%0 (0x0), %1 (0x1)) {LOAD}",
        f"    8      %11 = @load_ssbo (%0 (0x0), %2 (0x2)) {LOAD}",
        "    32     %12 = u2u32 %11",
        store("10", "0"),
        store("12", "0", component=1),
    )
    assert stored(result) == [0x11223344] * 8
    assert stored(result, 1) == [0x33] * 8
    assert result.memory["ssbo", 0, 0].bits == 0x22334400
    assert result.memory["ssbo", 0, 1].bits == 0x11


def test_a_misaligned_double_spreads_over_three_words() -> None:
    result = run_lines(
        "    64     %8 = load_const (0x1122334455667788)",
        "    32     %9 = load_const (0x00000008)",
        *(f"                @store_ssbo (%0 (0x0), %0 (0x0), %{at}) {STORE}" for at in (0, 3, 9)),
        f"                @store_ssbo (%8, %0 (0x0), %1 (0x1)) {STORE}",
        f"    64     %10 = @load_ssbo (%0 (0x0), %1 (0x1)) {LOAD}",
        "    1      %11 = ieq %10, %8",
        "    32     %12 = b2i32 %11",
        store("12", "0"),
    )
    assert stored(result) == [1] * 8
    words = [result.memory["ssbo", 0, word].bits for word in range(3)]
    assert words == [0x66778800, 0x22334455, 0x11]


def test_a_load_of_an_undefined_byte_is_undefined_and_of_those_beside_it_is_not() -> None:
    result = run_lines(
        "    8      %10 = undefined",
        f"                @store_ssbo (%10, %0 (0x0), %1 (0x1)) {STORE}",
        f"    32     %11 = @load_ssbo (%0 (0x0), %0 (0x0)) {LOAD}",
        f"    32     %12 = @load_ssbo (%0 (0x0), %3 (0x4)) {LOAD}",
        f"    16     %13 = @load_ssbo (%0 (0x0), %0 (0x0)) {LOAD}",
        f"    16     %14 = @load_ssbo (%0 (0x0), %2 (0x2)) {LOAD}",
        "    32     %15 = u2u32 %13",
        "    32     %16 = u2u32 %14",
        *(store(number, "0", component=at) for at, number in enumerate(("11", "12", "15", "16"))),
    )
    undefined = [result.outputs[OutputKey(VAR0, at)].poison for at in range(4)]
    assert [marks.all() for marks in undefined] == [marks.any() for marks in undefined]
    assert [marks.all() for marks in undefined] == [True, False, True, False]
    cell = result.memory["ssbo", 0, 0]
    assert (cell.poison, cell.holes) == (False, 0b10)


def test_bytes_that_were_never_stored_are_undefined() -> None:
    result = run_lines(
        f"                @store_scratch (%4, %0 (0x0)) {STORE.replace('access=none, ', '')}",
        "    8      %10 = u2u8 %4",
        f"                @store_scratch (%10, %3 (0x4)) {STORE.replace('access=none, ', '')}",
        f"    8      %11 = @load_scratch (%3 (0x4)) {LOAD.replace('access=none, ', '')}",
        f"    16     %12 = @load_scratch (%3 (0x4)) {LOAD.replace('access=none, ', '')}",
        f"    16     %13 = @load_scratch (%2 (0x2)) {LOAD.replace('access=none, ', '')}",
        *(f"    32     %{number + 3} = u2u32 %{number}" for number in (11, 12, 13)),
        *(store(str(number), "0", component=number - 14) for number in (14, 15, 16)),
    )
    assert [result.outputs[OutputKey(VAR0, at)].poison.all() for at in range(3)] == [False, True, False]


def test_only_the_bytes_that_a_load_reads_beyond_a_word_count() -> None:
    result = run_lines(
        f"                @store_ssbo (%0 (0x0), %0 (0x0), %0 (0x0)) {STORE}",
        f"                @store_ssbo (%0 (0x0), %0 (0x0), %3 (0x4)) {STORE}",
        "    8      %10 = undefined",
        "    32     %11 = iadd %3, %1",
        f"                @store_ssbo (%10, %0 (0x0), %11) {STORE}",
        *(f"    32     %2{at} = @load_ssbo (%0 (0x0), %{at}) {LOAD}" for at in (1, 2)),
        *(store(f"2{at}", "0", component=at) for at in (1, 2)),
    )
    assert [result.outputs[OutputKey(VAR0, at)].poison.all() for at in (1, 2)] == [False, True]
