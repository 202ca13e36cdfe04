"""Forward code motion: what is not sent any more, what must be, and that the pipeline does the same."""

from __future__ import annotations

from collections import Counter

import pytest

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import AluInstr, IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.validation import validate
from nirls.passes.varyings.interface.costs import Exchange
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.scalar_slots import LinkProgress
from nirls.passes.varyings.link_pair import link_pair
from nirls.passes.varyings.motion.forward_motion import derivations, move_forward
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Different, Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ONE, ZERO, load, shader, store, use
from tests.passes.varyings.pairs import accesses, fragment, interface_of, interpolated, stores, vertex
from tests.passes.varyings.sharing_pairs import sharing_pair

VAR0 = 32


def _always(exchange: Exchange) -> bool:
    return exchange.halves_saved > 0


ALWAYS = LinkOptions(worth_sending_less=_always)


def moved(producer: Shader, consumer: Shader, options: LinkOptions = ALWAYS) -> int:
    """How many varyings forward motion saves; the result must be the same program."""
    before = clone_shader(producer), clone_shader(consumer)
    interface = interface_of(producer, consumer, options)
    sent = len(set(stores(producer)))
    move_forward(interface)
    assert [str(problem) for item in (producer, consumer) for problem in validate(item)] == []
    assert isinstance(verify_shaders(before, (producer, consumer)), Equivalent)
    return sent - len(set(stores(producer)))


def ops(parsed: Shader) -> list[str]:
    return [instr.op for impl in parsed.impls() for instr in impl.instrs() if isinstance(instr, AluInstr)]


SHARED = (
    "32    %20 = fadd %10, %1 (1.000000)",
    "32    %21 = fadd %10, %10",
)


def sender(*lines: str, first: str = "%20", second: str = "%21") -> Shader:
    return vertex(*SHARED, *lines, store("VAR0", first, extra="|"), store("VAR1", second, extra="|"))


def smooth_reader(second: int = 2) -> Shader:
    return fragment(
        interpolated(4, "VAR0"), interpolated(5, "VAR1", coordinates=second), use("%4"), use("%5")
    )


def flat_reader() -> Shader:
    return fragment(load(4, "VAR0"), load(5, "VAR1"), use("%4"), use("%5"))


def test_common_value_is_sent_instead_of_two_outputs() -> None:
    producer, consumer = sender(), smooth_reader()
    assert moved(producer, consumer, LinkOptions()) == 1
    assert (ops(producer), ops(consumer)) == ([], ["fadd", "fadd"])
    assert accesses(consumer, "input") == [("load_interpolated_input", VAR0, 0)]


def test_flat_inputs_allow_any_expression() -> None:
    producer = sender("32    %22 = fmax! %10, %1 (1.000000)", second="%22")
    assert moved(producer, flat_reader()) == 1


@pytest.mark.parametrize(
    "line",
    ["fmax %10, %1 (1.000000)", "fadd! %10, %1 (1.000000)", "fmul %10, %10", "fsin %10", "fadd.sat %10, %1"],
)
def test_what_interpolation_does_not_commute_with_stays(line: str) -> None:
    assert moved(sender(f"32    %22 = {line}", second="%22"), smooth_reader()) == 0


def test_infinities_that_count_keep_interpolated_outputs() -> None:
    assert moved(sender(), smooth_reader(), LinkOptions(preserve_infs=True)) == 0
    assert moved(sender(), flat_reader(), LinkOptions(preserve_infs=True)) == 1


def test_other_interpolation_keeps_both() -> None:
    assert moved(sender(), smooth_reader(second=3)) == 0


def test_evaluation_at_an_offset_keeps_both() -> None:
    consumer = fragment(
        "32x2  %14 = load_const (0x3e000000, 0x3e000000) = (0.125000, 0.125000)",
        "32x2  %15 = @load_barycentric_at_offset (%14) (interp_mode=INTERP_MODE_SMOOTH)",
        interpolated(4, "VAR0"),
        interpolated(5, "VAR1", coordinates=15),
        use("%4"),
        use("%5"),
    )
    assert moved(sender(), consumer) == 0


def test_output_that_others_give_is_not_sent() -> None:
    producer = vertex(
        "32    %20 = fadd %10, %11",
        *(store(f"VAR{slot}", value, extra="|") for slot, value in enumerate(("%10", "%11", "%20"))),
    )
    consumer = fragment(
        *(interpolated(4 + slot, f"VAR{slot}") for slot in range(3)),
        *(use(f"%{4 + slot}") for slot in range(3)),
    )
    assert moved(producer, consumer, LinkOptions()) == 1
    assert stores(producer) == [(VAR0, 0), (VAR0 + 1, 0)]
    assert ops(consumer) == ["fadd"]


def test_two_values_are_sent_for_three_outputs_that_need_both() -> None:
    producer = vertex(
        *("32    %20 = fadd %10, %11", "32    %21 = fsub %10, %11", "32    %22 = fneg %20"),
        *(store(f"VAR{slot}", f"%{20 + slot}", extra="|") for slot in range(3)),
        store("VAR3", "%12", extra="|"),
    )
    consumer = fragment(
        *(interpolated(4 + slot, f"VAR{slot}") for slot in range(4)),
        *(use(f"%{4 + slot}") for slot in range(4)),
    )
    assert moved(producer, consumer, LinkOptions()) == 1
    assert ops(consumer) == ["fneg"]


def test_fewest_values_are_sent_although_a_nearer_one_is_common() -> None:
    """Pairs with a common value of their own would leave two; all four depend on one."""
    producer = vertex(
        *("32    %20 = fadd %10, %1 (1.000000)", "32    %21 = fneg %20", "32    %22 = fadd %10, %10"),
        *("32    %23 = fneg %22", "32    %24 = fadd %21, %20"),
        *(store(f"VAR{slot}", f"%{21 + slot}", extra="|") for slot in range(4)),
    )
    consumer = fragment(
        *(load(4 + slot, f"VAR{slot}") for slot in range(4)), *(use(f"%{4 + slot}") for slot in range(4))
    )
    assert moved(producer, consumer, LinkOptions()) == 3


def test_output_that_the_control_shader_reads_itself_is_computed_by_the_evaluation_shader() -> None:
    """Its store stays for the control shader, but is no varying any more."""
    producer = shader(
        "TESS_CTRL",
        ZERO,
        ONE,
        "32    %2 = @load_invocation_id",
        "32    %3 = u2f32 %2",
        "32    %4 = fadd %3, %1",
        *(
            store(f"VAR{slot}", value, name="store_per_vertex_output", extra="|").replace(
                ", %0 (0x0),", ", %2,", 1
            )
            for slot, value in enumerate(("%3", "%4"))
        ),
        "           @barrier (execution_scope=WORKGROUP, memory_scope=WORKGROUP, mem_semantics=ACQ|REL,"
        " mem_modes=shader_out)",
        load(5, "VAR1", name="load_per_vertex_output"),
        store("PATCH0", "%5", extra="|"),
        header=["tcs_vertices_out: 3"],
    )
    consumer = shader(
        "TESS_EVAL",
        ZERO,
        load(4, "VAR0", name="load_per_vertex_input"),
        load(5, "VAR1", name="load_per_vertex_input"),
        load(6, "PATCH0"),
        *(store(f"VAR{slot}", f"%{4 + slot}", extra="|") for slot in range(3)),
    )
    found = [finding.code for finding in OptVaryings().find([producer, consumer])]
    assert "derivable-output" in found
    assert moved(producer, consumer, LinkOptions()) == 0
    assert ops(consumer) == ["fadd"]
    kept = [
        instr.io_semantics.has("no_varying")
        for impl in producer.impls()
        for instr in impl.instrs()
        if isinstance(instr, IntrinsicInstr)
        and instr.name == "store_per_vertex_output"
        and instr.io_semantics
    ]
    assert kept == [False, True]


def test_uniforms_are_loaded_in_the_consumer_too() -> None:
    producer = sender("32    %22 = fmul %10, %9.x", second="%22")
    consumer = smooth_reader()
    assert moved(producer, consumer) == 1
    assert [variable.name for variable in consumer.variables] == ["u"]


def test_uniforms_beyond_the_limit_stay() -> None:
    producer = sender("32    %22 = fmul %10, %9.x", second="%22")
    options = LinkOptions(worth_sending_less=_always, max_uniform_components=3)
    assert moved(producer, smooth_reader(), options) == 0


def test_expressions_beyond_the_cost_limit_stay() -> None:
    assert moved(sender(), smooth_reader(), LinkOptions(worth_sending_less=_always, max_cost=0)) == 0


def test_default_leaves_what_would_slow_the_consumer_down() -> None:
    line = "32    %22 = fmul %10, %9.x"
    assert moved(sender(line, second="%22"), smooth_reader(), LinkOptions()) == 0


def test_callback_is_told_what_is_saved_and_spent() -> None:
    told: list[Exchange] = []

    def refuse(exchange: Exchange) -> bool:
        told.append(exchange)
        return False

    assert moved(sender(), smooth_reader(), LinkOptions(worth_sending_less=refuse)) == 0
    exchange = told[-1]
    assert (exchange.halves_saved, exchange.loads_saved, exchange.cost) == (2, 1, 2)
    assert exchange.interpolated


def test_as_many_outputs_as_it_pays_for() -> None:
    producer = vertex(
        *SHARED,
        "32    %22 = fexp2 %10",
        *(store(f"VAR{slot}", f"%{20 + slot}", extra="|") for slot in range(3)),
    )
    consumer = fragment(
        *(load(4 + slot, f"VAR{slot}") for slot in range(3)), *(use(f"%{4 + slot}") for slot in range(3))
    )
    assert moved(producer, consumer, LinkOptions()) == 1
    assert ops(producer) == ["fexp2"]


def test_captured_output_keeps_its_value_and_is_no_varying_any_more() -> None:
    captured = "|component=0 buffer=0 offset=0"
    producer = vertex(*SHARED, store("VAR0", "%20", extra=captured), store("VAR1", "%21", extra="|"))
    consumer = smooth_reader()
    moved(producer, consumer)
    assert accesses(consumer, "input") == [("load_interpolated_input", VAR0 + 1, 0)]
    assert stores(producer) == [(VAR0, 0), (VAR0 + 1, 0)]


def test_two_captured_outputs_stay_varyings() -> None:
    captured = "|component=0 buffer=0 offset={}"
    producer = vertex(
        *SHARED,
        store("VAR0", "%20", extra=captured.format(0)),
        store("VAR1", "%21", extra=captured.format(4)),
    )
    consumer = smooth_reader()
    assert moved(producer, consumer) == 0
    assert len(accesses(consumer, "input")) == 2


@pytest.mark.parametrize("slot", ["LAYER", "CLIP_DIST0", "COL0", "TEX0"])
def test_slots_that_fixed_hardware_reads_or_state_changes_stay(slot: str) -> None:
    producer = vertex(*SHARED, store("VAR0", "%20", extra="|"), store(slot, "%21", extra="|"))
    consumer = fragment(load(4, "VAR0"), load(5, slot), use("%4"), use("%5"))
    assert moved(producer, consumer) == 0


def test_outputs_of_two_blocks_stay() -> None:
    text = "\n".join(
        (
            *SHARED,
            store("VAR0", "%20", extra="|"),
            "1     %30 = flt! %0 (0x0), %11",
            "// succs: b1 b2",
            "if %30 {",
            "    block b1:  // preds: b0",
            f"    {store('VAR1', '%21', extra='|')}",
            "    // succs: b3",
            "} else {",
            "    block b2:  // preds: b0",
            "    // succs: b3",
            "}",
            "block b3:  // preds: b1 b2",
        )
    )
    assert moved(vertex(*text.split("\n")), smooth_reader()) == 0


def test_output_that_is_stored_twice_stays() -> None:
    producer = sender(store("VAR1", "%20", extra="|"))
    assert moved(producer, smooth_reader()) == 0


def test_indirectly_indexed_output_stays() -> None:
    indirect = store("VAR1", "%21", extra="|").replace(", %0 (0x0))", ", %31)").replace("slots=1", "slots=2")
    producer = vertex(*SHARED, "32    %31 = f2i32 %9.w", store("VAR0", "%20", extra="|"), indirect)
    assert moved(producer, smooth_reader()) == 0


@pytest.mark.parametrize("stage", ["GEOMETRY", "MESH"])
def test_stages_that_store_for_more_than_one_vertex_are_left_alone(stage: str) -> None:
    producer = vertex(*SHARED, store("VAR0", "%20", extra="|"), store("VAR1", "%21", extra="|"), stage=stage)
    interface = interface_of(producer, smooth_reader(), ALWAYS)
    assert derivations(interface) == []


def test_component_of_a_vector_is_sent() -> None:
    attribute = (
        "32x2  %30 = @load_input (%0 (0x0)) (base=0, range=1, component=0, dest_type=float32,"
        " io location=VERT_ATTRIB_GENERIC1 slots=1)"
    )
    producer = vertex(
        attribute,
        "32    %20 = fadd %30.y, %1 (1.000000)",
        "32    %21 = fadd %30.y, %30.y",
        store("VAR0", "%20", extra="|"),
        store("VAR1", "%21", extra="|"),
    )
    consumer = smooth_reader()
    assert moved(producer, consumer) == 1
    assert (ops(producer), ops(consumer)) == (["mov"], ["fadd", "fadd"])


def half(line: str) -> str:
    """A store or load as one of 16 bits."""
    return line.replace("float32", "float16").replace("32    %", "16    %")


def test_values_of_16_bits_are_sent_as_such() -> None:
    producer = vertex(
        "16    %20 = f2f16 %10",
        "16    %21 = fadd %20, %20",
        "16    %22 = fmul %20, %20",
        half(store("VAR0", "%21", extra="|")),
        half(store("VAR0", "%22", extra=" high_16bits|")),
    )
    consumer = fragment(
        half(load(4, "VAR0")),
        half(load(5, "VAR0", extra=" high_16bits")),
        "32    %6 = f2f32 %4",
        "32    %7 = f2f32 %5",
        use("%6"),
        use("%7"),
    )
    options = LinkOptions(worth_sending_less=_always, supports_16bit_io=False)
    assert derivations(interface_of(producer, consumer, options)) == []
    before = clone_shader(producer), clone_shader(consumer)
    interface = interface_of(producer, consumer, ALWAYS)
    move_forward(interface)
    assert isinstance(verify_shaders(before, (producer, consumer)), Equivalent)
    assert ops(consumer) == ["fadd", "fmul", "f2f32", "f2f32"]
    assert len(accesses(consumer, "input")) == 1


def test_half_of_a_varying_is_saved_too() -> None:
    producer = vertex(
        "16    %20 = f2f16 %10", store("VAR0", "%10", extra="|"), half(store("VAR1", "%20", extra="|"))
    )
    consumer = fragment(load(4, "VAR0"), half(load(5, "VAR1")), "32    %6 = f2f32 %5", use("%4"), use("%6"))
    assert moved(producer, consumer, LinkOptions()) == 1


def test_sending_more_bits_than_before_is_no_gain() -> None:
    producer = vertex(
        "16    %20 = f2f16 %10",
        "32    %23 = fneg %10",
        "16    %21 = f2f16 %23",
        half(store("VAR0", "%20", extra="|")),
        half(store("VAR0", "%21", extra=" high_16bits|")),
    )
    consumer = fragment(
        half(load(4, "VAR0")),
        half(load(5, "VAR0", extra=" high_16bits")),
        "32    %6 = f2f32 %4",
        "32    %7 = f2f32 %5",
        use("%6"),
        use("%7"),
    )
    assert moved(producer, consumer) == 0


def test_phi_is_sent() -> None:
    text = "\n".join(
        (
            "1     %30 = flt! %0 (0x0), %11",
            "// succs: b1 b2",
            "if %30 {",
            "    block b1:  // preds: b0",
            "    // succs: b3",
            "} else {",
            "    block b2:  // preds: b0",
            "    // succs: b3",
            "}",
            "block b3:  // preds: b1 b2",
            "32    %31 = phi b1: %10, b2: %12",
            "32    %20 = fadd %31, %1 (1.000000)",
            "32    %21 = fadd %31, %31",
            store("VAR0", "%20", extra="|"),
            store("VAR1", "%21", extra="|"),
        )
    )
    assert moved(vertex(*text.split("\n")), smooth_reader()) == 1


def test_each_vertex_is_computed_by_itself() -> None:
    consumer = shader(
        "GEOMETRY",
        "32    %0 = load_const (0x00000000 = 0.000000)",
        "32    %1 = load_const (0x00000001)",
        *(
            f"32    %{4 + 2 * vertex_index + slot} = @load_per_vertex_input (%{vertex_index}, %0 (0x0))"
            f" (base=0, range=1, component=0, dest_type=float32, io location=VARYING_SLOT_VAR{slot} slots=1)"
            for vertex_index in range(2)
            for slot in range(2)
        ),
        *(use(f"%{number}") for number in range(4, 8)),
    )
    producer = sender()
    assert moved(producer, consumer, LinkOptions()) == 1
    assert ops(consumer) == ["fadd"] * 4
    assert len(accesses(consumer, "input")) == 2


def branching_reader(before: list[str], inside: list[str], otherwise: list[str]) -> Shader:
    """A fragment shader with loads ahead of a branch and in both of its sides."""
    lines = (
        *before,
        "32    %29 = @load_sample_id",
        "1     %30 = ieq %29, %0 (0x0)",
        "// succs: b1 b2",
        "if %30 {",
        "    block b1:  // preds: b0",
        *inside,
        "    // succs: b3",
        "} else {",
        "    block b2:  // preds: b0",
        *otherwise,
        "    // succs: b3",
        "}",
        "block b3:  // preds: b1 b2",
    )
    return fragment(*lines)


def test_load_in_a_branch_is_served_by_one_above() -> None:
    consumer = branching_reader(
        [interpolated(4, "VAR0"), use("%4")], [interpolated(5, "VAR1"), use("%5")], []
    )
    assert moved(sender(), consumer, LinkOptions()) == 1
    assert len(accesses(consumer, "input")) == 1


def test_output_that_others_give_is_computed_in_the_branch() -> None:
    producer = vertex(
        *SHARED,
        store("VAR0", "%10", extra="|"),
        store("VAR1", "%20", extra="|"),
        store("VAR2", "%11", extra="|"),
    )
    consumer = branching_reader(
        [interpolated(4, "VAR0"), use("%4")],
        [interpolated(5, "VAR1"), use("%5")],
        [interpolated(6, "VAR1"), use("%6")],
    )
    link_pair(producer, consumer, LinkOptions())
    assert len(accesses(consumer, "input")) == 1
    assert ops(consumer) == ["ieq", "fadd", "fadd"]


def test_loads_in_both_sides_of_a_branch_save_nothing_for_each_other() -> None:
    def consumer() -> Shader:
        return branching_reader(
            [], [interpolated(4, "VAR0"), use("%4")], [interpolated(5, "VAR1"), use("%5")]
        )

    assert moved(sender(), consumer(), LinkOptions()) == 0
    reading = consumer()
    assert moved(sender(), reading) == 1
    assert len(accesses(reading, "input")) == 2


def test_convergent_outputs_need_a_convergent_value() -> None:
    def producer(value: str) -> Shader:
        return vertex(
            "32    %30 = @load_draw_id",
            "32    %31 = u2f32 %30",
            f"32    %20 = fadd {value}, %1 (1.000000)",
            f"32    %21 = fmax {value}, %1 (1.000000)",
            store("VAR0", "%20", extra="|"),
            store("VAR1", "%21", extra="|"),
        )

    for value, saved in (("%31", 1), ("%10", 0)):
        sending, reading = producer(value), smooth_reader()
        before = clone_shader(sending), clone_shader(reading)
        link_pair(sending, reading, LinkOptions(worth_sending_less=_always, move_code=False))
        assert 2 - len(stores(sending)) == saved
        assert isinstance(verify_shaders(before, (sending, reading)), Equivalent)


def test_values_that_a_broken_dump_lets_depend_on_themselves() -> None:
    circle = "32    %20 = fadd %21, %10", "32    %21 = fadd %20, %10"
    producer = vertex(*circle, store("VAR0", "%20", extra="|"), store("VAR1", "%21", extra="|"))
    link_pair(producer, smooth_reader(), ALWAYS)
    assert len(stores(producer)) == 2
    consumer = fragment(
        interpolated(4, "VAR0"), "32    %20 = fadd %21, %4", "32    %21 = fadd %20, %4", use("%21")
    )
    link_pair(vertex(store("VAR0", "%10", extra="|")), consumer, ALWAYS)
    assert ops(consumer) == ["fadd", "fadd"]


def test_step_can_be_switched_off() -> None:
    for on, count in ((True, 1), (False, 2)):
        producer, consumer = sender(), smooth_reader()
        progress = link_pair(producer, consumer, LinkOptions(move_forward=on))
        assert isinstance(progress, LinkProgress)
        assert (progress.producer, progress.consumer) == (on, on)
        assert len(stores(producer)) == count


def test_sum_that_backward_motion_takes_is_not_taken_apart() -> None:
    producer = sender()
    consumer = fragment(interpolated(4, "VAR0"), interpolated(5, "VAR1"), "32    %6 = fadd %4, %5", use("%6"))
    link_pair(producer, consumer, LinkOptions())
    assert ops(consumer) == []


def test_backward_motion_brings_nothing_back() -> None:
    settled = 0
    for number in range(24):
        without, shaders = sharing_pair(number), sharing_pair(number)
        OptVaryings.with_options({"move_forward": False}).run(without)
        OptVaryings().run(shaders)
        if not OptVaryings.with_options({"move_forward": False}).run(without):
            settled += 1
            assert OptVaryings().run(shaders) == [], number
    assert settled > 20


@pytest.mark.sweep
@pytest.mark.parametrize("options", [LinkOptions(), ALWAYS], ids=["clear wins", "always"])
def test_random_pairs_do_the_same_as_before(options: LinkOptions) -> None:
    verdicts: Counter[str] = Counter()
    saved = 0
    for number in range(60):
        before = sharing_pair(number)
        after = [clone_shader(item) for item in before]
        assert isinstance(link_pair(after[0], after[1], options), LinkProgress)
        verdict = verify_shaders(before, after, VerificationOptions(runs=2, most_runs=2))
        assert not isinstance(verdict, Different), (number, str(verdict))
        verdicts[type(verdict).__name__] += 1
        without = [clone_shader(item) for item in before]
        link_pair(without[0], without[1], LinkOptions(move_forward=False))
        saved += len(stores(without[0])) - len(stores(after[0]))
    assert verdicts["Equivalent"] > 50
    assert saved > 10, "the pairs must have something to find"
