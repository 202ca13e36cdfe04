"""Webs of vector operands: members, reasons for none, accesses of registers, and blocks that hold a web."""

from __future__ import annotations

import pytest

from nirls.ir.model.control_flow import Block, FunctionImpl
from nirls.ir.model.instructions import AluInstr, IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import AluSrc
from nirls.ir.tables.families import VECTORS
from nirls.ir.text.parse import parse_dump
from nirls.passes.registers.webs import (
    ALL_CHANNELS,
    Holding,
    Positions,
    Target,
    Web,
    is_store,
    mask_of,
    web_of,
)
from tests.passes.expectation import parse_body
from tests.passes.registers.test_lower_vec_and_coalesce import STORED, register_form

DECLARED = "32 %20 = @decl_reg () (num_components=2, bit_size=32, num_array_elems={}, divergent=1)"
LOADED = "32x2 %8 = @load_reg (%20) (base={}, legacy_fabs=0, legacy_fneg=0)"


def modern(*lines: str) -> Shader:
    """A shader that stores the vector %9 to a register."""
    return parse_body(STORED.replace("LINES", "\n".join(lines)))


def impl_of(shader: Shader) -> FunctionImpl:
    (impl,) = shader.impls()
    return impl


def last_vector(impl: FunctionImpl) -> AluInstr:
    return [one for one in impl.instrs() if isinstance(one, AluInstr) and one.op in VECTORS][-1]


def operand(src: AluSrc) -> Target:
    found = src.def_ or src.reg
    assert found is not None
    return found


def web_at(shader: Shader, channel: int) -> Web | str:
    """The web of an operand of the last vector."""
    vec = last_vector(impl_of(shader))
    return web_of(operand(vec.sources[channel]), vec, vec.reg_dest is None)


def names(web: Web | str) -> tuple[list[str], list[str], list[str]]:
    """The members, producers and copies of a web."""
    assert isinstance(web, Web)
    producers = [getattr(one, "op", None) or getattr(one, "name", "") for one in web.producers]
    copies = ["load_reg" if isinstance(one, IntrinsicInstr) else "phi" for one in web.copies]
    return sorted(str(one.index) for one in web.members), producers, copies


def test_web_of_one_value_is_its_instruction() -> None:
    web = web_at(modern("32 %6 = fadd %2.x, %2.y", "32x4 %9 = vec4 %6, %2.y, %2.z, %2.w"), 0)
    assert names(web) == (["6"], ["fadd"], [])


BRANCHES = ("if %5 {", "block b1:", "32 %6 = fneg %2.x", "} else {", "block b2:", "}", "block b3:")


def test_web_of_a_phi_has_its_sources_and_its_constants_with_their_blocks() -> None:
    web = web_at(
        modern(*BRANCHES, "32 %7 = phi b1: %6, b2: %4", "32x4 %9 = vec4 %7, %2.y, %2.z, %2.w"),
        0,
    )
    assert names(web) == (["6", "7"], ["fneg"], ["phi"])
    assert isinstance(web, Web)
    assert [(block.index, value.index) for block, value in web.constants] == [(2, 4)]
    assert len(list(web.instrs)) == 2


def test_web_of_a_load_has_the_stores_of_its_register() -> None:
    shader = modern(
        DECLARED.format(0),
        "32x2 %6 = fadd %2.xy, %2.zw",
        "@store_reg (%6, %20) (base=0, wrmask=xy, legacy_fsat=0)",
        LOADED.format(0),
        "32x4 %9 = vec4 %8.x, %8.y, %2.z, %2.w",
    )
    assert names(web_at(shader, 0)) == (["20", "8"], ["store_reg"], ["load_reg"])


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (("32 %6 = fneg %2.x", "32 %7 = fneg %6", "32x4 %9 = vec4 %6, %7, %2.z, %2.w"), "it has other uses"),
        (("32x4 %9 = vec4 %3, %2.y, %2.z, %2.w",), "it is not computed by an instruction"),
    ],
)
def test_operand_without_a_web(lines: tuple[str, ...], reason: str) -> None:
    assert web_at(modern(*lines), 0) == reason


LOADED_BEFORE = (
    DECLARED.format(0),
    "32x2 %6 = fadd %2.xy, %2.zw",
    "@store_reg (%6, %20) (base=0, wrmask=xy, legacy_fsat=0)",
    LOADED.format(0),
)


def test_load_with_a_modifier_is_no_copy() -> None:
    negated = LOADED.format(0).replace("fneg=0", "fneg=1")
    vector = "32x4 %9 = vec4 %8.x, %8.y, %2.z, %2.w"
    assert names(web_at(modern(*LOADED_BEFORE[:-1], negated, vector), 0)) == (["8"], ["load_reg"], [])
    both = modern(*LOADED_BEFORE, negated.replace("%8", "%7"), vector.replace("%8.y", "%7.y"))
    assert web_at(both, 0) == "it has other uses"


def test_loads_of_one_register_are_in_one_web() -> None:
    lines = (*LOADED_BEFORE, LOADED.format(0).replace("%8", "%7"), "32x4 %9 = vec4 %8.x, %7.y, %2.z, %2.w")
    for channel in (0, 1):
        members, producers, copies = names(web_at(modern(*lines), channel))
        assert (members, producers, len(copies)) == (["20", "7", "8"], ["store_reg"], 2)


@pytest.mark.parametrize(("phis", "is_web"), [(63, True), (64, False)])
def test_web_has_at_most_64_members(phis: int, is_web: bool) -> None:
    chain = [f"32 %{number} = phi b0: %{number - 1}" for number in range(101, 101 + phis)]
    lines = ("32 %100 = fneg %2.x", *chain, f"32x4 %9 = vec4 %{100 + phis}, %2.y, %2.z, %2.w")
    web = web_at(parse_body(STORED.replace("LINES", "\n".join(lines)), valid=False), 0)
    assert isinstance(web, Web) if is_web else web == "it has too many sources"


OLD_PHI = (
    "vec1 1 ssa_4 = flt ssa_1.x, ssa_1.y",
    "if ssa_4 {",
    "\tblock block_2:",
    "\tvec1 32 ssa_5 = fneg ssa_1.x",
    "} else {",
    "\tblock block_3:",
    "}",
    "block block_4:",
)


@pytest.mark.parametrize(
    ("source", "reason"), [("ssa_0", "a phi has a constant"), ("r1", "a phi reads a register")]
)
def test_phi_of_an_old_dump_without_a_web(source: str, reason: str) -> None:
    phi = f"vec1 32 ssa_6 = phi block_2: ssa_5, block_3: {source}"
    shader = register_form(*OLD_PHI, phi, "r0 = vec4 ssa_6, ssa_1.x, ssa_1.y, ssa_3.x")
    assert web_at(shader, 0) == reason


def touches(shader: Shader, number: int) -> list[tuple[int, bool, int]] | None:
    """Position, kind and channels of each access of a register of an old dump."""
    impl = impl_of(shader)
    reg = next(one for one in impl.registers if one.index == number)
    found = Positions(impl).touches(reg)
    if found is None:
        return None
    return [(event.position, event.is_change, mask) for events in found.values() for event, mask in events]


def test_accesses_of_a_register_are_in_order_with_their_channels() -> None:
    shader = register_form("r1.xz = fadd ssa_1.xy, ssa_3.zw", "r2.y = fmul r1.z, r1.z", "r1.y = mov r1.x")
    assert touches(shader, 1) == [
        (5, True, 0b101),
        (6, False, 0b100),
        (6, False, 0b100),
        (7, False, 0b001),
        (7, True, 0b010),
    ]


def test_accesses_of_an_array_are_unknown() -> None:
    shader = register_form("r1[1].x = mov ssa_1.x")
    arrayed = shader.source.replace(b"decl_reg vec4 32 r1", b"decl_reg vec4 32 r1[4]")
    assert touches(parse_dump(arrayed), 1) is None


@pytest.mark.parametrize(("elements", "base", "is_known"), [(0, 0, True), (4, 0, False), (0, 1, False)])
def test_accesses_of_a_declared_register(elements: int, base: int, is_known: bool) -> None:
    shader = modern(
        DECLARED.format(elements),
        "32x2 %6 = fadd %2.xy, %2.zw",
        "@store_reg (%6, %20) (base=0, wrmask=xy, legacy_fsat=0)",
        LOADED.format(base),
        "32x4 %9 = vec4 %8.y, %2.y, %2.z, %2.w",
    )
    impl = impl_of(shader)
    handle = next(one for one in impl.defs() if one.index == 20)
    found = Positions(impl).touches(handle)
    assert (found is not None) is is_known
    if found is not None:
        ((store, stored), (load, loaded)) = next(iter(found.values()))
        assert (store.is_change, stored, load.is_change, loaded) == (True, 0b11, False, 0b10)


def test_a_load_for_more_than_operations_reads_all_channels() -> None:
    store = "@store_ssbo (%8, %0, %0) (wrmask=xy, access=none, align_mul=4, align_offset=0)"
    impl = impl_of(modern(*LOADED_BEFORE, store, "32x4 %9 = vec4 %8.y, %2.y, %2.z, %2.w"))
    found = Positions(impl).touches(next(one for one in impl.defs() if one.index == 20))
    assert found is not None
    ((_, (_, mask)),) = found.values()
    assert mask == ALL_CHANNELS


def held(shader: Shader, channel: int) -> list[int] | None:
    """The blocks in which the channel of the target holds the operand; None if it cannot."""
    impl = impl_of(shader)
    vec = last_vector(impl)
    src, web = vec.sources[channel], web_at(shader, channel)
    assert isinstance(web, Web)
    if vec.reg_dest is not None:
        target: Target = vec.reg_dest.reg
        copy: AluInstr | IntrinsicInstr = vec
    else:
        copy = next(one for one in impl.instrs() if isinstance(one, IntrinsicInstr) and is_store(one))
        target = copy.sources[1].ssa
    region = Holding(Positions(impl), target, channel, web, src, copy).region()
    return None if region is None else sorted(block.index for block in region)


VECTOR = "r0 = vec4 ssa_4, ssa_1.x, ssa_1.y, ssa_3.x"
PRODUCER = "vec1 32 ssa_4 = fneg ssa_1.x"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((PRODUCER, VECTOR), [0]),
        # Reads and writes of the channel.
        ((PRODUCER, "r2.x = mov r0.x", VECTOR), None),
        ((PRODUCER, "r0.x = mov ssa_1.w", VECTOR), None),
        (("r2.x = mov r0.x", PRODUCER, VECTOR), [0]),
        # Other channels.
        ((PRODUCER, "r2.x = mov r0.y", "r0.y = mov ssa_1.w", VECTOR), [0]),
    ],
)
def test_channel_holds_a_value_if_nothing_else_needs_it(
    lines: tuple[str, ...], expected: list[int] | None
) -> None:
    assert held(register_form(*lines), 0) == expected


IN_BRANCHES = (
    "vec1 1 ssa_4 = flt ssa_1.x, ssa_1.y",
    "r1.x = fneg ssa_1.x",
    "if ssa_4 {",
    "\tblock block_2:",
    "\tTHEN",
    "} else {",
    "\tblock block_3:",
    "\tELSE",
    "}",
    "block block_4:",
)


@pytest.mark.parametrize(
    ("then", "otherwise", "below", "expected"),
    [
        ("r2.x = mov ssa_1.x", "r2.x = mov ssa_1.y", "r0 = vec4 r1.x, r0.y, r0.z, ssa_3.x", [0, 2, 3, 4]),
        ("r2.x = mov r0.x", "r2.x = mov ssa_1.y", "r0 = vec4 r1.x, r0.y, r0.z, ssa_3.x", None),
        # The vector is in a branch: the other one still reads the channel, or nothing does.
        ("r0 = vec4 r1.x, r0.y, r0.z, ssa_3.x", "r2.x = mov r0.x", "r2.x = mov ssa_1.x", None),
        # A branch overwrites the web.
        ("r1.x = mov ssa_1.y", "r2.x = mov ssa_1.y", "r0 = vec4 r1.x, r0.y, r0.z, ssa_3.x", [0, 2, 3, 4]),
    ],
)
def test_channel_holds_a_register_across_blocks(
    then: str, otherwise: str, below: str, expected: list[int] | None
) -> None:
    lines = [line.replace("THEN", then).replace("ELSE", otherwise) for line in IN_BRANCHES]
    assert held(register_form(*lines, below), 0) == expected


def test_channel_cannot_hold_a_register_that_may_be_read_undefined() -> None:
    lines = (*OLD_PHI[:3], "\tr1.x = fneg ssa_1.x", *OLD_PHI[4:])
    assert held(register_form(*lines, "r0 = vec4 r1.x, ssa_1.x, ssa_1.y, ssa_3.x"), 0) is None


def test_channel_cannot_hold_what_the_next_iteration_reads_if_it_is_written_in_between() -> None:
    lines = [line.replace("THEN", "break").replace("ELSE", "r2.x = mov ssa_1.y") for line in IN_BRANCHES[2:]]
    loop = (
        *IN_BRANCHES[:2],
        "loop {",
        "block block_1:",
        VECTOR.replace("ssa_4", "r1.x"),
        "r0.x = mov ssa_1.w",
        *lines,
    )
    assert held(register_form(*loop, "}", "block block_5:"), 0) is None
    assert held(
        register_form(*(line for line in loop if "r0.x =" not in line), "}", "block block_5:"), 0
    ) == [0, 1, 3, 4]


def test_channel_holds_a_phi_from_its_sources_on() -> None:
    shader = modern(*BRANCHES, "32 %7 = phi b1: %6, b2: %4", "32x4 %9 = vec4 %7, %2.y, %2.z, %2.w")
    assert held(shader, 0) == [1, 2, 3]


def test_channel_cannot_hold_two_phis_of_different_values() -> None:
    swap = (
        "loop {",
        "block b1:",
        "32 %12 = phi b0: %3, b4: %13",
        "32 %13 = phi b0: %4, b4: %12",
        "if %5 {",
        "block b2:",
        "break",
        "} else {",
        "block b3:",
        "}",
        "block b4:",
        "}",
        "block b5:",
        "32x4 %9 = vec4 %12, %2.y, %2.z, %2.w",
    )
    assert held(modern(*swap), 0) is None


def test_mask_of_channels() -> None:
    assert mask_of([0, 2, 2]) == 0b101
    assert mask_of([]) == 0


def test_positions_count_in_each_block() -> None:
    impl = impl_of(modern(*BRANCHES, "32x4 %9 = vec4 %2.x, %2.y, %2.z, %2.w"))
    positions = Positions(impl)
    for block in impl.blocks():
        assert isinstance(block, Block)
        assert [positions.of(instr) for instr in block] == list(range(len(list(block))))
    assert object() not in positions
