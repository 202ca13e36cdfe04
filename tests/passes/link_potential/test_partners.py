"""Pass-through partners: of each stage pair one that is valid, can be linked, and passes everything on."""

from __future__ import annotations

import pytest

from nirls.ir.io.access import AccessKind
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.ir.validation import validate
from nirls.passes.link_potential.partners import (
    CONSUMER_OF,
    PRODUCER_OF,
    pass_through_consumer,
    pass_through_producer,
    silent_partner,
)
from nirls.passes.varyings.interface.accesses import Linkage, link
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.link_pair import link_pair
from nirls.verification.verdict import Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ZERO, load, shader, store, use
from tests.passes.varyings.pairs import accesses, fragment, interpolated, vertex

VAR0 = 32
PATCH0 = 64


def checked(partner: Shader | None) -> Shader:
    assert partner is not None
    assert [str(problem) for problem in validate(partner) if problem.severity == "error"] == []
    return partner


def values_stored(partner: Shader) -> list[object]:
    return [
        instr.sources[0].def_
        for impl in partner.impls()
        for instr in impl.instrs()
        if isinstance(instr, IntrinsicInstr) and instr.name.startswith("store_")
    ]


def test_fragment_shader_gets_a_vertex_shader_with_an_attribute_for_each_input() -> None:
    reader = fragment(interpolated(4, "VAR3", 1), load(5, "VAR0"), use("%4"), use("%5"))
    partner = checked(pass_through_producer(reader))
    assert partner.stage is Stage.VERTEX
    assert accesses(partner, "store_output") == [("store_output", VAR0, 0), ("store_output", VAR0 + 3, 1)]
    stored = values_stored(partner)
    assert len(set(stored)) == len(stored) == 2
    assert isinstance(link(partner, reader), Linkage)


def test_more_inputs_than_attributes() -> None:
    lines = [
        interpolated(4 + slot * 4 + component, f"VAR{slot}", component)
        for slot in range(32)
        for component in range(4)
    ]
    partner = checked(pass_through_producer(fragment(*lines)))
    assert len(set(values_stored(partner))) == 128


def test_evaluation_shader_gets_a_control_shader_that_stores_patches_and_vertices() -> None:
    reader = shader(
        "TESS_EVAL",
        ZERO,
        load(1, "VAR0", name="load_per_vertex_input"),
        load(2, "PATCH0"),
        load(3, "TESS_LEVEL_OUTER"),
        *map(use, ("%1", "%2", "%3")),
    )
    partner = checked(pass_through_producer(reader))
    assert partner.stage is Stage.TESS_CTRL
    assert sorted(accesses(partner, "store_")) == [
        ("store_output", 26, 0),
        ("store_output", PATCH0, 0),
        ("store_per_vertex_output", VAR0, 0),
    ]


@pytest.mark.parametrize("stage", ["GEOMETRY", "TESS_CTRL"])
def test_inputs_of_several_vertices_are_stored_once(stage: str) -> None:
    reader = shader(
        stage,
        ZERO,
        load(1, "VAR0", name="load_per_vertex_input"),
        load(2, "VAR0", name="load_per_vertex_input"),
        use("%1"),
        use("%2"),
    )
    partner = checked(pass_through_producer(reader))
    assert accesses(partner, "store_") == [("store_output", VAR0, 0)]


def test_indexed_range_is_passed_on_whole() -> None:
    indexed = load(4, "VAR2").replace("(%0 (0x0))", "(%3)").replace("slots=1", "slots=3")
    reader = shader("FRAGMENT", ZERO, "32    %3 = @load_sample_id", indexed, use("%4"))
    partner = checked(pass_through_producer(reader))
    assert [place for _, place, _ in accesses(partner, "store_")] == [VAR0 + 2, VAR0 + 3, VAR0 + 4]


def test_16_bit_halves_are_places_of_their_own() -> None:
    low = load(1, "VAR0").replace("32    %1", "16    %1").replace("float32", "float16")
    high = low.replace("%1", "%2").replace("slots=1", "slots=1 high_16bits")
    reader = shader("FRAGMENT", ZERO, low, high, "32    %3 = pack_32_2x16_split %1, %2", use("%3"))
    partner = checked(pass_through_producer(reader))
    assert [value.bit_size for value in values_stored(partner) if value is not None] == [16, 16]  # type: ignore[attr-defined]


def test_consumer_interpolates_floats_and_reads_integers_flat() -> None:
    producer = vertex(
        "32    %20 = @load_vertex_id",
        store("VAR0", "%10", extra="|"),
        store("VAR1", "%20", extra="|").replace("src_type=float32", "src_type=uint32"),
    )
    partner = checked(pass_through_consumer(producer))
    assert partner.stage is Stage.FRAGMENT
    assert accesses(partner, "input") == [
        ("load_interpolated_input", VAR0, 0),
        ("load_input", VAR0 + 1, 0),
    ]


def test_consumer_leaves_to_fixed_hardware_what_is_for_it() -> None:
    producer = vertex(*(store(slot, "%10", extra="|") for slot in ("POS", "PSIZ", "CLIP_DIST0", "VAR0")))
    assert accesses(checked(pass_through_consumer(producer)), "input") == [
        ("load_interpolated_input", VAR0, 0)
    ]


def test_back_color_is_read_as_the_front_one() -> None:
    producer = vertex(store("COL0", "%10", extra="|"), store("BFC0", "%11", extra="|"))
    assert accesses(checked(pass_through_consumer(producer)), "input") == [("load_interpolated_input", 1, 0)]


def test_control_shader_gets_an_evaluation_shader_that_reads_every_vertex() -> None:
    producer = shader(
        "TESS_CTRL",
        ZERO,
        load(1, "VAR9", name="load_per_vertex_input"),
        store("VAR0", "%1", name="store_per_vertex_output").replace(", xfb(), xfb2()", ""),
        store("PATCH0", "%1", extra="|"),
    )
    partner = checked(pass_through_consumer(producer))
    assert partner.stage is Stage.TESS_EVAL
    assert sorted(accesses(partner, "input")) == [
        ("load_input", PATCH0, 0),
        *[("load_per_vertex_input", VAR0, 0)] * 3,
    ]


def test_mesh_shader_gets_a_fragment_shader_that_tells_primitives_from_vertices() -> None:
    per_primitive = "store_per_primitive_output"
    producer = shader(
        "MESH",
        ZERO,
        "32    %1 = @load_local_invocation_index",
        store("VAR0", "%1", name="store_per_vertex_output").replace(", xfb(), xfb2()", ""),
        store("VAR1", "%1", name="store_per_vertex_output")
        .replace(", xfb(), xfb2()", "")
        .replace("store_per_vertex_output", per_primitive),
    )
    partner = checked(pass_through_consumer(producer))
    assert accesses(partner, "input") == [
        ("load_interpolated_input", VAR0, 0),
        ("load_per_primitive_input", VAR0 + 1, 0),
    ]


@pytest.mark.parametrize("stage", [stage.value for stage in Stage])
def test_partners_for_every_stage_that_has_them(stage: str) -> None:
    parsed = shader(stage, ZERO)
    assert (pass_through_producer(parsed) is not None) == (parsed.stage in PRODUCER_OF)
    assert (pass_through_consumer(parsed) is not None) == (parsed.stage in CONSUMER_OF)
    assert (silent_partner(parsed, AccessKind.INPUT_LOAD) is not None) == (parsed.stage in PRODUCER_OF)


def test_inputs_that_are_still_variables_have_no_partner() -> None:
    reader = shader(
        "FRAGMENT",
        "32    %0 = deref_var &v (shader_in float)",
        "32    %1 = @load_deref (%0) (access=none)",
        header=("decl_var shader_in INTERP_MODE_SMOOTH none float v (VARYING_SLOT_VAR0.x, 0, 0)",),
    )
    assert pass_through_producer(reader) is None


def test_linking_with_a_partner_keeps_what_both_do() -> None:
    """Which says that the partner is a program that can be run, and that its inputs are not undefined."""
    producer = vertex(
        "32    %20 = fadd %10, %11", store("VAR0", "%20", extra="|"), store("VAR4", "%9.x", extra="|")
    )
    reader = fragment(interpolated(4, "VAR0"), interpolated(5, "VAR2"), "32    %6 = fadd %4, %5", use("%6"))
    for pair in (
        (producer, checked(pass_through_consumer(producer))),
        (checked(pass_through_producer(reader)), reader),
    ):
        after = [clone_shader(item) for item in pair]
        link_pair(after[0], after[1], LinkOptions())
        assert isinstance(verify_shaders(pair, after), Equivalent)
