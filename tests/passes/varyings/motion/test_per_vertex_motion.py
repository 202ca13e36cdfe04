"""Expressions of per-vertex inputs: what moves into the producer, and what must stay."""

from __future__ import annotations

import pytest

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.shader import Shader
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.scalar_slots import LinkProgress
from nirls.passes.varyings.link_pair import link_pair
from nirls.passes.varyings.motion.per_vertex_motion import VertexMove, find_vertex_moves
from nirls.verification.verdict import Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import store, use
from tests.passes.varyings.pairs import OPTIONS, fragment, interface_of, interpolated, stores, vertex
from tests.passes.varyings.vertex_pairs import FIRST, SECOND, at_vertex, for_each_vertex, reader

LOAD_A = (
    "32    %{n} = @load_per_vertex_input (%{v}, %0 (0x0)) (base=0, range=1, component=0, dest_type=float32,"
    " io location=VARYING_SLOT_VAR0 slots=1)"
)
LOAD_B = LOAD_A.replace("%{n} =", "%{n+1} =").replace("VAR0", "VAR1")
SUM = "32    %{n+2} = ffma %{n}, %9.x, %{n+1}"
STAYS = "32    %{n+3} = fsin %{n+2}"
EACH = (LOAD_A, LOAD_B, SUM, use("%{n+2}"))
TWO_OUTPUTS = (store("VAR0", "%10"), store("VAR1", "%11"))


def moves(producer: Shader, consumer: Shader, options: LinkOptions = OPTIONS) -> list[VertexMove]:
    interface = interface_of(producer, consumer, options)
    return list(find_vertex_moves(interface))


def linked(producer: Shader, consumer: Shader, options: LinkOptions = OPTIONS) -> None:
    before = clone_shader(producer), clone_shader(consumer)
    assert isinstance(link_pair(producer, consumer, options), LinkProgress)
    assert isinstance(verify_shaders(before, (producer, consumer)), Equivalent)


def ops(parsed: Shader) -> list[str]:
    return [instr.op for impl in parsed.impls() for instr in impl.instrs() if isinstance(instr, AluInstr)]


@pytest.mark.parametrize(
    "stages", [("VERTEX", "GEOMETRY"), ("VERTEX", "TESS_CTRL"), ("TESS_EVAL", "GEOMETRY")]
)
def test_same_expression_at_every_vertex_is_sent_once(stages: tuple[str, str]) -> None:
    producer = vertex(*TWO_OUTPUTS, stage=stages[0])
    consumer = reader(*for_each_vertex(EACH), stage=stages[1])
    assert len(moves(producer, consumer)[0].sites) == 3
    if stages[0] == "VERTEX":
        # An evaluation shader has no attributes to run this with.
        linked(producer, consumer)
        assert ops(producer) == ["ffma"]
        assert ops(consumer) == []
        assert len(stores(producer)) == 1


def test_largest_common_expression_moves() -> None:
    producer = vertex(*TWO_OUTPUTS)
    consumer = reader(*for_each_vertex((*EACH[:3], STAYS, use("%{n+3}"))))
    linked(producer, consumer)
    assert ops(producer) == ["ffma", "fsin"]


def test_part_that_is_the_same_moves_if_the_rest_differs() -> None:
    producer = vertex(*TWO_OUTPUTS)
    lines = for_each_vertex(EACH[:3], (FIRST, SECOND))
    lines += ["32    %50 = fsin %22", "32    %51 = fcos %32", use("%50"), use("%51")]
    consumer = reader(*lines)
    linked(producer, consumer)
    assert ops(producer) == ["ffma"]
    assert ops(consumer) == ["fsin", "fcos"]


def test_exact_operations_move_too_as_nothing_is_interpolated() -> None:
    producer = vertex(*TWO_OUTPUTS)
    linked(
        producer,
        consumer := reader(*for_each_vertex((LOAD_A, LOAD_B, SUM.replace("ffma", "ffma!"), EACH[3]))),
    )
    assert ops(consumer) == []


def test_infinities_do_not_matter_without_interpolation() -> None:
    options = LinkOptions(preserve_infs=True, preserve_nans=True)
    producer, consumer = vertex(*TWO_OUTPUTS), reader(*for_each_vertex(EACH))
    linked(producer, consumer, options)
    assert ops(consumer) == []


STAYING = {
    "vertices mixed": [
        at_vertex(20, "VAR0"),
        at_vertex(21, "VAR1", SECOND),
        "32    %22 = fadd %20, %21",
        use("%22"),
    ],
    "another expression at another vertex": [
        *for_each_vertex(EACH, (FIRST,)),
        *for_each_vertex((LOAD_A, LOAD_B, SUM.replace("%9.x", "%9.y"), EACH[3]), (SECOND,), 30),
    ],
    "another use of both": [*for_each_vertex(EACH), use("%20"), use("%31")],
    "at one vertex only read as it is": [
        *for_each_vertex(EACH, (FIRST,)),
        at_vertex(30, "VAR0", SECOND),
        use("%30"),
        at_vertex(31, "VAR1", SECOND),
        use("%31"),
    ],
    "number of the vertex": [
        at_vertex(20, "VAR0"),
        "32    %21 = @load_primitive_id",
        "32    %22 = u2f32 %21",
        "32    %23 = fadd %20, %22",
        use("%23"),
        at_vertex(24, "VAR1"),
        use("%24"),
    ],
}


@pytest.mark.parametrize("name", STAYING)
def test_what_stays(name: str) -> None:
    assert moves(vertex(*TWO_OUTPUTS), reader(*STAYING[name])) == []


def test_other_use_of_one_input_keeps_that_one() -> None:
    producer = vertex(*TWO_OUTPUTS)
    consumer = reader(*for_each_vertex(EACH), use("%21"))
    linked(producer, consumer)
    assert ops(consumer) == []
    assert len(stores(producer)) == 2


def test_indirect_vertex_index() -> None:
    producer = vertex(*TWO_OUTPUTS)
    index = ("32    %14 = @load_primitive_id", "32    %15 = iand %14, %2")
    consumer = reader(*index, *for_each_vertex(EACH, (15, FIRST)))
    found = moves(producer, consumer)
    assert [len(move.sites) for move in found] == [2]
    linked(producer, consumer)
    assert ops(consumer) == ["iand"]


def test_input_that_says_which_vertex() -> None:
    producer = vertex(*TWO_OUTPUTS)
    lines = (
        at_vertex(20, "VAR0"),
        "32    %21 = f2i32 %20",
        "32    %22 = iand %21, %2",
        at_vertex(23, "VAR1", 22),
        "32    %24 = fsin %23",
        use("%24"),
    )
    consumer = reader(*lines)
    linked(producer, consumer)
    assert ops(producer) == ["f2i32", "iand", "fsin"]
    assert ops(consumer) == []


def test_own_and_other_vertices_of_a_control_shader() -> None:
    producer = vertex(*TWO_OUTPUTS)
    consumer = reader(
        "32    %14 = @load_invocation_id", *for_each_vertex(EACH, (14, FIRST)), stage="TESS_CTRL"
    )
    linked(producer, consumer)
    assert ops(consumer) == []


def test_captured_output_keeps_its_value_and_the_other_takes_the_result() -> None:
    producer = vertex(store("VAR0", "%10", extra="|component=0 buffer=0 offset=0"), store("VAR1", "%11"))
    move = moves(producer, reader(*for_each_vertex(EACH)))[0]
    assert move.target.location == 33
    assert len(move.slots) == 2


def test_two_stores_or_stores_in_different_blocks_stay() -> None:
    assert (
        moves(
            vertex(*TWO_OUTPUTS, store("VAR0", "%12"), store("VAR1", "%12")), reader(*for_each_vertex(EACH))
        )
        == []
    )


def test_indexed_slots_stay() -> None:
    indexed = LOAD_A.replace(", %0 (0x0))", ", %15)").replace("slots=1", "slots=2")
    lines = (
        "32    %14 = @load_primitive_id",
        "32    %15 = iand %14, %2",
        *for_each_vertex((indexed, "32    %{n+2} = fsin %{n}", use("%{n+2}"))),
    )
    assert moves(vertex(*TWO_OUTPUTS), reader(*lines)) == []


def test_boolean_is_sent_as_a_number() -> None:
    producer = vertex(*TWO_OUTPUTS)
    parts = (
        LOAD_A,
        LOAD_B,
        "1     %{n+2} = flt %{n}, %{n+1}",
        "32    %{n+3} = b2f32 %{n+2}",
        use("%{n+3}"),
        "32    %{n+4} = b2i32 %{n+2}",
        use("%{n+4}"),
    )
    linked(producer, consumer := reader(*for_each_vertex(parts)))
    assert "flt" in ops(producer)
    assert "flt" not in ops(consumer)


def test_comparison_with_a_constant_is_not_worth_it() -> None:
    parts = (
        LOAD_A,
        "1     %{n+2} = flt %{n}, %1",
        "32    %{n+3} = b2f32 %{n+2}",
        use("%{n+3}"),
        "32    %{n+4} = b2i32 %{n+2}",
        use("%{n+4}"),
    )
    assert moves(vertex(*TWO_OUTPUTS), reader(*for_each_vertex(parts))) == []


def test_fragment_shaders_are_of_no_concern() -> None:
    consumer = fragment(interpolated(4, "VAR0"), "32    %5 = fadd %4, %1", use("%5"))
    assert moves(vertex(*TWO_OUTPUTS), consumer) == []
