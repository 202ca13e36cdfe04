from __future__ import annotations

from nirls.ir.finding import Finding, FixRequest, Severity
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import IntrinsicInstr, LoadConstInstr, UndefInstr
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.passes.varyings.interface.accesses import Linkage, link
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.passes.varyings.opt_varyings_dead_io import OptVaryingsDeadIo
from nirls.verification.verdict import Unchecked
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ONE, ZERO, intrinsic_names, load, printed_kinds, shader, store, use


def pair(producer: list[str], consumer: list[str], stages: str = "VERTEX FRAGMENT") -> list[Shader]:
    first, second = stages.split()
    return [shader(first, ZERO, ONE, *producer), shader(second, ZERO, *consumer)]


def codes(shaders: list[Shader]) -> list[str]:
    return [finding.code for finding in OptVaryingsDeadIo().find(shaders)]


def flags(shader_: Shader) -> list[tuple[str, ...]]:
    return [
        instr.io_semantics.flags
        for impl in shader_.impls()
        for instr in impl.instrs()
        if isinstance(instr, IntrinsicInstr) and instr.io_semantics is not None
    ]


def test_store_that_nobody_reads_goes_with_what_only_it_needed() -> None:
    shaders = pair(
        [
            "32    %2 = @load_vertex_id",
            "32    %3 = i2f32 %2",
            "32    %4 = fadd %3, %1 (1.000000)",
            "32    %5 = fmul %3, %3",
            store("VAR0", "%4"),
            store("VAR1", "%5"),
        ],
        [load(1, "VAR1"), use("%1")],
    )
    assert codes(shaders) == ["dead-output"]
    assert OptVaryingsDeadIo().run(shaders) == [shaders[0]]
    assert printed_kinds(shaders[0]) == [
        "load_const",
        "load_vertex_id",
        "i2f32",
        "fmul",
        "store_output",
    ]


def test_code_that_was_dead_before_stays() -> None:
    shaders = pair(["32    %2 = fadd %1 (1.000000), %1 (1.000000)", store("VAR0")], [])
    OptVaryingsDeadIo().run(shaders)
    assert "fadd" in printed_kinds(shaders[0])


def test_unwritten_input_becomes_undefined_under_its_number() -> None:
    shaders = pair([], [load(1, "VAR0"), use("%1")])
    assert codes(shaders) == ["undefined-input"]
    assert OptVaryingsDeadIo().run(shaders) == [shaders[1]]
    (undef,) = [
        instr for impl in shaders[1].impls() for instr in impl.instrs() if isinstance(instr, UndefInstr)
    ]
    assert undef.def_ is not None
    assert undef.def_.index == 1
    assert len(undef.def_.uses) == 1


def test_barycentrics_of_a_removed_input_go() -> None:
    shaders = pair(
        [],
        [
            "32x2  %1 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)",
            "32    %2 = @load_interpolated_input (%1, %0 (0x0)) (base=0, component=0, dest_type=float32,"
            " io location=VARYING_SLOT_VAR0 slots=1)",
            use("%2"),
        ],
    )
    OptVaryingsDeadIo().run(shaders)
    assert intrinsic_names(shaders[1]) == ["store_ssbo"]


def test_layer_and_texture_coordinates_have_values_without_being_written() -> None:
    shaders = pair(
        [],
        [
            load(1, "LAYER"),
            load(2, "TEX1", 1),
            load(3, "TEX1", 2),
            load(4, "TEX1", 3),
            *(use(f"%{number}") for number in (1, 2, 3, 4)),
        ],
    )
    assert [finding.data["reads_as"] for finding in OptVaryingsDeadIo().find(shaders)] == ["0", "0", "1"]
    OptVaryingsDeadIo().run(shaders)
    constants = {
        instr.def_.index: instr.values
        for impl in shaders[1].impls()
        for instr in impl.instrs()
        if isinstance(instr, LoadConstInstr) and instr.def_ is not None
    }
    assert (constants[1], constants[3], constants[4]) == ((0,), (0,), (0x3F800000,))
    assert intrinsic_names(shaders[1])[0] == "load_input"


def test_output_that_the_rasterizer_reads_is_kept_as_no_varying() -> None:
    shaders = pair([store("CLIP_DIST0"), store("POS"), store("VAR0")], [])
    assert codes(shaders) == ["no-varying-output", "dead-output"]
    OptVaryingsDeadIo().run(shaders)
    assert flags(shaders[0]) == [("no_varying",), ()]
    assert codes(shaders) == []


def test_output_without_its_system_value_is_removed() -> None:
    shaders = pair([store("CLIP_DIST0", extra=" no_sysval_output")], [])
    OptVaryingsDeadIo().run(shaders)
    assert intrinsic_names(shaders[0]) == []


def test_captured_output_is_kept_as_no_varying() -> None:
    shaders = pair([store("VAR0", extra="|component=0 buffer=0 offset=0")], [])
    (finding,) = OptVaryingsDeadIo().find(shaders)
    assert finding.data["readers"] == ["transform feedback"]
    OptVaryingsDeadIo().run(shaders)
    assert flags(shaders[0]) == [("no_varying",)]


def test_what_transform_feedback_may_capture_is_a_hint_without_a_fix() -> None:
    """The pass itself removes the store as Mesa's does, and verification does not call that equivalent."""
    producer = shader("VERTEX", ZERO, ONE, store("VAR0"), header=["has_transform_feedback_varyings: true"])
    shaders = [producer, shader("FRAGMENT", ZERO)]
    (finding,) = OptVaryingsDeadIo().find(shaders)
    assert "transform feedback may capture it" in finding.message
    assert finding.severity is Severity.HINT
    assert not finding.fixes
    assert not OptVaryings().find(shaders)
    before = [clone_shader(each) for each in shaders]
    assert producer in OptVaryings().run(shaders)
    assert intrinsic_names(producer) == []
    assert isinstance(verify_shaders(before, shaders), Unchecked)
    (finding,) = OptVaryingsDeadIo().find(pair([store("VAR0")], []))
    assert finding.message == "output VAR0.x is never read by the FS"


def test_output_that_the_control_shader_reads_itself() -> None:
    shaders = pair(
        [
            store("VAR0", name="store_per_vertex_output"),
            load(2, "VAR0", name="load_per_vertex_output"),
            load(3, "VAR1", name="load_per_vertex_output"),
            use("%2"),
            use("%3"),
        ],
        [],
        "TESS_CTRL TESS_EVAL",
    )
    # The store and the load of VAR0 are one finding.
    assert codes(shaders) == ["no-varying-output", "undefined-output-load"]
    OptVaryingsDeadIo().run(shaders)
    assert flags(shaders[0]) == [("no_varying",), ("no_varying",)]
    assert "undef" in printed_kinds(shaders[0])


def test_levels_of_a_pipeline_without_control_shader_stay() -> None:
    shaders = pair([], [load(1, "TESS_LEVEL_INNER"), load(2, "PATCH0")], "VERTEX TESS_EVAL")
    OptVaryingsDeadIo().run(shaders)
    assert intrinsic_names(shaders[1]) == ["load_input"]


def test_primitive_id_is_a_varying_behind_a_geometry_shader_only() -> None:
    for stages, expected in (("GEOMETRY FRAGMENT", 0), ("TESS_EVAL FRAGMENT", 1)):
        shaders = pair([], [load(1, "PRIMITIVE_ID"), use("%1")], stages)
        OptVaryingsDeadIo().run(shaders)
        assert intrinsic_names(shaders[1]).count("load_input") == expected


def test_color_is_fed_by_either_side() -> None:
    shaders = pair([store("BFC0")], [load(1, "COL0"), use("%1")])
    assert codes(shaders) == []
    geometry = pair(
        [store("BFC0")],
        [load(1, "COL0", name="load_per_vertex_input"), use("%1")],
        "VERTEX GEOMETRY",
    )
    assert codes(geometry) == ["dead-output", "undefined-input"]


def test_vector_access_is_kept_while_one_component_lives() -> None:
    producer = [
        "32x2  %2 = vec2 %1 (1.000000), %1 (1.000000)",
        store("VAR0", "%2").replace("wrmask=x", "wrmask=xy"),
    ]
    assert codes(pair(producer, [load(1, "VAR0", 1), use("%1")])) == []
    assert codes(pair(producer, [load(1, "VAR0", 2), use("%1")])) == ["dead-output", "undefined-input"]


def test_indexed_range_is_kept_while_one_element_lives() -> None:
    indexed = store("VAR0").replace("%0 (0x0)) (base", "%2) (base").replace("slots=1", "slots=3")
    producer = ["32    %2 = @load_vertex_id", indexed, store("VAR1", component=1)]
    assert codes(pair(producer, [load(1, "VAR2"), use("%1")])) == ["dead-output"]
    assert codes(pair(producer, [load(1, "VAR3"), use("%1")])) == [
        "dead-output",
        "dead-output",
        "undefined-input",
    ]


def test_nothing_is_unwritten_where_a_line_could_not_be_read() -> None:
    from nirls.ir.text.parse import parse_dump
    from tests.passes.shader_text import shader_text

    producer = parse_dump(shader_text("VERTEX", ZERO, "@@@ what is this").encode())
    assert producer.unreadable
    assert codes([producer, shader("FRAGMENT", ZERO, load(1, "VAR0"), use("%1"))]) == []
    consumer = parse_dump(shader_text("FRAGMENT", ZERO, "@@@ what is this").encode())
    assert codes([shader("VERTEX", ZERO, ONE, store("VAR0")), consumer]) == []


def test_last_pair_comes_first() -> None:
    """An output that only feeds a dead output of the next stage dies with it."""
    shaders = [
        shader("VERTEX", ZERO, ONE, store("VAR0")),
        shader("TESS_EVAL", ZERO, load(1, "VAR0"), store("VAR1", "%1")),
        shader("FRAGMENT", ZERO),
    ]
    assert OptVaryingsDeadIo().run(shaders) == shaders[:2]
    assert [intrinsic_names(one) for one in shaders] == [[], [], []]


def test_findings_point_to_the_access_and_to_the_other_stage() -> None:
    shaders = pair([store("VAR0", component=2)], [load(1, "VAR0"), use("%1")])
    dead, undefined = OptVaryingsDeadIo().find(shaders)
    assert text_of(shaders, dead).startswith("@store_output")
    assert dead.unnecessary
    assert dead.data["slot"] == "VAR0.z"
    assert dead.related[0].place.dump == 1
    assert dead.related[0].message == "the FS reads only VAR0.x of this slot"
    assert "@load_input" in text_of(shaders, undefined)
    assert undefined.related[0].place.dump == 0


def test_other_accesses_of_the_same_components_are_related() -> None:
    shaders = pair([store("VAR0"), store("VAR0")], [load(1, "VAR1"), use("%1"), load(2, "VAR1"), use("%2")])
    dead, undefined = OptVaryingsDeadIo().find(shaders)
    assert dead.related[0].message == "VAR0.x is written here"
    assert undefined.related[0].message == "VAR1.x is read here"


def test_components_of_a_slot_are_one_finding_with_one_fix() -> None:
    stores = [store("VAR3", component=component) for component in (2, 0, 1)]
    shaders = pair([*stores, store("VAR4")], [])
    several, other = OptVaryingsDeadIo().find(shaders)
    assert several.message == "output VAR3.xyz is never read by the FS"
    assert [related.message for related in several.related[:2]] == [
        "VAR3.x is written here",
        "VAR3.y is written here",
    ]
    assert other.message == "output VAR4.x is never read by the FS"
    (change,) = OptVaryingsDeadIo().fix(shaders, several.fixes[0].request)
    assert intrinsic_names(change.after) == ["store_output"]


def test_findings_about_variables_are_one_for_each_pair() -> None:
    declared = "decl_var shader_out INTERP_MODE_NONE none float o (VARYING_SLOT_VAR0.x, 0, 0)"
    producer = shader("VERTEX", "32    %0 = deref_var &o (shader_out float)", header=[declared])
    shaders = [producer, shader("FRAGMENT", ZERO, load(1, "VAR0"))]
    (finding,) = OptVaryingsDeadIo().find(shaders)
    assert finding.code == "io-not-lowered"
    assert finding.data == {"reason": "io-variables"}
    assert text_of(shaders, finding) == "shader: MESA_SHADER_VERTEX"


def test_fixes_change_copies_and_only_what_they_say() -> None:
    shaders = pair([store("VAR0"), store("VAR1"), store("CLIP_DIST0")], [load(1, "VAR2"), use("%1")])
    first = next(iter(OptVaryingsDeadIo().find(shaders)))
    kinds = {fix.request.scope: fix for fix in first.fixes}
    assert set(kinds) == {"one", "all", "pass"}
    assert kinds["one"].preferred

    (change,) = OptVaryingsDeadIo().fix(shaders, kinds["one"].request)
    assert change.before is shaders[0]
    assert intrinsic_names(change.after) == ["store_output", "store_output"]
    (change,) = OptVaryingsDeadIo().fix(shaders, kinds["all"].request)
    assert intrinsic_names(change.after) == ["store_output"]
    assert flags(change.after) == [()]
    both = OptVaryings().fix(shaders, kinds["pass"].request)
    assert [one.before for one in both] == shaders
    assert flags(both[0].after) == [("no_varying",)]
    assert intrinsic_names(shaders[0]) == ["store_output"] * 3


def test_requests_are_the_same_for_the_same_text() -> None:
    def requests() -> list[FixRequest]:
        shaders = pair([store("VAR0"), store("VAR1")], [load(1, "VAR2"), use("%1")])
        return [fix.request for finding in OptVaryingsDeadIo().find(shaders) for fix in finding.fixes]

    assert requests() == requests()
    single = [request for request in requests() if request.scope == "one"]
    assert len(single) == len(set(single)) == 3


def text_of(shaders: list[Shader], finding: Finding) -> str:
    place = finding.place
    return shaders[place.dump].source[place.start : place.end].decode()


def test_loads_of_undefined_values_are_what_warns() -> None:
    warnings = {code.code for code in OptVaryingsDeadIo.codes if code.severity is Severity.WARNING}
    assert warnings == {"undefined-input", "undefined-output-load"}
    faded = {code.code for code in OptVaryingsDeadIo.codes if code.unnecessary}
    assert faded == {"dead-output", *warnings}


def test_variables_can_be_lowered_with_a_fix() -> None:
    producer = parse_dump(b"""\
shader: MESA_SHADER_VERTEX
decl_var shader_out INTERP_MODE_NONE none float v (VARYING_SLOT_VAR0.x, 0, 0)
impl main {
    block b0:
    32    %0 = undefined
    32    %1 = deref_var &v (shader_out float)
    @store_deref (%1, %0) (wrmask=x, access=none)
}
""")
    consumer = shader("FRAGMENT", ZERO)
    (finding,) = OptVaryingsDeadIo().find([producer, consumer])
    (fix,) = finding.fixes
    assert finding.severity is Severity.INFORMATION
    (change,) = OptVaryingsDeadIo().fix([producer, consumer], fix.request)
    assert change.before is producer
    assert isinstance(link(change.after, consumer), Linkage)
    # A variable without a slot keeps the accesses from being lowered: there is nothing to offer.
    no_slot = parse_dump(producer.source.replace(b"VARYING_SLOT_VAR0.x", b"~0"))
    (finding,) = OptVaryingsDeadIo().find([no_slot, consumer])
    assert finding.code == "io-not-lowered"
    assert (finding.fixes, finding.severity) == ((), Severity.HINT)


def test_an_output_that_a_system_value_reads_stays() -> None:
    color = ["32x4  %1 = @load_color0", "32    %2 = mov %1.y", use("%2")]
    stores = [store("COL0"), store("BFC0", component=1), store("COL1")]
    assert codes(pair(stores, color)) == ["dead-output"]
    number = ["32    %1 = @load_primitive_id", use("%1")]
    assert codes(pair([store("PRIMITIVE_ID")], number, "GEOMETRY FRAGMENT")) == []
    assert codes(pair([store("PRIMITIVE_ID")], [use("%0")], "GEOMETRY FRAGMENT")) == ["dead-output"]
    # Each of the other stages has a primitive number of its own.
    tessellated = [store("VAR0")], [*number, load(2, "VAR1"), use("%2")]
    assert codes(pair(*tessellated, "VERTEX TESS_EVAL")) == ["dead-output", "undefined-input"]
