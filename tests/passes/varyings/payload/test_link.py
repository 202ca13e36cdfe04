"""The payload between task and mesh shaders: hand-written pairs before and after, which are run."""

from __future__ import annotations

import pytest

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.text.edits import apply_edits, text_edits
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing.convert import convert
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.passes.varyings.packings import packings
from nirls.verification.verdict import Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.varyings.payload_pairs import (
    BARRIER,
    BOTH,
    GUARD,
    LAUNCH,
    READ,
    UNIFORM,
    get,
    pair,
    put,
    summary,
    text_of,
    under,
    use,
)

KEEP_OF_EACH = (
    "32 %22 = ishl %1, %2 (0x4)",
    "@store_ssbo (%21, %2, %22) (wrmask=x, access=none, align_mul=4, align_offset=0)",
)
"""Keep `%21` in memory in a place of each invocation."""


def check(before: list[Shader], after: str, why: str = "", **options: bool | int) -> None:
    """Compare what is left in both stages after the pass, verify it, and find a reason in the ledger."""
    given = OptVaryings.with_options(options)
    copies = [clone_shader(one) for one in before]
    given.run(copies)
    result = [
        parse_dump(apply_edits(old.source, text_edits(old, new)))
        for old, new in zip(before, copies, strict=True)
    ]
    assert " | ".join(map(summary, result)) == after
    assert isinstance(verify_shaders(before, result), Equivalent)
    (packed,) = packings(before, given)
    assert why in "\n".join(line.text for line in packed.ledger.lines)


@pytest.mark.parametrize(
    ("task", "mesh", "after", "why"),
    [
        ((put("%1"),), READ, " | 1", "payload[0..3] propagated: the constant 1 is used in the MS"),
        ((put("%6"),), READ, " | push[0]", "payload[0..3] propagated: the MS computes"),
        ((put("%1"), put("%1")), READ, " | 1", "propagated"),
        (
            (put("%1"), put("%2")),
            READ,
            "store 0+4, store 0+4 | load 0+4, %20",
            "its 2 stores write different values",
        ),
        (under(GUARD, put("%7")), READ, "store 0+4 | load 0+4, %20", "belongs to one stage"),
        (under(GUARD, put("%1")), READ, " | 1", "propagated"),
        (under(UNIFORM, put("%1")), READ, "store 0+4 | load 0+4, %20", "not stored on every path"),
        ((*under(UNIFORM, put("%1")), put("%1")), READ, " | 1", "propagated"),
    ],
)
def test_constants_and_uniform_expressions_propagate(
    task: tuple[str, ...], mesh: tuple[str, ...], after: str, why: str
) -> None:
    check(pair(task, mesh), after, why)


def test_constant_in_another_size() -> None:
    vector = "32x2 %20 = vec2 %1, %2"
    wide = get(20, size="64"), "32 %21 = unpack_64_2x32_split_y %20", use("%21")
    check(pair((vector, put("%20", mask="xy")), wide), " | 2", "propagated")


def test_cost_limit() -> None:
    task = ("32 %20 = fsin %6", put("%20"))
    check(pair(task, READ), "store 0+4 | load 0+4, %20", "over the limit 1", max_cost=1)


@pytest.mark.parametrize(
    ("task", "mesh", "after", "why"),
    [
        (under(GUARD, put("%7"), put("%7", 4)), READ, "store 0+4 | load 0+4, %20", "never read by the MS"),
        (
            under(GUARD, "32x4 %20 = vec4 %7, %1, %7, %3", put("%20", mask="xyzw")),
            (get(20, 4, size="32x3"), "32 %21 = mov %20.z", use("%21")),
            "store 12+4 | load 12+4, %22",
            "payload[0..3] removed: never read by the MS",
        ),
        (
            (put("%7", 16, offset="%8"), *under(GUARD, put("%7", 0))),
            READ,
            "store 0+4 | load 0+4, %20",
            "payload[16..31] removed",
        ),
        (
            under(GUARD, put("%7", 4)),
            BOTH,
            "store 4+4 | undefined, load 4+4, %21",
            "payload[0..3] unwritten",
        ),
        (
            (put("%7", 16, offset="%8"),),
            (get(20, 12), use("%20"), get(21, 16, offset="%4"), *KEEP_OF_EACH),
            "store ? | undefined, load ?, %21",
            "payload[12..15] unwritten",
        ),
    ],
)
def test_dead_parts(task: tuple[str, ...], mesh: tuple[str, ...], after: str, why: str) -> None:
    check(pair(task, mesh), after, why)


@pytest.mark.parametrize(
    ("task", "after", "why"),
    [
        (
            under(GUARD, put("%7"), put("%7", 4)),
            "store 0+4 | load 0+4, %20, load 0+4, %21",
            "payload[4..7] deduplicated: payload[0..3] has the same value",
        ),
        (
            (*under(GUARD, put("%7")), put("%1", 4)),
            "store 0+4 | load 0+4, %20, 1",
            "payload[4..7] propagated",
        ),
        (
            under(GUARD, put("%7"), put("%3", 4)),
            "store 0+4, store 4+4 | load 0+4, %20, load 4+4, %21",
            "payload[4..7] kept",
        ),
    ],
)
def test_equal_values_are_stored_once(task: tuple[str, ...], after: str, why: str) -> None:
    check(pair(task, BOTH), after, why)


def test_equal_values_ahead_of_the_base() -> None:
    """A base is not negative: the offset is another constant."""
    mesh = (*READ, get(21, offset="%2"), use("%21"))
    task = under(GUARD, put("%7"), put("%7", 4))
    check(pair(task, mesh), "store 0+4 | load 0+4, %20, load 0+4, %21", "deduplicated")


def test_what_is_left_of_a_vector_is_accessed_in_runs() -> None:
    vector = "32x4 %20 = vec4 %7, %3, %7, %8"
    lanes = [f"32 %2{number} = mov %20.{lane}" for number, lane in enumerate("xyw", 1)]
    mesh = (get(20, size="32x4"), *lanes, *(use(f"%2{number}") for number in (1, 2, 3)))
    after = "store 0+8, store 12+4 | load 0+8, load 12+4, %24.x, %24.y, %25"
    check(pair(under(GUARD, vector, put("%20", mask="xyzw")), mesh), after, "payload[8..11] removed")


def test_alignment_is_that_of_what_is_left() -> None:
    load = get(20, 4, size="32x3")[:-1] + ", align_mul=16, align_offset=4)"
    before = pair(under(GUARD, put("%7", 8)), (load, "32 %21 = mov %20.y", use("%21")))
    check(before, "store 8+4 | load 8+4, %22")
    OptVaryings().run(before)
    loads = (instr for instr in before[1].instrs() if isinstance(instr, IntrinsicInstr))
    (left,) = (instr for instr in loads if instr.name == "load_task_payload")
    assert [left.int_index(word) for word in ("base", "align_mul", "align_offset")] == [8, 16, 8]


@pytest.mark.parametrize(
    ("task", "mesh", "why"),
    [
        ((put("%1"), put("%2", offset="%3")), READ, "an offset that is not constant"),
        (
            (
                *under(GUARD, put("%1")),
                BARRIER,
                "32 %20 = @task_payload_atomic (%0, %4) (base=0, atomic_op=iadd)",
            ),
            READ,
            "@task_payload_atomic accesses it",
        ),
        ((*under(GUARD, put("%1", extra=", access=volatile")),), READ, "an access of it is volatile"),
        (
            under(GUARD, put("%7", 60)),
            ("32 %19 = mov %5.y", get(20, offset="%19"), use("%20")),
            "payload[60..63] kept: it may be read at an offset that is not constant",
        ),
    ],
)
def test_what_is_unknown_stays(task: tuple[str, ...], mesh: tuple[str, ...], why: str) -> None:
    before = pair(task, mesh)
    kept = [sum(summary(one).count(word) for word in ("store", "load")) for one in before]
    copies = [clone_shader(one) for one in before]
    OptVaryings().run(copies)
    assert [sum(summary(one).count(word) for word in ("store", "load")) for one in copies] == kept
    (packed,) = packings(before, OptVaryings())
    assert why in "\n".join(line.text for line in packed.ledger.lines)


def test_launch_ahead_of_a_store() -> None:
    early = (*under(UNIFORM, *LAUNCH), put("%1"))
    again = ("32x3 %91 = vec3 %4, %4, %4", "@launch_mesh_workgroups (%91) (base=0, range=64)")
    check(pair(early, READ, again), "store 0+4 | load 0+4, %20", "not stored on every path")


def test_task_shader_reads_its_own_payload() -> None:
    task = (*under(GUARD, put("%7")), BARRIER, get(20), use("%20"), put("%1", 4), get(21, 4), use("%21"))
    check(pair(task, ()), "store 0+4, load 0+4, %20, 1 | ")


def test_older_dialect() -> None:
    task = under(GUARD, "32x2 %20 = vec2 %7, %1", put("%20", mask="xy"), put("%6", 8))
    lanes = [(f"32 %2{number} = mov %20.{lane}", use(f"%2{number}")) for number, lane in enumerate("xyz", 1)]
    before = pair(task, (get(20, size="32x3"), *(line for lines in lanes for line in lines)))
    classic = [parse_dump(convert(one, Dialect.CLASSIC)) for one in before]
    check(classic, "store 0+4 | load 0+4, %24, 1, push[0]")


def test_payload_in_variables_and_separate_shaders_are_not_linked() -> None:
    variable = text_of("TASK", 4, "32 %0 = deref_var &pl (task_payload float)").replace(
        b"decl_function", b"decl_var task_payload INTERP_MODE_NONE none float pl\ndecl_function"
    )
    mesh = pair((), READ)[1]
    (packed,) = packings([parse_dump(variable), mesh], OptVaryings())
    assert packed.obstacle == "the payload of the TS is still a variable"
    separate = parse_dump(mesh.source.replace(b"workgroup_size", b"separate_shader: true\nworkgroup_size"))
    before = [pair((put("%1"),), READ)[0], separate]
    assert "separate shader" in packings(before, OptVaryings())[0].obstacle
    assert OptVaryings().run(before) == []


def test_sizes() -> None:
    (packed,) = packings(pair((*under(GUARD, put("%7")), put("%1", 4)), BOTH), OptVaryings())
    assert packed.summary == "TS to MS: 8 payload bytes, 4 after opt_varyings"
    assert packed.saved_bytes == 4
    for where, numbers in ((range(4), [0]), (range(3, 5), [0, 4]), (range(4, 8), [4]), (range(8, 12), [])):
        assert [line.number for line in packed.ledger.lines_of_bytes(where)] == numbers
