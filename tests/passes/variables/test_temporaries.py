from __future__ import annotations

from nirls.passes.variables.temporaries import parts_of_temporaries
from tests.passes.expectation import parse_body

BODY = """
decl_var INTERP_MODE_NONE none vec2[2] a
block b0:
32    %0 = load_const (0x00000000)
32    %1 = deref_var &a (function_temp vec2[2])
32    %2 = deref_array &(*%1)[0] (function_temp vec2)  // &a[0]
32    %3 = deref_array &(*%1)[1] (function_temp vec2)  // &a[1]
32    %4 = deref_array &(*%1)[1] (function_temp vec2)  // &a[1]
32x2  %5 = @load_deref (%2) (access=none)
32x2  %6 = @load_deref (%3) (access=none)
@store_deref (%4, %5) (wrmask=xy, access=none)
block b1:
"""


def test_one_part_for_each_path() -> None:
    (impl,) = parse_body(BODY).impls()
    parts = parts_of_temporaries(impl)
    by_number = {deref.index: part for deref, part in parts.items()}
    assert set(by_number) == {2, 3, 4}
    assert by_number[3] is by_number[4]
    assert by_number[2] is not by_number[3]
    assert (by_number[2].num_components, by_number[2].bit_size) == (2, 32)
    assert [len(list(by_number[number].stores())) for number in (2, 3)] == [0, 1]


def test_one_bad_use_lets_go_of_the_whole() -> None:
    (impl,) = parse_body(
        BODY.replace("@load_deref (%2) (access=none)", "@load_deref (%2) (access=volatile)")
    ).impls()
    assert parts_of_temporaries(impl) == {}
