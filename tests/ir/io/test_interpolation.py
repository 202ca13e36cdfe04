"""How fragment inputs are read: barycentric coordinates, then declarations, then the kind of the load."""

from __future__ import annotations

import pytest

from nirls.ir.io.interpolation import FragmentInputs, InputKind, InputReading, Interpolation
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from tests.verification.evaluate.shader_text import shader_of

PIXEL = "32x2   %9 = @load_barycentric_pixel (interp_mode=INTERP_MODE_{mode})"


def load(
    number: int, slot: str = "VAR0", component: int = 0, name: str = "load_input", flags: str = ""
) -> str:
    sources = {"load_interpolated_input": "%9, %0", "load_input_vertex": "%0, %0"}.get(name, "%0")
    return (
        f"32     %{number} = @{name} ({sources}) (base=0, range=1, component={component}, dest_type=float32, "
        f"io location=VARYING_SLOT_{slot} slots=1{flags})"
    )


def declared(slot: str, mode: str = "NONE", type_name: str = "vec4", qualifier: str = "") -> str:
    return (
        f"decl_var {qualifier}shader_in INTERP_MODE_{mode} none {type_name} v (VARYING_SLOT_{slot}, 0, 0)\n"
    )


def fragment(*lines: str, head: str = "", stage: str = "FRAGMENT") -> Shader:
    body = "".join(f"    {line}\n" for line in lines)
    start = "    block b0:   // preds:\n    32     %0 = load_const (0x00000000)\n"
    return shader_of(f"{start}{body}                // succs: b99", stage, head)


def loads(shader: Shader) -> list[IntrinsicInstr]:
    assert shader.entrypoint is not None
    found = [instr for instr in shader.entrypoint.instrs() if isinstance(instr, IntrinsicInstr)]
    return [instr for instr in found if "input" in instr.name or instr.name == "ipa_nv"]


def reading(shader: Shader) -> InputReading | None:
    (found,) = loads(shader)
    return FragmentInputs(shader).reading(found)


@pytest.mark.parametrize(
    ("mode", "type_name", "qualifier", "kind", "interpolation"),
    [
        ("NONE", "vec4", "", InputKind.INTERPOLATED, Interpolation.PERSPECTIVE_PIXEL),
        ("NOPERSPECTIVE", "vec4", "centroid ", InputKind.INTERPOLATED, Interpolation.LINEAR_CENTROID),
        ("SMOOTH", "vec4", "sample ", InputKind.INTERPOLATED, Interpolation.PERSPECTIVE_SAMPLE),
        ("FLAT", "vec4", "", InputKind.FLAT, None),
        ("NONE", "uint", "", InputKind.FLAT, None),
        ("EXPLICIT", "vec4", "", InputKind.EXPLICIT, None),
        ("NONE", "vec4", "per_primitive ", InputKind.PER_PRIMITIVE, None),
    ],
)
def test_declarations_without_barycentrics(
    mode: str, type_name: str, qualifier: str, kind: InputKind, interpolation: Interpolation | None
) -> None:
    found = reading(fragment(load(1), head=declared("VAR0", mode, type_name, qualifier)))
    assert found is not None
    assert (found.kind, found.interpolation) == (kind, interpolation)
    assert found.declaration is not None


@pytest.mark.parametrize(
    ("name", "flags", "kind"),
    [
        ("load_input", "", InputKind.FLAT),
        ("load_input_vertex", "", InputKind.EXPLICIT),
        ("load_input_vertex", " explicit_strict", InputKind.EXPLICIT_STRICT),
        ("load_per_primitive_input", "", InputKind.PER_PRIMITIVE),
    ],
)
def test_kinds_of_loads_without_declarations(name: str, flags: str, kind: InputKind) -> None:
    found = reading(fragment(load(1, name=name, flags=flags)))
    assert found == InputReading(kind)


@pytest.mark.parametrize(
    ("slot", "mode", "kind"),
    [
        ("COL0", "NONE", InputKind.SHADE_MODEL),
        ("COL0", "SMOOTH", InputKind.INTERPOLATED),
        ("VAR0", "NONE", InputKind.INTERPOLATED),
    ],
)
def test_flat_shading_of_colors(slot: str, mode: str, kind: InputKind) -> None:
    by_load = reading(fragment(PIXEL.format(mode=mode), load(1, slot, name="load_interpolated_input")))
    by_declaration = reading(fragment(load(1, slot), head=declared(slot, mode)))
    assert by_load is not None
    assert by_declaration is not None
    assert by_load.kind is by_declaration.kind is kind


def test_point_sprites_replace_texture_coordinates() -> None:
    replaced = reading(fragment(load(1, "TEX3"), head=declared("TEX3")))
    kept = reading(fragment(load(1, "VAR3"), head=declared("VAR3")))
    assert replaced is not None
    assert kept is not None
    assert (replaced.replaced, kept.replaced) == (True, False)


def test_barycentrics_come_before_declarations() -> None:
    lines = PIXEL.format(mode="NOPERSPECTIVE"), load(1, name="load_interpolated_input")
    found = reading(fragment(*lines, head=declared("VAR0", "FLAT")))
    assert found == InputReading(InputKind.INTERPOLATED, Interpolation.LINEAR_PIXEL)


def test_a_driver_that_uses_barycentrics_loads_flat_inputs_plainly() -> None:
    shader = fragment(load(1), PIXEL.format(mode="SMOOTH"), head=declared("VAR0"))
    assert reading(shader) == InputReading(InputKind.FLAT)
    # It is still so after a pass has made the last interpolated load flat.
    assert shader.entrypoint is not None
    barycentric = next(
        instr
        for instr in shader.entrypoint.instrs()
        if getattr(instr, "name", "") == "load_barycentric_pixel"
    )
    barycentric.remove()
    assert reading(shader) == InputReading(InputKind.FLAT)


@pytest.mark.parametrize(
    ("coordinates", "qualifier", "kind"),
    [
        ("@load_barycentric_at_offset (%8) (interp_mode=INTERP_MODE_SMOOTH)", "", InputKind.INTERPOLATED),
        ("@load_barycentric_at_sample (%0) (interp_mode=INTERP_MODE_SMOOTH)", "", InputKind.INTERPOLATED),
        ("@load_barycentric_centroid (interp_mode=INTERP_MODE_SMOOTH)", "", InputKind.INTERPOLATED),
        ("@load_barycentric_centroid (interp_mode=INTERP_MODE_SMOOTH)", "centroid ", InputKind.FLAT),
        ("@load_barycentric_sample (interp_mode=INTERP_MODE_SMOOTH)", "", InputKind.FLAT),
    ],
)
def test_what_is_interpolated_at_a_place_asked_for_says_nothing_about_other_inputs(
    coordinates: str, qualifier: str, kind: InputKind
) -> None:
    lines = (
        load(1),
        "32x2   %8 = load_const (0x3e800000, 0x3e800000) = (0.25, 0.25)",
        f"32x2   %9 = {coordinates}",
        load(2, "VAR0", name="load_interpolated_input"),
        load(3, "VAR1", name="load_interpolated_input"),
    )
    shader = fragment(*lines, head=declared("VAR0") + declared("VAR1", qualifier=qualifier))
    inputs, plain = FragmentInputs(shader), loads(shader)[0]
    reading_of_plain = inputs.reading(plain)
    assert reading_of_plain is not None
    assert reading_of_plain.kind is kind
    assert inputs.refusal(plain) is None


def test_a_component_without_a_declaration_is_unknown_where_others_are_declared() -> None:
    shader = fragment(load(1, component=3), head=declared("VAR0.xy", type_name="vec2"))
    (found,) = loads(shader)
    assert FragmentInputs(shader).reading(found) is None
    assert "no declaration" in (FragmentInputs(shader).refusal(found) or "")
    layer = fragment(load(1, "LAYER"), head=declared("VAR0.xy", type_name="vec2"))
    assert reading(layer) == InputReading(InputKind.FLAT)


def test_a_declared_slot_has_one_qualifier() -> None:
    head = declared("VAR0.xy", "FLAT", "vec2") + declared("VAR0.zw", "NONE", "vec2")
    shader = fragment(load(1), load(2, component=2), load(3, "VAR1"), head=head + declared("VAR1"))
    inputs = FragmentInputs(shader)
    assert inputs.mixed_slots == {32}
    assert [inputs.refusal(one) is None for one in loads(shader)] == [False, False, True]


@pytest.mark.parametrize(
    ("sampling", "component", "expected"),
    [("centroid", 1, {32}), ("centroid", 0, set()), ("pixel", 1, set()), ("at_offset", 1, set())],
)
def test_slots_of_several_qualifiers(sampling: str, component: int, expected: set[int]) -> None:
    """A component may be read at other places too, but no two may have nothing in common."""
    name = "load_interpolated_input"
    other = f"32x2 %8 = @load_barycentric_{sampling} (interp_mode=INTERP_MODE_SMOOTH)"
    other = other.replace("at_offset ", "at_offset (%9) ")
    shader = fragment(
        PIXEL.format(mode="SMOOTH"),
        other,
        load(1, name=name),
        load(2, component=component, name=name).replace("%9", "%8"),
    )
    assert FragmentInputs(shader).slots_of_several_qualifiers == expected


def test_loads_with_barycentrics_say_it_themselves() -> None:
    shader = fragment(
        PIXEL.format(mode="SMOOTH"), load(1), load(2, component=1, name="load_interpolated_input")
    )
    inputs = FragmentInputs(shader)
    assert inputs.mixed_slots == {32}
    assert [inputs.refusal(one) for one in loads(shader)] == [None, None]


@pytest.mark.parametrize(
    ("lines", "head", "expected"),
    [
        ((load(1),), declared("VAR1"), True),
        ((load(1),), declared("VAR0", "FLAT"), False),
        ((load(1),), "", False),
        ((load(1), PIXEL.format(mode="SMOOTH")), declared("VAR1"), False),
    ],
)
def test_declarations_decide_where_no_load_does(lines: tuple[str, ...], head: str, expected: bool) -> None:
    """Also declarations of inputs that nothing reads: what moves there would be interpolated."""
    assert FragmentInputs(fragment(*lines, head=head)).go_by_declarations is expected


@pytest.mark.parametrize(
    ("flags", "kind", "interpolation", "at_a_point"),
    [
        (0, InputKind.INTERPOLATED, Interpolation.PERSPECTIVE_PIXEL, False),
        (1, InputKind.INTERPOLATED, Interpolation.LINEAR_PIXEL, False),
        (16, InputKind.INTERPOLATED, Interpolation.PERSPECTIVE_CENTROID, False),
        (17, InputKind.INTERPOLATED, Interpolation.LINEAR_CENTROID, False),
        (32, InputKind.INTERPOLATED, Interpolation.PERSPECTIVE_PIXEL, True),
        (10, InputKind.FLAT, None, False),
    ],
)
def test_attribute_interpolation_of_nvidia(
    flags: int, kind: InputKind, interpolation: Interpolation | None, at_a_point: bool
) -> None:
    found = reading(fragment(f"32    %9 = @ipa_nv (%0, %0) (base=128, flags={flags})"))
    assert found is not None
    assert (found.kind, found.interpolation, found.at_a_point) == (kind, interpolation, at_a_point)
