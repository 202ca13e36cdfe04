"""Agreement of the clean-up and discard passes with Mesa's, shader by shader.

The shaders before and after a pass come from `NIR_DEBUG=print` logs, which hold the name of every pass and
the shader after each that changed it, and from the fragment shaders of `pipelines`, where an absent
`frag.conddiscard.nir` or `frag.movediscard.nir` means that Mesa's pass changed nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from nirls.ir.analysis.compare import difference
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.text.dumps import split_dumps
from nirls.ir.text.parse import parse_dump
from nirls.passes.cleanup.copy_prop import copy_prop
from nirls.passes.cleanup.lower_alu_to_scalar import lower_alu_to_scalar
from nirls.passes.cleanup.lower_io_to_scalar import lower_io_to_scalar
from nirls.passes.cleanup.lower_phis_to_scalar import lower_phis_to_scalar
from nirls.passes.cleanup.opt_constant_folding import opt_constant_folding
from nirls.passes.cleanup.opt_cse import opt_cse
from nirls.passes.cleanup.opt_dce import opt_dce
from nirls.passes.cleanup.opt_dead_cf import opt_dead_cf
from nirls.passes.cleanup.opt_remove_phis import opt_remove_phis
from nirls.passes.cleanup.opt_undef import opt_undef
from nirls.passes.discards.opt_discard_if import opt_discard_if
from nirls.passes.discards.opt_move_discards_to_top import opt_move_discards_to_top
from tools.corpus.tally import CaseTally, Outcome, Task

_PASS_NAME = re.compile(rb"^nir_[a-z0-9_]+\r?$", re.MULTILINE)
_SAME_SHADER = re.compile(rb"^(?:shader|source_blake3):.*$", re.MULTILINE)
# The last pass of the chain that made the logs; what follows it starts from an earlier shader.
_LAST_OF_A_CHAIN = "nir_opt_move_discards_to_top"
CONDITIONAL, MOVED = "nir_opt_conditional_discard", _LAST_OF_A_CHAIN


def _move_discards(shader: Shader) -> bool:
    # Only 22.3, which printed the classic dumps, stops at the first discard that it can move.
    return opt_move_discards_to_top(shader, only_first=shader.dialect is Dialect.CLASSIC)


PASSES: Mapping[str, Callable[[Shader], bool]] = {
    "nir_copy_prop": copy_prop,
    "nir_opt_dce": opt_dce,
    "nir_opt_cse": opt_cse,
    "nir_opt_constant_folding": opt_constant_folding,
    "nir_opt_dead_cf": opt_dead_cf,
    "nir_opt_remove_phis": opt_remove_phis,
    "nir_opt_undef": opt_undef,
    "nir_lower_alu_to_scalar": lower_alu_to_scalar,
    "nir_lower_io_to_scalar": lower_io_to_scalar,
    "nir_lower_phis_to_scalar": lower_phis_to_scalar,
    CONDITIONAL: opt_discard_if,
    MOVED: _move_discards,
}
# Mesa leaves a move beside the vector that takes its place; here the move turns into it.
# Removing control flow, Mesa copies derefs into the blocks that use them.
_TIDIED = {"nir_copy_prop": (opt_dce,), "nir_opt_dead_cf": (opt_cse, opt_dce)}


@dataclass(frozen=True, slots=True)
class MesaPassRun:
    """A run of one of Mesa's passes: the shader before, and after it (None: it changed nothing)."""

    pass_name: str
    line: int
    before: Shader
    after: Shader | None


def tasks(corpus: Path) -> Iterator[Task]:
    """One task a log, and one a fragment shader."""
    for path in sorted(corpus.glob("logs/*.log")):
        yield partial(count_log, path)
    for path in sorted(corpus.glob("pipelines/*/*/frag.io.nir")):
        yield partial(count_discards, path)


def count_log(path: Path) -> CaseTally:
    """Run each pass of a log on the shader that Mesa's pass got."""
    tally = CaseTally()
    for step in steps(path.read_bytes()):
        # In one step of opt_dce an array index is one of two equal constants; which one is not known.
        otherwise: Outcome = "other" if step.pass_name == "nir_opt_dce" else "wrong"
        compare(tally, step, f"{path.name}:{step.line}", otherwise)
    return tally


def count_discards(path: Path) -> CaseTally:
    """Run the discard passes on a fragment shader with lowered I/O, `frag.io.nir`."""
    tally = CaseTally()
    where = f"{path.parent.parent.name}/{path.parent.name}"
    before = parse_dump(path.read_bytes())
    for name, kind in ((CONDITIONAL, "conddiscard"), (MOVED, "movediscard")):
        printed = path.with_name(f"frag.{kind}.nir")
        after = parse_dump(printed.read_bytes()) if printed.is_file() else None
        compare(tally, MesaPassRun(name, 0, before, after), where)
        before = before if after is None else after
    return tally


def steps(log: bytes) -> Iterator[MesaPassRun]:
    """The passes of a log whose shader is known, in order.

    Logs of linking go back and forth between shaders: which one a pass ran on shows in the next dump.
    """
    events: list[tuple[int, int, str]] = [(dump.start, dump.end, "") for dump in split_dumps(log)]
    events += [(match.start(), match.end(), match.group().decode()) for match in _PASS_NAME.finditer(log)]
    current: Shader | None = None
    current_head: list[bytes] = []
    names: list[tuple[str, int]] = []
    for start, end, name in sorted(events):
        if name:
            names.append((name.strip(), log.count(b"\n", 0, start) + 1))
            continue
        head = _SAME_SHADER.findall(log, start, end)
        shader = parse_dump(log[start:end])
        chain_ended = any(passed == _LAST_OF_A_CHAIN for passed, _ in names)
        if current is not None and head == current_head and names and not chain_ended:
            for passed, line in names[:-1]:
                yield MesaPassRun(passed, line, current, None)
            yield MesaPassRun(*names[-1], current, shader)
        current, current_head, names = shader, head, []


def compare(tally: CaseTally, step: MesaPassRun, where: str, otherwise: Outcome = "wrong") -> None:
    """Count whether our pass makes the same of a shader as Mesa's, and reports progress where that did."""
    run = PASSES.get(step.pass_name)
    if run is None:
        return
    result = clone_shader(step.before)
    progress = run(result)
    expected = clone_shader(step.before if step.after is None else step.after)
    for tidy in _TIDIED.get(step.pass_name, ()):
        tidy(result)
        tidy(expected)
    found = difference(result, expected)
    has_changed = step.after is not None and difference(step.before, step.after) is not None
    row = f"{step.pass_name}: {'changed' if has_changed else 'left alone'} by Mesa"
    if found is None and progress == has_changed:
        tally.add(row, "right")
    else:
        tally.add(row, otherwise if has_changed else "wrong", f"{where}: {found or 'progress differs'}")
