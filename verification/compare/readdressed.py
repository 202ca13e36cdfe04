"""Transfer of memory contents between two forms of addressing.

A dump does not list the layout of structs, so the offset of a member cannot be computed. It is found by
running: the corresponding loads of both sides give the place of each value that the first side read, and
the second side runs again with these values in these places.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from nirls.ir.analysis.correspondence import correspondence
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import DerefInstr, Instr, IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def
from nirls.verification.compare.external_state import LAID_OUT_BY_DRIVERS, MEMORY_BY_NAME, form_of
from nirls.verification.compare.subject import Outcome, Subject
from nirls.verification.compare.uniform_units import unit_of, with_offsets_in_bytes
from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.state.options import RunOptions
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.evaluate.values.value import Value
from nirls.verification.inputs.recorded import Recorded, recorded_run

_MOST_ROUNDS = 4
_SPACES = {
    "load_ubo": "ubo",
    "load_ubo_vec4": "ubo",
    "load_ssbo": "ssbo",
    "load_push_constant": "push_const",
    "load_uniform": "uniform",
    "load_constant": "constant",
    "load_kernel_input": "kernel_input",
    "load_global": "global",
    "load_global_constant": "global",
    "load_const_ir3": "push_const",
}
_BUFFERS = frozenset(("ubo", "ssbo"))
_BY_ADDRESS = frozenset(MEMORY_BY_NAME.values())


class Readdressed(Subject):
    """A shader whose memory holds the values that the corresponding loads of another shader read.

    Raises `Unsupported` if no loads correspond; `run` raises it if two loads of different values have the
    same address, or if a load from a numbered buffer has another offset in another buffer of the same kind:
    passes give buffers other numbers, and leave their contents in place. With `only_laid_out`, only the
    memory that drivers lay out gets other contents. `contradicts_constants` is set where no constant data,
    which dumps do not print, can make the loads right.
    """

    # The contents of memory follow the values that lead to addresses.
    may_override = False

    def __init__(self, before: Machine, after: Subject, *, only_laid_out: bool = False) -> None:
        pairs = _loads(before.shader, after.machines[0].shader)
        if only_laid_out:
            pairs = [pair for pair in pairs if form_of(pair[1]) in LAID_OUT_BY_DRIVERS]
        if not pairs:
            raise Unsupported("memory that is addressed in another way")
        machines: Sequence[Machine] = after.machines
        unit = unit_of(pairs)
        if unit > 1:
            shader = after.machines[0].shader
            in_bytes = with_offsets_in_bytes(shader, unit)
            twins = dict(zip(_memory_loads(shader), _memory_loads(in_bytes), strict=True))
            machines, pairs = [Machine(in_bytes)], [(value, twins[load]) for value, load in pairs]
        super().__init__(machines, after.culling, after.matters)
        self.contradicts_constants = False
        self._before = before
        self._pairs = pairs

    def run(self, environment: Environment, lanes: int, options: RunOptions) -> Outcome:
        only_limit = RunOptions(options.iteration_limit, deadline=options.deadline)
        read = recorded_run(self._before, environment, lanes, only_limit)
        known: dict[str, Array] = {}
        for _ in range(_MOST_ROUNDS):
            places = recorded_run(self.machines[0], environment, lanes, only_limit)
            found = self._words(read, places)
            for space, table in found.items():
                environment.fix_words_in_draws(space, table)
            if found.keys() == known.keys() and all(np.array_equal(found[at], known[at]) for at in found):
                break
            known = found
        return super().run(environment, lanes, options)

    def _words(self, read: Recorded, places: Recorded) -> dict[str, Array]:
        """Return a table of the words of each space. The rows are buffers, words, draws and contents."""
        placed: dict[str, list[Array]] = {}
        for value, load in self._pairs:
            self._check_offset(value, load, read, places)
            placed.setdefault(_SPACES[load.name], []).extend(_placed(load, places, _value_of(read, value)))
        words: dict[str, Array] = {}
        for space, tables in placed.items():
            if not tables:
                continue  # only loads of less than a word
            table = _distinct(np.concatenate(tables, axis=1))
            if space == "constant":
                self.contradicts_constants |= self._contradict(table)
            if table.shape[1] and (table[:3, 1:] == table[:3, :-1]).all(axis=0).any():
                raise Unsupported("memory whose layout does not follow from the loads")
            words[space] = table
        return words

    def _contradict(self, table: Array) -> bool:
        """Return whether a word of constant data, the same in all draws, would need two contents.

        That counts only for loads that every invocation runs, of variables with an initializer.
        """
        loads = [pair for pair in self._pairs if pair[1].name == "load_constant"]
        if not all(_is_initialized(value) and self._always_run(value, load) for value, load in loads):
            return False
        words = _distinct(table[[0, 1, 3]])
        return bool((words[:2, 1:] == words[:2, :-1]).all(axis=0).any())

    def _always_run(self, value: Def, load: IntrinsicInstr) -> bool:
        """Return whether two loads stand outside of ifs and loops."""
        entries = self._before.shader.entrypoint, self.machines[0].shader.entrypoint
        return all(
            entry is not None and instr is not None and any(node is instr.block for node in entry.body)
            for entry, instr in zip(entries, (value.instr, load), strict=True)
        )

    @staticmethod
    def _check_offset(value: Def, load: IntrinsicInstr, read: Recorded, places: Recorded) -> None:
        """Raise `Unsupported` if a load from a numbered buffer has another offset than before."""
        origin = value.instr
        if not isinstance(origin, IntrinsicInstr) or _SPACES.get(origin.name) != _SPACES[load.name]:
            return
        if _SPACES[load.name] not in _BUFFERS:
            return
        (_, old, old_unknown), (_, new, new_unknown) = _address(origin, read), _address(load, places)
        known = ~old_unknown & ~new_unknown
        if (old != new)[known].any():
            raise Unsupported("loads with other offsets in the same kind of buffer")


def _distinct(table: Array) -> Array:
    """Return the distinct columns, sorted; the same as `np.unique`, which is five times slower on tables."""
    table = table[:, np.lexsort(table[::-1])]
    is_new = np.ones(table.shape[1], np.bool_)
    is_new[1:] = (table[:, 1:] != table[:, :-1]).any(axis=0)
    distinct: Array = table[:, is_new]
    return distinct


def _value_of(recorded: Recorded, value: Def | None) -> Value:
    found = None if value is None else recorded.values.get(value)
    if found is None:
        raise Unsupported("an address outside of the function")
    return found


def _loads(before: Shader, after: Shader) -> list[tuple[Def, IntrinsicInstr]]:
    """Return the values of loads in the first shader, each with the corresponding load of the second."""
    first, second = before.entrypoint, after.entrypoint
    if first is None or second is None:
        return []
    pairs = [
        (value, twin.instr)
        for twin, value in correspondence(first, second).values.items()
        if isinstance(twin.instr, IntrinsicInstr) and twin.instr.name in _SPACES
        if value.instr is not None
        if _is_memory(value.instr) or (twin.instr.name == "load_constant" and _is_initialized(value))
    ]
    loads = _memory_loads(second)
    if len(pairs) == len(loads):
        return pairs
    read = [instr.def_ for instr in first.instrs() if _is_memory(instr) and instr.def_ is not None]
    made = [instr.def_ for instr in loads if instr.def_ is not None]
    if [_size(value) for value in read] == [_size(value) for value in made]:
        return list(zip(read, loads, strict=True))
    return pairs


def _memory_loads(code: Shader | FunctionImpl) -> list[IntrinsicInstr]:
    return [instr for instr in code.instrs() if isinstance(instr, IntrinsicInstr) and instr.name in _SPACES]


def _is_initialized(value: Def) -> bool:
    """Return whether a value is loaded from a variable with an initializer."""
    load = value.instr
    deref = load.sources[0].def_instr if isinstance(load, IntrinsicInstr) and load.sources else None
    variable = deref.root.var if isinstance(deref, DerefInstr) else None
    return variable is not None and variable.initializer is not None


def _size(value: Def) -> tuple[int, int]:
    return value.num_components, value.bit_size


def _is_memory(instr: Instr) -> bool:
    form = form_of(instr)
    is_load = isinstance(instr, IntrinsicInstr) and instr.name.startswith("load_")
    return is_load and (form in _BY_ADDRESS or form.endswith((" variables", " descriptors")))


def _placed(load: IntrinsicInstr, places: Recorded, value: Value) -> Iterator[Array]:
    """Yield tables of the 32-bit words that a load reads: rows of buffers, words, draws and contents.

    The contents are those that the value of the corresponding load implies.
    """
    if value.bit_size not in (32, 64):
        return
    buffer, offset, unknown = _address(load, places)
    if value.poison is not None:
        unknown = unknown | value.poison.any(axis=0)
    known = ~unknown & (offset % 4 == 0)
    size = value.bit_size // 32
    for row, bits in enumerate(value.bits):
        for part in range(size):
            contents = (bits.astype(np.uint64) >> np.uint64(32 * part) & np.uint64(0xFFFFFFFF)).astype(
                np.int64
            )
            yield np.stack([buffer, offset // 4 + row * size + part, places.draw, contents])[:, known]


def _address(load: IntrinsicInstr, places: Recorded) -> tuple[Array, Array, Array]:
    """Return the buffer and the offset in bytes of a load on each lane, and where they are undefined."""
    space = _SPACES[load.name]
    sources = [_value_of(places, src.def_) for src in load.sources]
    lanes = len(places.draw)
    width = 32 if load.def_ is None else load.def_.bit_size
    buffer: Array = np.zeros(lanes, np.int64)
    if space in _BUFFERS:
        buffer = np.broadcast_to(sources[0].bits[0].astype(np.int64), (lanes,))
    offset = np.broadcast_to(sources[len(sources) - 1].bits[0].astype(np.int64), (lanes,))
    if load.name == "load_ubo_vec4":
        offset = (offset + load.int_index("base")) * 16 + load.int_index("component") * width // 8
    elif load.name == "load_const_ir3":
        offset = (offset + load.int_index("base")) * 4
    elif space not in _BUFFERS:
        offset = offset + load.int_index("base")
    unknown: Array = np.zeros(lanes, np.bool_)
    for source in sources:
        if source.poison is not None:
            unknown = unknown | np.broadcast_to(source.poison, (len(source.bits), lanes)).any(axis=0)
    return buffer, offset, unknown
