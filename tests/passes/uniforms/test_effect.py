from __future__ import annotations

from collections import Counter

from nirls.passes.uniforms.effect import at_least, contents, in_words, saved, tidy
from tests.passes.shader_text import ONE, ZERO, printed_kinds, shader, use


def test_contents_and_what_is_saved() -> None:
    select = "1 %2 = ilt %0, %1", "32 %3 = bcsel %2, %0, %1", "32 %4 = @load_sample_id", use("%3"), use("%4")
    before = contents(shader("FRAGMENT", ZERO, ONE, *select))
    after = contents(shader("FRAGMENT", ZERO, ONE, use("%0")))
    assert saved(before, after) == {"instruction": 4, "select": 1, "load": 1}
    assert saved(after, before) == {"instruction": -4, "select": -1, "load": -1}


def test_the_least_of_several() -> None:
    assert at_least([{"load": 3, "select": 1}, {"load": 2}]) == {"load": 2}
    assert at_least([]) == {}


def test_words() -> None:
    effect = Counter(select=3, load=4, branch=1)
    assert in_words(effect) == "3 selects, 1 branch and 4 loads"
    assert in_words({"instruction": 2}) == "2 instructions"
    assert in_words({"branch": 2}) == "2 branches"
    assert in_words({"load": -1}) == ""


def test_folds_copies_and_removes_to_the_end() -> None:
    lines = "32 %2 = fadd %1, %1", "32 %3 = mov %2", "32 %4 = fmul %3, %3", use("%3")
    parsed = shader("FRAGMENT", ZERO, ONE, *lines)
    assert tidy(parsed)
    assert printed_kinds(parsed) == ["load_const", "load_const", "store_ssbo"]
    assert not tidy(parsed)
