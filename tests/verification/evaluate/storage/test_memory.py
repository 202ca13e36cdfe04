"""Memory: overlapping accesses of different sizes, atomics in lane order, what stays visible."""

from __future__ import annotations

import random

import numpy as np
import pytest

from nirls.ir.model.stage import Stage
from nirls.verification.compare.results import compare_results
from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.storage.memory import Memory, StoredByte
from nirls.verification.evaluate.storage.races import RaceWatch
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.launch import Launch
from nirls.verification.evaluate.surroundings.result import MemoryCell, OutputKey
from nirls.verification.evaluate.values.value import KEPT_ZERO, LEAST_ERROR, Value
from tests.verification.evaluate.shader_text import VAR0, run, shader_of, store, stored
from tests.verification.evaluate.storage.race_model import RaceModel

HEAD = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000004)
    32     %2 = load_const (0x00000001)
    32     %3 = load_const (0x00000002)
    32     %4 = @load_vertex_id_zero_base
"""
LOAD = "(access=none, align_mul=4, align_offset=0)"
STORE = "(wrmask=x, access=none, align_mul=4, align_offset=0)"


def body(*lines: str) -> str:
    return HEAD + "\n".join(lines) + "\n                // succs: b99"


def test_loads_of_different_sizes_agree() -> None:
    text = body(
        f"    64     %5 = @load_ssbo (%0 (0x0), %0 (0x0)) {LOAD}",
        f"    32     %6 = @load_ssbo (%0 (0x0), %1 (0x4)) {LOAD}",
        f"    16     %7 = @load_ssbo (%0 (0x0), %3 (0x2)) {LOAD}",
        "    32     %8 = unpack_64_2x32_split_y %5",
        "    32     %9 = ixor %8, %6",
        "    32     %10 = unpack_64_2x32_split_x %5",
        "    32     %11 = load_const (0x00000010 = 16)",
        "    32     %12 = ushr %10, %11 (0x10)",
        "    32     %13 = u2u32 %7",
        "    32     %14 = ixor %12, %13",
        "    32     %15 = ior %9, %14",
        store("15", "0"),
    )
    assert stored(run(shader_of(text))) == [0] * 8


def test_a_store_is_found_again_and_seen_from_outside() -> None:
    text = body(
        "    32     %5 = ishl %4, %3 (0x2)",
        f"                @store_ssbo (%4, %0 (0x0), %5) {STORE}",
        f"    32     %6 = @load_ssbo (%0 (0x0), %5) {LOAD}",
        store("6", "0"),
    )
    result = run(shader_of(text))
    assert stored(result) == list(range(8))
    assert {key: cell.bits for key, cell in result.memory.items()} == {
        ("ssbo", 0, lane): lane for lane in range(8)
    }


def test_atomics_take_turns() -> None:
    text = body(
        f"                @store_ssbo (%0 (0x0), %0 (0x0), %0 (0x0)) {STORE}",
        "    32     %5 = @ssbo_atomic (%0 (0x0), %0 (0x0), %2 (0x1)) (access=none, atomic_op=iadd)",
        store("5", "0"),
    )
    result = run(shader_of(text))
    assert stored(result) == list(range(8))
    assert result.memory["ssbo", 0, 0].bits == 8


def test_each_draw_has_its_own_memory() -> None:
    text = body(
        f"                @store_ssbo (%0 (0x0), %0 (0x0), %0 (0x0)) {STORE}",
        "    32     %5 = @ssbo_atomic (%0 (0x0), %0 (0x0), %2) (access=none, atomic_op=iadd)",
        store("5", "0"),
    )
    result = Machine(shader_of(text)).run(Environment(1, draws=2), lanes=8)
    assert stored(result) == [*range(8), *range(8)]


def test_shared_memory_is_undefined_until_written_and_never_visible() -> None:
    text = body(
        "    32     %5 = @load_shared (%0 (0x0)) (base=0, align_mul=4, align_offset=0)",
        "                @store_shared (%2 (0x1), %0 (0x0)) (base=0, wrmask=x, align_mul=4, align_offset=0)",
        "    32     %6 = @load_shared (%0 (0x0)) (base=0, align_mul=4, align_offset=0)",
        store("5", "0"),
        store("6", "0", component=1),
    )
    result = run(shader_of(text, "COMPUTE", "workgroup_size: 8, 1, 1\n"))
    assert result.outputs[OutputKey(VAR0, 0)].poison.all()
    assert result.outputs[OutputKey(VAR0, 1)].bits.tolist() == [[1]]
    assert result.memory == {}


LOCAL_STORE = f"                   @store_shared (%4, %5) (base=0, {STORE[1:]}"


@pytest.mark.parametrize(
    ("stage", "is_visible"),
    [("VERTEX", True), ("TESS_EVAL", True), ("FRAGMENT", False), ("COMPUTE", False), ("MESH", False)],
)
def test_local_memory_holds_the_outputs_of_merged_stages(stage: str, is_visible: bool) -> None:
    lines = ("    32     %5 = ishl %4, %3", LOCAL_STORE)
    made = [
        run(shader_of(body(*kept).replace("load_vertex_id_zero_base", "load_subgroup_invocation"), stage))
        for kept in (lines, lines[:1])
    ]
    assert bool(compare_results(*made)) is is_visible


@pytest.mark.parametrize(
    ("stage", "is_input"), [("TESS_CTRL", True), ("GEOMETRY", True), ("VERTEX", False), ("COMPUTE", False)]
)
def test_local_memory_holds_the_inputs_of_the_second_merged_stage(stage: str, is_input: bool) -> None:
    lines = [
        f"    32     %5 = @load_shared (%1 (0x4)) (base=0, {LOAD[1:]}",
        f"                   @store_ssbo (%5, %0 (0x0), %0 (0x0)) {STORE}",
    ]
    text = body(*lines).replace("load_vertex_id_zero_base", "load_subgroup_invocation")
    cells = [cell for key, cell in run(shader_of(text, stage)).memory.items() if key[0] == "ssbo"]
    assert cells
    assert all(cell.poison is not is_input for cell in cells)


LANES = 12
DRAW = np.arange(LANES) // 6
SPACES = (("ssbo",), ("shared",))


class OneByOne:
    """A model of `Memory`: lanes access single cells, one after another."""

    def __init__(self, launch: Launch) -> None:
        classes = {"ssbo": "buffer", "shared": "shared"}
        self.races = {space: RaceModel(launch, 2, mode) for space, mode in classes.items()}
        self.cells: dict[tuple[object, ...], MemoryCell] = {}
        self.writers: dict[tuple[object, ...], set[int]] = {}
        self.communicating: set[int] = set()
        # The cells that the instruction stores to, and those whose content it only repeats by rounding.
        self.stored: set[tuple[object, ...]] = set()
        self.doubtful: set[tuple[object, ...]] = set()

    def load(self, key: tuple[object, ...], lane: int) -> tuple[MemoryCell | None, bool]:
        self.note_load(key, lane)
        return self.cells.get(key), self.races[str(key[0])].load(key, lane)

    def note_load(self, key: tuple[object, ...], lane: int) -> None:
        if self.writers.get(key, set()) - {lane}:
            self.communicating.add(int(DRAW[lane]))

    def store(self, key: tuple[object, ...], lane: int, cell: MemoryCell, is_atomic: bool = False) -> None:
        old = self.cells.get(key)
        changes = old is None or old.poison or old.holes != 0 or old.bits != cell.bits
        if not is_atomic:
            cell = cell._replace(fragile=self.is_doubtful(key, lane, old, cell) or cell.fragile)
        races = self.races[str(key[0])].store(key, lane, changes, is_atomic)
        self.cells[key] = cell._replace(poison=True) if races else cell
        self.writers.setdefault(key, set()).add(lane)

    def is_doubtful(
        self, key: tuple[object, ...], lane: int, old: MemoryCell | None, cell: MemoryCell
    ) -> bool:
        follows = self.races[str(key[0])].follows_last_store(key, lane)
        if key not in self.stored and old is not None and not follows:
            repeats = not old.poison and old.holes == 0 and old.bits == cell.bits
            if repeats and (old.fragile or old.error > 0 or cell.error > 0):
                self.doubtful.add(key)
        self.stored.add(key)
        return key in self.doubtful

    def update(self, key: tuple[object, ...], lane: int) -> MemoryCell:
        old = self.cells.get(key) or MemoryCell(7, 32)
        self.note_load(key, lane)
        self.store(key, lane, old._replace(bits=old.bits + lane % 3), is_atomic=True)
        return old

    def store_byte(self, key: tuple[object, ...], lane: int, byte: tuple[int, int, bool, bool]) -> None:
        old = self.cells.get(key) or MemoryCell(7, 32)
        self.note_load(key, lane)
        number, bits, is_undefined, is_fragile = byte
        content = bytearray(old.bits.to_bytes(4, "little"))
        content[number] = bits
        undefined = {part for part in range(4) if old.poison or old.holes >> part & 1} - {number}
        holes = sum(1 << part for part in undefined | ({number} if is_undefined else set()))
        self.cells[key] = MemoryCell(
            int.from_bytes(content, "little"),
            32,
            holes == 15,
            0.0,
            old.fragile or old.error > 0 or is_fragile,
            holes % 15,
        )
        self.writers.setdefault(key, set()).add(lane)


@pytest.mark.parametrize("seed", range(40))
def test_accesses_of_many_lanes_are_those_of_one_after_another(seed: int) -> None:
    choose = random.Random(seed)
    number = np.arange(LANES)
    launch = Launch(Stage.COMPUTE, LANES, number // 3, number % 3, number // 3, draw=DRAW)
    memory, model = Memory(Environment(1, draws=2)), OneByOne(launch)
    races = RaceWatch(launch, 2)
    memory.begin(races, DRAW, Stage.VERTEX)  # whose shared memory is visible
    untouched = Value(np.full((1, LANES), 7, np.uint32), 32)
    for _ in range(40):
        place = choose.choice(SPACES)
        words = np.array([choose.choice((0, lane, lane // 3, lane ^ 1)) for lane in range(LANES)])
        active = np.array([choose.random() < 0.7 for _ in range(LANES)])
        lanes = np.nonzero(active)[0].tolist()
        keys = [(*place, 5, int(words[lane]), int(DRAW[lane])) for lane in lanes]
        indices = [np.full(LANES, 5), words]
        match choose.choice(("load", "load", "store", "atomic", "partial", "barrier")):
            case "load":
                found = memory.load(place, indices, untouched, active)
                loaded = [model.load(key, lane) for key, lane in zip(keys, lanes, strict=True)]
                bits = [7 if cell is None else cell.bits for cell, _ in loaded]
                marks = [
                    races or (cell is not None and (cell.poison or cell.holes != 0)) for cell, races in loaded
                ]
                errors = [0.0 if cell is None else cell.error for cell, _ in loaded]
                assert found.bits[0, lanes].tolist() == bits
                assert (found.poison is not None and found.poison[0, lanes].any()) == any(marks)
                assert found.poison is None or found.poison[0, lanes].tolist() == marks
                assert found.error is None or found.error[0, lanes].tolist() == errors
                assert (found.error is not None) == any(errors)
            case "store":
                bits = np.array([choose.choice((1, lane)) for lane in range(LANES)], np.uint32)
                poison, fragile = (np.array([[choose.random() < 0.1 for _ in bits]]) for _ in range(2))
                value = Value(bits[None], 32, poison, bits[None] / 4.0, fragile)
                memory.store(place, indices, value, active)
                model.stored, model.doubtful = set(), set()
                for key, lane in zip(keys, lanes, strict=True):
                    marked = bool(poison[0, lane]), float(bits[lane]) / 4.0, bool(fragile[0, lane])
                    model.store(key, lane, MemoryCell(int(bits[lane]), 32, *marked))
            case "barrier":
                races.barrier(active, waits=True, whole_group=True, fence=None)
                for one in model.races.values():
                    one.barrier(lanes, True, True, None)
            case "partial":
                table = [[choose.randrange(count) for _ in range(LANES)] for count in (4, 256, 4, 9)]
                number, bits, undefined, shaky = map(np.array, table)
                byte = StoredByte(number, bits.astype(np.uint8), undefined == 0, shaky == 0)
                memory.store_byte(place, indices, untouched, byte, active)
                for key, lane in zip(keys, lanes, strict=True):
                    own = (
                        int(number[lane]),
                        int(bits[lane]),
                        bool(undefined[lane] == 0),
                        bool(shaky[lane] == 0),
                    )
                    model.store_byte(key, lane, own)
            case _:
                found = memory.update(
                    place,
                    indices,
                    untouched,
                    lambda cell, lane: cell._replace(bits=cell.bits + lane % 3),
                    active,
                )
                olds = [model.update(key, lane) for key, lane in zip(keys, lanes, strict=True)]
                assert found.bits[0, lanes].tolist() == [old.bits for old in olds]
                marks = [old.poison or old.holes != 0 for old in olds]
                assert (found.poison is not None) == any(marks)
                assert found.poison is None or found.poison[0, lanes].tolist() == marks
    cells = memory.visible_cells()
    for place in SPACES:
        # The differences of two runs are listed in the order of the first stores.
        found, expected = (
            [item for item in all_cells.items() if item[0][:1] == place] for all_cells in (cells, model.cells)
        )
        assert found == expected
    assert memory.writers_of_visible_cells() == model.writers
    assert memory.communicating == model.communicating
    assert any(cell.poison or cell.holes for cell in model.cells.values())
    overtaken = set().union(*(one.overtaken for one in model.races.values()))
    assert np.nonzero(races.overtaken)[0].tolist() == sorted(overtaken)


def test_another_run_finds_the_cells_but_has_writers_of_its_own() -> None:
    memory, lanes, active = Memory(Environment(1)), np.arange(4), np.ones(4, np.bool_)
    untouched = Value(np.zeros((1, 4), np.uint32), 32)
    memory.begin(None, None, Stage.VERTEX)
    memory.store(("ssbo",), [lanes], Value(np.arange(4, dtype=np.uint32)[None], 32), active)
    memory.load(("ssbo",), [3 - lanes], untouched, active)
    assert memory.communicating == {0}
    memory.begin(None, None, Stage.FRAGMENT)
    assert memory.load(("ssbo",), [3 - lanes], untouched, active).bits.tolist() == [[3, 2, 1, 0]]
    assert (memory.communicating, memory.writers_of_visible_cells()) == (set(), {})
    assert [cell.bits for cell in memory.visible_cells().values()] == [0, 1, 2, 3]


@pytest.mark.parametrize("is_one_cell", [True, False])
def test_lanes_that_update_one_cell_see_what_others_stored(is_one_cell: bool) -> None:
    memory, lanes = Memory(Environment(1)), np.arange(4)
    memory.begin(None, None, Stage.VERTEX)
    untouched = Value(np.zeros((1, 4), np.uint32), 32)
    words = lanes * 0 if is_one_cell else lanes
    memory.update(("ssbo",), [words], untouched, lambda cell, lane: cell, np.ones(4, np.bool_))
    assert memory.communicating == ({0} if is_one_cell else set())


@pytest.mark.parametrize(
    ("bits", "error", "is_doubtful"),
    [
        (0, LEAST_ERROR, True),
        (0x7FC00000, np.inf, True),
        (0, KEPT_ZERO, False),
        (0x3F800000, LEAST_ERROR, False),
    ],
)
def test_a_store_of_several_lanes_is_doubtful_if_operands_may_differ(
    bits: int, error: float, is_doubtful: bool
) -> None:
    number, active = np.arange(4), np.ones(4, np.bool_)
    launch = Launch(Stage.COMPUTE, 4, number // 2, number % 2, number // 2)
    memory = Memory(Environment(1))
    memory.begin(RaceWatch(launch, 1), None, Stage.COMPUTE)
    value = Value(np.full((1, 4), bits, np.uint32), 32, error=np.full((1, 4), error))
    memory.store(("ssbo",), [number // 2], value, active)
    cells = memory.visible_cells().values()
    assert [(cell.poison, cell.fragile) for cell in cells] == [(False, is_doubtful)] * 2
