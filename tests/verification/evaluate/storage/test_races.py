"""Races: what needs a barrier is undefined without it, and nothing else is."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from nirls.ir.model.stage import Stage
from nirls.ir.text.parse import parse_dump
from nirls.verification.compare.results import compare_results
from nirls.verification.evaluate.machine import run_shader
from nirls.verification.evaluate.storage.lane_accesses import LaneAccesses
from nirls.verification.evaluate.storage.races import Fence, RaceWatch
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.launch import Launch
from nirls.verification.evaluate.surroundings.result import OutputKey
from nirls.verification.evaluate.values.value import LEAST_ERROR, Value
from tests.verification.evaluate.shader_text import VAR0, shader_of
from tests.verification.evaluate.storage.race_model import RaceModel

WITHOUT_ERROR = Value(np.zeros((1, 1), np.uint32), 32)

RUNS = (
    Launch(Stage.COMPUTE, 12, np.arange(12) // 6, np.arange(12) % 6, np.arange(12) // 6),
    Launch(Stage.TESS_CTRL, 9, np.arange(9) // 3, np.arange(9) % 3, np.arange(9) // 3),
)
PLACES = 5


@pytest.mark.parametrize("launch", RUNS, ids=lambda launch: launch.stage.name)
@pytest.mark.parametrize("seed", range(60))
def test_accesses_of_many_lanes_are_those_of_one_after_another(
    launch: Launch, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Random accesses, of which several lanes may touch the same place, and barriers of some lanes."""
    monkeypatch.setattr("nirls.verification.evaluate.storage.access_log._FEW", 20 if seed % 2 else 1 << 20)
    choose = random.Random(seed)
    size = choose.choice((2, 4))
    races, model = RaceWatch(launch, size), RaceModel(launch, size, "shared")
    last = races.last_accesses("one", "shared", PLACES)
    seen = Counter[str]()
    for _ in range(60):
        all_lanes = choose.random() < 0.5
        lanes = np.array([lane for lane in range(launch.lanes) if all_lanes or choose.random() < 0.5], int)
        places = np.array([choose.choice((0, lane % PLACES, lane // 3)) for lane in lanes.tolist()], int)
        pairs = list(zip(places.tolist(), lanes.tolist(), strict=True))
        match choose.choice(("load", "load", "store", "store", "atomic", "barrier")):
            case "load":
                found = races.load(last, places, lanes).tolist()
                assert found == [model.load(place, lane) for place, lane in pairs]
                seen["undefined"] += sum(found)
            case "barrier":
                modes = choose.choice((frozenset(("shared",)), frozenset(("buffer",))))
                flags = [choose.random() < 0.7 for _ in range(5)]
                fence = choose.choice((None, Fence(modes, *flags[:3])))
                active = np.isin(np.arange(launch.lanes), lanes)
                races.barrier(active, waits=flags[3], whole_group=flags[4], fence=fence)
                model.barrier(lanes.tolist(), flags[3], flags[4], fence)
            case kind:
                stores = LaneAccesses(places, lanes)
                always = np.ones(len(lanes), bool)
                repeats = stores.unsorted(races.doubtful(last, stores, WITHOUT_ERROR, always, always))
                assert repeats.tolist() == [
                    place not in places[:at] and not model.follows_last_store(place, lane)
                    for at, (place, lane) in enumerate(pairs)
                ]
                changes = np.array([choose.random() < 0.4 for _ in pairs], bool)
                with races.atomically() if kind == "atomic" else nullcontext():
                    found = stores.unsorted(races.store(last, stores, changes[stores.order])).tolist()
                assert found == [
                    model.store(place, lane, change, kind == "atomic")
                    for (place, lane), change in zip(pairs, changes.tolist(), strict=True)
                ]
                seen["races"] += sum(found)
        assert np.nonzero(races.overtaken)[0].tolist() == sorted(model.overtaken)
    assert seen["undefined"]
    assert seen["races"]


def test_a_load_that_is_part_of_an_atomic_is_not_recorded() -> None:
    races = RaceWatch(RUNS[0], 2)
    last = races.last_accesses("one", "shared", 1)
    zero, lanes = np.zeros(2, int), np.arange(2)
    with races.atomically():
        assert races.load(last, zero, lanes).tolist() == [False, False]
    races.store(last, LaneAccesses(zero[:1], lanes[:1]), np.ones(1, bool))
    assert not races.overtaken.any()


def test_loads_are_logged_only_until_every_lane_has_waited() -> None:
    """A loop with a barrier must not take more and more memory."""
    launch = RUNS[0]
    races = RaceWatch(launch, 2)
    last = races.last_accesses("one", "shared", 12)
    lanes, everyone = np.arange(12), np.ones(12, bool)
    sizes = set()
    for _ in range(3):
        for active in (everyone, lanes > 0):
            races.load(last, lanes, lanes)
            races.barrier(active, waits=True, whole_group=True, fence=None)
            sizes.add(len(last.loads.since(lanes, np.zeros(12, int))[0]))
    assert sizes == {0, 12}


BARRIER = (
    "@barrier (execution_scope=WORKGROUP, memory_scope=WORKGROUP, mem_semantics=ACQ|REL, mem_modes=shared)"
)
SHADER = """shader: MESA_SHADER_COMPUTE
workgroup_size: 8, 1, 1
decl_var shared INTERP_MODE_NONE none int[8] tile
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32  %0 = load_const (0x00000000)
    32  %1 = @load_local_invocation_index
    32  %2 = deref_var &tile (shared int[8])
    32  %3 = deref_array &(*%2)[%1] (shared int)
    @store_deref (%3, %1) (wrmask=x, access=none)
    BARRIER
    32  %4 = load_const (0x00000001)
    32  %5 = ixor %1, %4 (0x1)
    32  %6 = deref_array &(*%2)[%READ] (shared int)
    32  %7 = @load_deref (%6) (access=none)
    32  %8 = ishl %1, %9 (0x2)
    @store_ssbo (%7, %0 (0x0), %8) (wrmask=x, access=none, align_mul=4, align_offset=0)
    // succs: b1
    block b1:
}
""".replace("    32  %8", "    32  %9 = load_const (0x00000002)\n    32  %8")


@pytest.mark.parametrize(
    ("barrier", "read", "defined"), [(BARRIER, "5", True), ("", "5", False), ("", "1", True)]
)
def test_what_others_wrote_needs_a_barrier(barrier: str, read: str, defined: bool) -> None:
    shader = parse_dump(SHADER.replace("BARRIER", barrier).replace("%READ", f"%{read}").encode())
    assert not shader.unreadable
    result = run_shader(shader, Environment(1), lanes=8)
    cells = [cell for key, cell in result.memory.items() if key[0] == "ssbo"]
    assert len(cells) == 8
    assert {cell.poison for cell in cells} == {not defined}


HEAD = "workgroup_size: 8, 1, 1\ndecl_var shared INTERP_MODE_NONE none uint[8] tile\n"
ORDERS = "memory_scope=WORKGROUP, mem_semantics=ACQ|REL, mem_modes={})"
WAIT = "@barrier (execution_scope=WORKGROUP, memory_scope=NONE, mem_semantics=NONE, mem_modes=0)"
START = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000001)
    32     %2 = @load_local_invocation_index
    32     %3 = ixor %2, %1 (0x1)
    32     %4 = load_const (0x00000002)
    32     %5 = ishl %2, %4 (0x2)
    32     %6 = ishl %3, %4 (0x2)
"""


def undefined_lanes(*lines: str, result: str = "9", subgroup_size: int = 4) -> list[bool]:
    """The lanes whose %9 is undefined."""
    final = f"    @store_ssbo (%{result}, %1 (0x1), %5) (wrmask=x, access=none, align_mul=4, align_offset=0)"
    shader = shader_of("\n".join([START, *lines, final, "    // succs: b99"]), "COMPUTE", HEAD)
    environment = Environment(1, subgroup_size=subgroup_size)
    memory = run_shader(shader, environment, lanes=8).memory
    return [memory["ssbo", 1, lane].poison for lane in range(8)]


STORE_SHARED = "    @store_shared (%2, %5) (base=0, wrmask=x, align_mul=4, align_offset=0)"
LOAD_SHARED = "    32     %9 = @load_shared (%6) (base=0, align_mul=4, align_offset=0)"
STORE_BUFFER = "    @store_ssbo (%2, %0 (0x0), %5) (wrmask=x, access=none, align_mul=4, align_offset=0)"
LOAD_BUFFER = "    32     %9 = @load_ssbo (%0 (0x0), %6) (access=none, align_mul=4, align_offset=0)"
SHARED = (STORE_SHARED, LOAD_SHARED)
BUFFER = (STORE_BUFFER, LOAD_BUFFER)


@pytest.mark.parametrize("pair", [SHARED, BUFFER])
@pytest.mark.parametrize(
    ("between", "modes", "defined"),
    [
        ((), "", False),
        ((WAIT,), "", False),
        (("@barrier (execution_scope=WORKGROUP, " + ORDERS,), "{own}", True),
        (("@barrier (execution_scope=WORKGROUP, " + ORDERS,), "image", False),
        (("@barrier (execution_scope=NONE, " + ORDERS,), "{own}", False),
        (("@barrier (execution_scope=NONE, " + ORDERS, WAIT), "{own}", True),
        (("@barrier (execution_scope=WORKGROUP, " + ORDERS.replace("=WORKGROUP", "=NONE"),), "{own}", False),
        (("@group_memory_barrier", "@control_barrier"), "", True),
        (("@control_barrier",), "", False),
        (("@memory_barrier_image", "@control_barrier"), "", False),
        (("@memory_barrier", "@control_barrier"), "", True),
    ],
)
def test_what_orders_a_store_and_a_load(
    pair: tuple[str, str], between: tuple[str, ...], modes: str, defined: bool
) -> None:
    own = "shared" if pair is SHARED else "ssbo"
    lines = [f"    {line.format(modes.format(own=own))}" for line in between]
    assert undefined_lanes(pair[0], *lines, pair[1]) == [not defined] * 8


def test_releasing_alone_is_not_acquiring() -> None:
    line = "    @barrier (execution_scope=WORKGROUP, " + ORDERS.format("shared").replace("ACQ|REL", "REL")
    assert all(undefined_lanes(STORE_SHARED, line, LOAD_SHARED))
    acquire = line.replace("=REL", "=ACQ")
    assert not any(undefined_lanes(STORE_SHARED, line, acquire, LOAD_SHARED))


def test_a_subgroup_may_order_itself_only() -> None:
    line = "    @barrier (execution_scope=SUBGROUP, " + ORDERS.format("shared").replace(
        "WORKGROUP", "SUBGROUP"
    )
    assert not any(undefined_lanes(STORE_SHARED, line, LOAD_SHARED))
    assert all(undefined_lanes(STORE_SHARED, line, LOAD_SHARED, subgroup_size=1))


@pytest.mark.parametrize(("size", "is_same_subgroup"), [(8, True), (4, False), (2, False)])
def test_subgroups_are_successive_invocations(size: int, is_same_subgroup: bool) -> None:
    """Lanes 0 and 4 are in one subgroup of eight, but not of four."""
    line = "    @barrier (execution_scope=SUBGROUP, " + ORDERS.format("shared").replace(
        "WORKGROUP", "SUBGROUP"
    )
    far = "    32     %7 = ixor %5, %10\n" + LOAD_SHARED.replace("%6", "%7")
    sixteen = "    32     %10 = load_const (0x00000010)"
    found = undefined_lanes(STORE_SHARED, line, sixteen, far, subgroup_size=size)
    assert found == [not is_same_subgroup] * 8


def test_overwriting_what_another_is_reading_is_a_race() -> None:
    both = "    @barrier (execution_scope=WORKGROUP, " + ORDERS.format("shared")
    again = STORE_SHARED.replace("%2, %5", "%3, %5")
    read_own = LOAD_SHARED.replace("%9", "%10").replace("%6", "%5")
    lines = (STORE_SHARED, both, LOAD_SHARED)
    assert all(undefined_lanes(*lines, again, both, read_own, result="10"))
    assert not any(undefined_lanes(*lines, both, again, both, read_own, result="10"))


def test_all_may_store_the_same_and_one_of_many_wins_nothing() -> None:
    both = "    @barrier (execution_scope=WORKGROUP, " + ORDERS.format("shared")
    read = LOAD_SHARED.replace("%6", "%0 (0x0)")
    same = STORE_SHARED.replace("%2, %5", "%1 (0x1), %0 (0x0)")
    assert not any(undefined_lanes(same, both, read))
    assert not any(undefined_lanes(same, read)), "whoever stored it finds it again"
    assert all(undefined_lanes(same.replace("%1 (0x1)", "%2"), both, read))


@pytest.mark.parametrize("variable", [False, True])
def test_a_store_that_changes_nothing_does_not_end_a_race(variable: bool) -> None:
    """Lane 0 stores 0 and all others 1: either may come last."""
    both = "    @barrier (execution_scope=WORKGROUP, " + ORDERS.format("shared")
    first_or_other = "    32     %10 = umin %2, %1 (0x1)"
    store = STORE_SHARED.replace("%2, %5", "%10, %0 (0x0)")
    again, read = store.replace("%10", "%1 (0x1)"), LOAD_SHARED.replace("%6", "%0 (0x0)")
    if variable:
        first_or_other += """
    32     %11 = deref_var &tile (shared uint[8])
    32     %12 = deref_array &(*%11)[0] (shared uint)"""
        store = "    @store_deref (%12, %10) (wrmask=x, access=none)"
        again = store.replace("%10", "%1 (0x1)")
        read = "    32     %9 = @load_deref (%12) (access=none)"
    assert all(undefined_lanes(first_or_other, store, both, read))
    assert all(undefined_lanes(first_or_other, store, again, both, read))
    assert not any(undefined_lanes(first_or_other, store, both, again, both, read))


def test_an_equal_store_does_not_define_what_another_lane_leaves_undefined() -> None:
    both = "    @barrier (execution_scope=WORKGROUP, " + ORDERS.format("shared")
    lines = """
    32     %10 = undefined
    1      %11 = ieq %2, %0 (0x0)
    32     %12 = bcsel %11, %10, %0 (0x0)"""
    store = STORE_SHARED.replace("%2, %5", "%12, %0 (0x0)")
    read = LOAD_SHARED.replace("%6", "%0 (0x0)")
    assert all(undefined_lanes(lines, store, both, read))


ATOMIC = "    32     %8 = @shared_atomic (%0 (0x0), %1 (0x1)) (base=0, atomic_op=iadd)"


def test_atomics_race_with_stores_and_loads_but_not_with_each_other() -> None:
    both = "    @barrier (execution_scope=WORKGROUP, " + ORDERS.format("shared")
    clear = STORE_SHARED.replace("%2, %5", "%0 (0x0), %0 (0x0)")
    read = LOAD_SHARED.replace("%6", "%0 (0x0)")
    assert not any(undefined_lanes(clear, both, ATOMIC, both, read))
    assert not any(undefined_lanes(clear, both, ATOMIC, ATOMIC.replace("%8", "%9")))
    assert all(undefined_lanes(clear, both, ATOMIC, read))
    assert any(undefined_lanes(clear, ATOMIC, both, read))


def test_two_workgroups_are_not_held_against_each_other() -> None:
    text = START + STORE_SHARED + "\n    32 %9 = @load_workgroup_index\n" + STORE_BUFFER.replace("%2", "%9")
    shader = shader_of(text + "\n    // succs: b99", "COMPUTE", HEAD)
    memory = run_shader(shader, Environment(1), lanes=16).memory
    assert [memory["ssbo", 0, lane].bits for lane in range(8)] == [1] * 8
    assert not any(cell.poison for cell in memory.values())


PATCH_STORE = (
    "    @store_per_vertex_output (%2, %2, %0 (0x0)) (base=0, range=1, wrmask=x, component=0, "
    "src_type=uint32, io location=VARYING_SLOT_VAR0 slots=1)"
)
PATCH_LOAD = (
    "    32     %9 = @load_per_vertex_output (%3, %0 (0x0)) (base=0, range=1, component=0, "
    "dest_type=uint32, io location=VARYING_SLOT_VAR0 slots=1)"
)


@pytest.mark.parametrize(("barrier", "defined"), [("", False), ("    @control_barrier", True)])
def test_outputs_of_a_patch(barrier: str, defined: bool) -> None:
    start = START.replace("load_local_invocation_index", "load_invocation_id")
    final = PATCH_STORE.replace("%2, %2", "%9, %2").replace("VAR0", "VAR1")
    body = "\n".join([start, PATCH_STORE, barrier, PATCH_LOAD, final, "    // succs: b99"])
    result = run_shader(shader_of(body, "TESS_CTRL", "tcs_vertices_out: 4\n"), Environment(1), lanes=8)
    plane = result.outputs[OutputKey(VAR0 + 1, 0)]
    assert plane.written.all()
    assert (plane.poison == (not defined)).all()


@pytest.mark.sweep
@pytest.mark.parametrize("dialect", ["modern", "classic"])
@pytest.mark.parametrize("name", ["hand_comp_reduce", "hand_comp_blur_tile", "hand_comp_cull_atomic"])
def test_no_barrier_of_a_real_shader_can_go(corpus: Path, name: str, dialect: str) -> None:
    text = (corpus / "pipelines" / name / dialect / "comp.io.nir").read_text()
    lines = text.splitlines(keepends=True)
    environment = Environment(5)
    before = run_shader(parse_dump(text.encode()), environment)
    assert before.memory
    assert not any(cell.poison for cell in before.memory.values())
    waits = ("control_barrier", "execution_scope=WORKGROUP")
    places = [at for at, line in enumerate(lines) if any(word in line for word in waits)]
    assert places
    for at in places:
        after = run_shader(parse_dump("".join(lines[:at] + lines[at + 1 :]).encode()), environment)
        assert compare_results(before, after, float_tolerance=False), lines[at]


@pytest.mark.parametrize(("size", "expected"), [(1, [False] * 4), (2, [False, True, False, True])])
def test_zeros_of_one_group_may_differ_in_their_sign(size: int, expected: list[bool]) -> None:
    lanes = np.arange(4)
    races = RaceWatch(Launch(Stage.COMPUTE, 4, lanes // size, lanes % size, lanes // size), 1)
    last, stores = races.last_accesses("x", "buffer", 1), LaneAccesses(lanes * 0, lanes)
    zeros, never = Value(np.zeros((1, 4), np.uint32), 32, error=np.full((1, 4), LEAST_ERROR)), lanes < 0
    assert races.doubtful(last, stores, zeros, never, never).tolist() == expected
