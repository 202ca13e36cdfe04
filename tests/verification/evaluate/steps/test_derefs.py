"""Derefs: structs, arrays, components, copies, casts, pointers that differ between sides of an if."""

from __future__ import annotations

import pytest

from nirls.verification.evaluate.surroundings.result import OutputKey
from nirls.verification.evaluate.values.errors import Unsupported
from tests.verification.evaluate.shader_text import VAR0, run, shader_of, store, stored

CONSTANTS = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000001)
    32     %2 = load_const (0x00000002)
    32     %3 = @load_vertex_id_zero_base
"""
LOCALS = """    decl_var  INTERP_MODE_NONE none uint[4] a
    decl_var  INTERP_MODE_NONE none uint[4] b
    decl_var  INTERP_MODE_NONE none uvec4 v
    decl_var  INTERP_MODE_NONE none S s
    decl_var  INTERP_MODE_NONE none S t
"""
END = "                // succs: b99"


def run_lines(*lines: str, head: str = ""):  # type: ignore[no-untyped-def]
    return run(shader_of("\n".join([CONSTANTS, *lines, END]), head=head, locals_=LOCALS))


def put(pointer: int, value: str, mask: str = "x") -> str:
    return f"                @store_deref (%{pointer}, {value}) (wrmask={mask}, access=none)"


def get(name: int, pointer: int, kind: str = "32    ") -> str:
    return f"    {kind} %{name} = @load_deref (%{pointer}) (access=none)"


def test_elements_of_an_array_and_none_beyond_its_end() -> None:
    result = run_lines(
        "    32     %10 = deref_var &a (function_temp uint[4])",
        "    32     %11 = deref_array &(*%10)[%3] (function_temp uint)",
        put(11, "%3"),
        get(12, 11),
        "    32     %13 = deref_array &(*%10)[2] (function_temp uint)",
        get(14, 13),
        store("12", "0"),
        store("14", "0", component=1),
    )
    plane = result.outputs[OutputKey(VAR0, 0)]
    assert plane.poison[:, 0].tolist() == [False] * 4 + [True] * 4
    assert plane.bits[:4, 0].tolist() == [0, 1, 2, 3]
    assert result.outputs[OutputKey(VAR0, 1)].poison[:, 0].tolist() == [lane != 2 for lane in range(8)]


def test_a_component_of_a_vector() -> None:
    result = run_lines(
        "    32x4   %9 = vec4 %0, %0, %0, %0",
        "    32     %10 = deref_var &v (function_temp uvec4)",
        put(10, "%9", "xyzw"),
        "    32     %11 = deref_array &(*%10)[1] (function_temp uint)",
        put(11, "%3"),
        get(12, 10, "32x4  "),
        *(f"    32     %2{number} = mov %12.{name}" for number, name in enumerate("xyzw")),
        *(store(f"2{number}", "0", component=number) for number in range(4)),
    )
    assert stored(result, 1) == list(range(8))
    assert stored(result, 0) == stored(result, 2) == stored(result, 3) == [0] * 8


STRUCT = (
    "    32     %10 = deref_var &s (function_temp S)",
    "    32     %11 = deref_struct &%10->m (function_temp uint)  // &s.m",
    "    32     %12 = deref_struct &%10->n (function_temp uint[2])  // &s.n",
    "    32     %13 = deref_array &(*%12)[1] (function_temp uint)  // &s.n[1]",
    put(11, "%3"),
    put(13, "%1 (0x1)"),
)


def test_members_of_a_struct_are_apart() -> None:
    result = run_lines(*STRUCT, get(14, 11), get(15, 13), store("14", "0"), store("15", "0", component=1))
    assert stored(result) == list(range(8))
    assert stored(result, 1) == [1] * 8


def test_a_copy_takes_all_members() -> None:
    result = run_lines(
        *STRUCT,
        "    32     %20 = deref_var &t (function_temp S)",
        "                @copy_deref (%20, %10) (dst_access=none, src_access=none)",
        put(11, "%0 (0x0)"),
        "    32     %21 = deref_struct &%20->m (function_temp uint)  // &t.m",
        "    32     %22 = deref_struct &%20->n (function_temp uint[2])  // &t.n",
        "    32     %23 = deref_array &(*%22)[1] (function_temp uint)  // &t.n[1]",
        get(24, 21),
        get(25, 23),
        store("24", "0"),
        store("25", "0", component=1),
    )
    assert stored(result) == list(range(8))
    assert stored(result, 1) == [1] * 8


def test_a_pointer_that_each_side_of_an_if_makes_its_own() -> None:
    result = run_lines(
        "    32     %10 = deref_var &a (function_temp uint[4])",
        "    32     %11 = deref_var &b (function_temp uint[4])",
        "    32     %12 = deref_array &(*%10)[0] (function_temp uint)",
        "    32     %13 = deref_array &(*%11)[0] (function_temp uint)",
        put(12, "%1 (0x1)"),
        put(13, "%2 (0x2)"),
        "    1      %14 = ilt %3, %2 (0x2)",
        "                // succs: b1 b2",
        "    if %14 {",
        "        block b1:   // preds: b0, succs: b3",
        "    } else {",
        "        block b2:   // preds: b0, succs: b3",
        "    }",
        "    block b3:   // preds: b1 b2",
        "    32     %15 = phi b1: %12, b2: %13",
        get(16, 15),
        put(15, "%3"),
        get(17, 12),
        store("16", "0"),
        store("17", "0", component=1),
    )
    assert stored(result) == [1] * 2 + [2] * 6
    assert stored(result, 1) == [0, 1] + [1] * 6


def test_arrays_in_buffers_are_the_same_memory_whoever_names_them() -> None:
    head = "decl_var ssbo INTERP_MODE_NONE Out dst (~0, 0, 1)\n"
    result = run_lines(
        "    32x2   %10 = deref_var &dst (ssbo Out)",
        "    32x2   %11 = deref_struct &%10->r (ssbo uint[])  // &dst.r",
        "    32x2   %12 = deref_array &(*%11)[%3] (ssbo uint)  // &dst.r[%3]",
        put(12, "%3"),
        "    32x2   %13 = deref_array &(*%11)[2] (ssbo uint)  // &dst.r[2]",
        get(14, 13),
        store("14", "0"),
        head=head,
    )
    assert stored(result) == [2] * 8
    assert sorted(cell.bits for cell in result.memory.values()) == list(range(8))


def test_what_a_cast_hides_is_not_guessed() -> None:
    with pytest.raises(Unsupported, match="cast"):
        run_lines(
            "    32     %10 = deref_var &v (function_temp uvec4)",
            "    32     %11 = deref_cast (uint *)%10 (function_temp uint)  (ptr_stride=0, align_mul=0, align_offset=0)",  # noqa: E501
            get(12, 11),
            store("12", "0"),
        )


def test_every_element_is_copied() -> None:
    text = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000007)
    32     %2 = load_const (0x00000009)
    32     %3 = deref_var &a (function_temp S[2])
    32     %4 = deref_var &b (function_temp float[2])
    32     %5 = deref_array &(*%4)[0] (function_temp float)
    32     %6 = deref_array &(*%4)[1] (function_temp float)
           @store_deref (%5, %1) (wrmask=x, access=none)
           @store_deref (%6, %2) (wrmask=x, access=none)
    32     %7 = deref_array &(*%3)[*] (function_temp S)
    32     %8 = deref_struct &%7->x (function_temp float)
    32     %9 = deref_array &(*%4)[*] (function_temp float)
           @copy_deref (%8, %9) (dst_access=none, src_access=none)
    32    %10 = deref_array &(*%3)[1] (function_temp S)
    32    %11 = deref_struct &%10->x (function_temp float)
    32    %12 = @load_deref (%11) (access=none)
{store("12", "0")}
                // succs: b99"""
    locals_ = "    decl_var  INTERP_MODE_NONE none S[2] a\n    decl_var  INTERP_MODE_NONE none float[2] b\n"
    result = run(shader_of(text, head="struct S {\n   float x;\n   float y;\n}\n", locals_=locals_))
    assert stored(result) == [9] * 8
