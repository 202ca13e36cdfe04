"""Operations that nothing is known of, run as functions of what they read."""

from __future__ import annotations

import pytest

from nirls.ir.tables import opcode
from nirls.verification.evaluate.alu.run import is_supported
from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.surroundings.result import OutputKey, ShaderResult
from nirls.verification.evaluate.values.errors import Unsupported
from tests.verification.evaluate.shader_text import VAR0, run, shader_of, store, stored


def of(*lines: str, track_error: bool = False) -> ShaderResult:
    """Outputs are %7, %8 and %9, where they are; %1 differs between lanes."""
    body = "\n".join(f"    {line}" for line in lines)
    stores = "\n".join(
        store(number, "0", component=place)
        for place, number in enumerate("789")
        if any(f" %{number} =" in line for line in lines)
    )
    text = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = @load_vertex_id_zero_base
{body}
{stores}
                // succs: b99"""
    return run(shader_of(text), track_error=track_error)


def test_an_opcode_of_a_later_release() -> None:
    result = of("32  %7 = fold_2030 %1, %0", "32  %8 = fold_2030 %1, %0", "32  %9 = fold_2030 %0, %1")
    one, same, other = (stored(result, component) for component in range(3))
    assert one == same
    assert one != other
    assert len(set(one)) > 1


def test_a_known_opcode_without_evaluation_is_run_like_an_unknown_one() -> None:
    assert opcode("lshift_or_pan") is not None
    assert not is_supported("lshift_or_pan")
    line = "32  %{} = lshift_or_pan %1, %{}, %0"
    result = of(line.format(7, 1), line.format(8, 1), line.format(9, 0))
    one, same, other = (stored(result, component) for component in range(3))
    assert one == same
    assert one != other


def test_what_the_table_says_of_an_opcode_without_evaluation_holds() -> None:
    """Passes exchange the sources of a commutative opcode and split what works component by component."""
    assert not is_supported("bfmul")
    result = of(
        "16  %2 = u2u16 %1",
        "16  %3 = i2i16 %0",
        "16x2  %4 = vec2 %2, %3",
        "16x2  %5 = bfmul %4, %4.yx",
        "16  %6 = bfmul %3, %2",
        "32  %7 = u2u32 %5.x",
        "32  %8 = u2u32 %6",
    )
    assert stored(result, 0) == stored(result, 1)
    assert len(set(stored(result, 0))) > 1


def test_an_operand_of_a_size_of_its_own_belongs_to_all_components() -> None:
    assert not is_supported("bitfield_insert_etna")
    result = of(
        "32x2  %2 = vec2 %1, %0",
        "32x2  %3 = vec2 %0, %1",
        "32x2  %4 = bitfield_insert_etna %2, %3, %2",
        "32  %7 = bitfield_insert_etna %0, %1, %2",
        "32  %8 = mov %4.y",
        "32  %9 = mov %4.x",
    )
    assert stored(result, 0) == stored(result, 1) != stored(result, 2)


def test_components_of_a_vector_of_fixed_size_differ() -> None:
    result = of("32x2  %2 = fnoise2_1 %1", "32  %7 = mov %2.x", "32  %8 = mov %2.y")
    assert stored(result, 0) != stored(result, 1)


def test_an_undefined_component_leaves_the_others_of_an_operation_by_component() -> None:
    result = of(
        "16  %2 = u2u16 %1",
        "16  %3 = undefined",
        "16x2  %4 = vec2 %2, %3",
        "16x2  %5 = bfmul %4, %4",
        "32  %7 = u2u32 %5.x",
        "32  %8 = u2u32 %5.y",
    )
    assert [result.outputs[OutputKey(VAR0, place)].poison.all() for place in (0, 1)] == [False, True]


def test_an_intrinsic_that_may_be_repeated() -> None:
    load = "32  %{} = @load_const_ir3 (%{}) (base={})"
    result = of(load.format(7, 1, 0), load.format(8, 1, 0), load.format(9, 1, 4))
    one, same, other = (stored(result, component) for component in range(3))
    assert one == same
    assert one != other


def test_what_is_made_of_something_undefined_is_undefined() -> None:
    result = of("32  %2 = undefined", "32  %7 = fold_2030 %2")
    assert result.outputs[OutputKey(VAR0, 0)].poison.all()


def test_what_is_made_of_something_rounded_may_be_anything() -> None:
    result = of("32  %2 = u2f32 %1", "32  %3 = fsin %2", "32  %7 = fold_2030 %3", track_error=True)
    plane = result.outputs[OutputKey(VAR0, 0)]
    assert plane.fragile[1:].all()


def test_what_may_be_more_than_a_function_is_not_run() -> None:
    text = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = @load_vertex_id_zero_base
    32     %7 = @intrinsic_2030 (%1)
                // succs: b99"""
    with pytest.raises(Unsupported):
        Machine(shader_of(text))


def test_a_resource_counts_by_which_one_it_is() -> None:
    descriptor = "32x8  %{0} = @image_deref_descriptor_amd (%{1}) (image_dim=2D, image_array=false)"
    result = of(
        "32  %10 = deref_var &one (image image2D)",
        "32  %11 = deref_var &one (image image2D)",
        "32  %12 = deref_var &many (image image2D[4])",
        "32  %13 = deref_array &(*%12)[%1] (image image2D)",
        *(descriptor.format(20 + place, 10 + number) for place, number in enumerate((0, 1, 3))),
        *(f"32  %{7 + place} = mov %{20 + place}.z" for place in range(3)),
    )
    one, same, differing = (stored(result, component) for component in range(3))
    assert one == same
    assert len(set(one)) == 1
    assert len(set(differing)) > 1
