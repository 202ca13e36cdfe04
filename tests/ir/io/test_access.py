from __future__ import annotations

import pytest

from nirls.ir.io.access import ArrayIndex, Capture, IoAccess, io_access, io_accesses, slot_read_as
from nirls.ir.io.level import LoweringLevel
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import varying_slot
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def
from nirls.ir.text.parse import parse_dump

VAR0 = varying_slot("VAR0")


def shader(stage: str, *lines: str, head: str = "") -> Shader:
    body = "".join(f"    {line}\n" for line in lines)
    return parse_dump(f"shader: MESA_SHADER_{stage}\n{head}impl main {{\n    block b0:\n{body}}}\n".encode())


def only(stage: str, *lines: str, head: str = "") -> IoAccess:
    (access,) = io_accesses(shader(stage, *lines, head=head))
    return access


def slot(name: str, slots: int = 1, *, component: int = 0, bits: int = 32, flags: str = "") -> str:
    """The indices of an access."""
    return f"base=0, component={component}, dest_type=float{bits}, io location={name} slots={slots}{flags}"


CONST = "32    %0 = load_const (0x00000002)"
VALUE = "32x2  %1 = undefined"
INDEX = "32    %2 = undefined"


def test_a_constant_offset_is_part_of_the_slot() -> None:
    store = "@store_output (%1, %0) (wrmask=y, " + slot("VARYING_SLOT_VAR0", 4, component=1) + ")"
    access = only("VERTEX", CONST, VALUE, store)
    assert (access.slot, access.num_slots, access.components) == (VAR0 + 2, 1, (2,))
    assert (access.is_output, access.is_store, access.is_indirect) == (True, True, False)
    assert access.slots == {VAR0 + 2}
    assert access.form is LoweringLevel.LOWERED_IO


def test_a_variable_offset_touches_all_slots() -> None:
    load = "32    %3 = @load_input (%2) (" + slot("VARYING_SLOT_VAR0", 4, component=3) + ")"
    access = only("FRAGMENT", INDEX, load)
    assert access.is_indirect
    assert access.slots == set(range(VAR0, VAR0 + 4))


def test_halves_and_dual_slots() -> None:
    half = (
        "16    %3 = @load_input (%0) ("
        + slot("VARYING_SLOT_VAR0", 1, component=1, bits=16, flags=" high_16bits")
        + ")"
    )
    assert only("FRAGMENT", CONST.replace("2)", "0)"), half).halves == {VAR0 * 8 + 3}
    wide = "64x3  %3 = @load_input (%0) (" + slot("VARYING_SLOT_VAR0", 2, component=0, bits=64) + ")"
    access = only("FRAGMENT", CONST.replace("2)", "0)"), wide)
    assert access.components == (0, 1, 2, 3, 4, 5)
    assert access.slots == {VAR0, VAR0 + 1}


def test_derefs_say_the_same_as_slots() -> None:
    access = only(
        "VERTEX",
        "32    %0 = deref_var &o (shader_out vec4[4])",
        "32    %2 = deref_array &(*%0)[2] (shader_out vec4)  // &o[2]",
        "32x4  %1 = undefined",
        "@store_deref (%2, %1) (wrmask=xz, access=none)",
        head="decl_var shader_out INTERP_MODE_NONE none vec4[4] o (VARYING_SLOT_VAR0.xyzw, 0, 0)\n",
    )
    assert (access.slot, access.components, access.form) == (VAR0 + 2, (0, 2), LoweringLevel.VARIABLES)


def test_vertex_attributes_are_no_varyings() -> None:
    load = "32    %3 = @load_input (%0) (" + slot("VERT_ATTRIB_GENERIC0", 1, component=0) + ")"
    assert list(io_accesses(shader("VERTEX", CONST, load))) == []
    assert list(io_accesses(shader("TESS_CTRL", CONST, load))) == []


def test_an_indirect_load_meets_each_store_of_its_range() -> None:
    store = "@store_output (%1, %0) (wrmask=x, " + slot("VARYING_SLOT_VAR1", 1, component=0) + ")"
    stored = only("VERTEX", CONST.replace("2)", "0)"), VALUE, store)
    load = "32    %3 = @load_input (%2) (" + slot("VARYING_SLOT_VAR0", 4, component=0) + ")"
    assert stored.halves < only("FRAGMENT", INDEX, load).halves
    other = load.replace("component=0", "component=1")
    assert stored.halves.isdisjoint(only("FRAGMENT", INDEX, other).halves)


def test_back_colors() -> None:
    back, front = varying_slot("BFC1"), varying_slot("COL1")
    assert slot_read_as(back, Stage.FRAGMENT) == front
    assert slot_read_as(back, Stage.GEOMETRY) == back
    assert slot_read_as(VAR0, Stage.FRAGMENT) == VAR0


def store(*, mask: str = "x", offset: str = "%0", extra: str = "", name: str = "store_output") -> str:
    return f"@{name} (%1, {offset}) (wrmask={mask}, " + slot("VARYING_SLOT_VAR0", 4) + f"{extra})"


def test_array_indices() -> None:
    assert only("VERTEX", CONST, VALUE, store()).array_index is ArrayIndex.CONSTANT
    assert only("VERTEX", CONST, VALUE, INDEX, store(offset="%2")).array_index is ArrayIndex.BOUNDED
    attribute = "32  %3 = @ald_nv (%2, %0, %2) (base=128, range_base=128, range=0, flags=0, access=none)"
    access = only("TESS_CTRL", CONST, INDEX, attribute)
    assert access.array_index is ArrayIndex.ANY
    assert access.slots >= set(range(VAR0, VAR0 + 32))


def test_a_variable_index_of_compact_arrays_may_choose_any_component() -> None:
    load = "32    %3 = @load_input (%2) (" + slot("VARYING_SLOT_CLIP_DIST0", 2) + ")"
    access = only("FRAGMENT", INDEX, load)
    first = varying_slot("CLIP_DIST0")
    assert access.places == {(first + element, component) for element in (0, 1) for component in range(4)}


def test_streams_of_the_written_components() -> None:
    streams = " gs_streams(x=0 y=2 z=0 w=0)"
    assert only("GEOMETRY", CONST, VALUE, store(mask="x", extra=streams)).streams == {0}
    assert only("GEOMETRY", CONST, VALUE, store(mask="y", extra=streams)).streams == {2}
    assert only("GEOMETRY", CONST, VALUE, store(mask="xy", extra=streams)).streams == {0, 2}
    assert only("GEOMETRY", CONST, VALUE, store()).streams == {0}


def test_vertex_of_a_per_primitive_access() -> None:
    primitive = "@store_per_primitive_output (%1, %0, %0) (wrmask=x, " + slot("VARYING_SLOT_VAR0") + ")"
    assert isinstance(only("MESH", CONST, VALUE, primitive).vertex, Def)


@pytest.mark.parametrize("first_of_xfb2", [0, 2])
def test_captured_components(first_of_xfb2: int) -> None:
    """Older printers count the components of `xfb2` from 0, newer ones from 2."""
    both = f"components={first_of_xfb2}..{first_of_xfb2 + 1}"
    extra = f", xfb(component=1 buffer=0 offset=4), xfb2({both} buffer=1 offset=8)"
    access = only("VERTEX", CONST, VALUE, store(extra=extra))
    assert access.captures == (Capture(1, 0, 4), Capture(2, 1, 8), Capture(3, 1, 12))
    assert not access.is_captured


def test_registers_hold_loaded_values() -> None:
    lines = (
        "shader: MESA_SHADER_FRAGMENT",
        "impl main {",
        "\tdecl_reg vec2 32 r0",
        "\tblock block_0:",
        "\t/* preds: */",
        "\tvec1 32 ssa_0 = load_const (0x00000000 /* 0.000000 */)",
        "\tr0 = intrinsic load_input (ssa_0) (base=0, component=1, io location=32 slots=1)",
        "\t/* succs: block_1 */",
        "\tblock block_1:",
        "}\n",
    )
    (access,) = io_accesses(parse_dump("\n".join(lines).encode()))
    assert access.components == (1, 2)


def test_high_dvec2_is_the_second_half_of_the_attribute() -> None:
    def attribute(size: str, bits: int, flags: str = "") -> IoAccess:
        indices = slot("VERT_ATTRIB_GENERIC0", bits=bits, flags=flags)
        parsed = shader("VERTEX", CONST.replace("2)", "0)"), f"{size}  %1 = @load_input (%0) ({indices})")
        load = next(
            instr for impl in parsed.impls() for instr in impl.instrs() if isinstance(instr, IntrinsicInstr)
        )
        access = io_access(load, None)
        assert access is not None
        return access

    low, high, whole = attribute("32x4", 32), attribute("32x4", 32, " high_dvec2"), attribute("64x4", 64)
    assert (low.components, high.components) == ((0, 1, 2, 3), (4, 5, 6, 7))
    assert low.halves.isdisjoint(high.halves)
    assert low.halves | high.halves == whole.halves


def test_system_values_of_fragments_that_are_varyings() -> None:
    color = only("FRAGMENT", "32x4  %1 = @load_color1")
    assert (color.slot, color.components, color.is_output) == (varying_slot("COL1"), (0, 1, 2, 3), False)
    number = "32    %1 = @load_primitive_id"
    assert only("FRAGMENT", number).slot == varying_slot("PRIMITIVE_ID")
    assert not list(io_accesses(shader("GEOMETRY", number)))
