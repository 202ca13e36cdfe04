"""Summary of what the runs of a comparison covered, from the coverage of both sides."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from nirls.ir.model.control_flow import Block, If, Loop
from nirls.ir.model.values import Def
from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.state.coverage import (
    ALL_SIDES,
    GREATER,
    LESS,
    SIDE_NAMES,
    Coverage,
    combines,
)
from nirls.verification.inputs.input_kinds import SPECIALS
from nirls.verification.verdict import InputCoverage

_EVERY_SPECIAL = (1 << len(SPECIALS)) - 1
_EVERY_ROUND = 0b111
_ROUND_NAMES = ("0", "1", "many")


def input_coverage(
    sides: Mapping[str, tuple[Sequence[Machine], Coverage]],
    specials_met: Mapping[object, int],
    executed: Container[Block],
) -> InputCoverage:
    """Return the coverage of all runs.

    `sides` has the machines and coverage of "before" and "after", `specials_met` the special values of each
    place as bits, `executed` the blocks that ran.
    """
    compared = [
        (f"{side} {_name(machines, instr.def_)} {instr.op}", found.met, combines(instr))
        for side, (machines, coverage) in sides.items()
        for instr, found in coverage.comparisons.items()
    ]
    machines, coverage = sides["before"]
    branches = [block for machine in machines for block in _branches(machine)]
    loops = [node for machine in machines for node in _nodes(machine) if isinstance(node, Loop)]
    not_met = [
        f"{name}: {_missing(met, is_combined)}"
        for name, met, is_combined in compared
        if met & ALL_SIDES != ALL_SIDES
    ]
    indexed = [
        (f"{side} {_name(machines, index.bounds.src.ssa)} as index", index)
        for side, (machines, coverage) in sides.items()
        for index in coverage.indices.values()
    ]
    for name, found in indexed:
        words = {found.bounds.first: "first", found.bounds.last: "last"}
        missing = [words.get(number, str(number)) for number in found.missing]
        not_met += [f"{name}: {' and '.join(missing)}"] if missing else []
    for loop in loops:
        rounds = coverage.rounds.get(loop, 0)
        if rounds != _EVERY_ROUND:
            missing = [word for bit, word in enumerate(_ROUND_NAMES) if not rounds >> bit & 1]
            first = loop.body[0] if loop.body else None
            where = f" b{first.index}" if isinstance(first, Block) else ""
            not_met.append(f"loop{where}: {' or '.join(missing)} rounds")
    return InputCoverage(
        comparisons=len(compared),
        all_sides=sum(met & ALL_SIDES == ALL_SIDES for _, met, _ in compared),
        places=len(specials_met),
        special_places=sum(met == _EVERY_SPECIAL for met in specials_met.values()),
        nans=sum(met & 1 for met in specials_met.values()),
        indices=len(indexed),
        indices_at_bounds=sum(found.was_at_bounds for _, found in indexed),
        branches=len(branches),
        branches_run=sum(block in executed for block in branches),
        loops=len(loops),
        loops_0_1_many=sum(coverage.rounds.get(loop, 0) == _EVERY_ROUND for loop in loops),
        not_met=tuple(not_met),
    )


def _missing(met: int, is_combined: bool) -> str:
    names = {LESS: "false", GREATER: "true"} if is_combined else SIDE_NAMES
    return " and ".join(word for side, word in names.items() if not met & side)


def _name(machines: Sequence[Machine], value: Def | None) -> str:
    owners = (machine for machine in machines if value in machine.program.defs)
    owner = next(owners, None)
    return "?" if owner is None or value is None else owner.name_of(value)


def _nodes(machine: Machine) -> list[object]:
    entry = machine.shader.entrypoint
    return [] if entry is None else list(entry.cf_nodes())


def _branches(machine: Machine) -> list[Block]:
    """Return the first block of each side of each if."""
    return [
        body[0]
        for node in _nodes(machine)
        if isinstance(node, If)
        for body in (node.then_body, node.else_body)
        if body and isinstance(body[0], Block)
    ]
