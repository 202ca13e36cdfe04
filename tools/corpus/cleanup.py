"""How far the clean-up passes agree with Mesa's: the shader before and after each pass in a debug log.

`NIR_DEBUG=print` writes the name of every pass, and the shader behind those that changed it. A step is a name
with the shader as it was before it; a pass agrees if it makes the same of that shader, or leaves it alone
where Mesa did (or changed only what dumps do not show).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from nirls.ir.analysis.compare import difference
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.text.dumps import split_dumps
from nirls.ir.text.parse import parse_dump
from nirls.passes.cleanup.opt_cse import opt_cse
from nirls.passes.cleanup.opt_dce import opt_dce

_PASS_NAME = re.compile(rb"^nir_[a-z0-9_]+\r?$", re.MULTILINE)
_SAME_SHADER = re.compile(rb"^(?:shader|source_blake3):.*$", re.MULTILINE)

PASSES: Mapping[str, tuple[str, str]] = {
    "nir_copy_prop": ("nirls.passes.cleanup.copy_prop", "copy_prop"),
    "nir_opt_dce": ("nirls.passes.cleanup.opt_dce", "opt_dce"),
    "nir_opt_cse": ("nirls.passes.cleanup.opt_cse", "opt_cse"),
    "nir_opt_constant_folding": ("nirls.passes.cleanup.opt_constant_folding", "opt_constant_folding"),
    "nir_opt_dead_cf": ("nirls.passes.cleanup.opt_dead_cf", "opt_dead_cf"),
    "nir_opt_remove_phis": ("nirls.passes.cleanup.opt_remove_phis", "opt_remove_phis"),
    "nir_opt_undef": ("nirls.passes.cleanup.opt_undef", "opt_undef"),
    "nir_lower_alu_to_scalar": ("nirls.passes.cleanup.lower_alu_to_scalar", "lower_alu_to_scalar"),
    "nir_lower_io_to_scalar": ("nirls.passes.cleanup.lower_io_to_scalar", "lower_io_to_scalar"),
    "nir_lower_phis_to_scalar": ("nirls.passes.cleanup.lower_phis_to_scalar", "lower_phis_to_scalar"),
    "nir_opt_conditional_discard": ("nirls.passes.discards.opt_discard_if", "opt_discard_if"),
    "nir_opt_move_discards_to_top": (
        "nirls.passes.discards.opt_move_discards_to_top",
        "opt_move_discards_to_top",
    ),
}


# Mesa leaves a move beside the vector that takes its place; here the move turns into it.
# Removing control flow, Mesa copies derefs into the blocks that use them.
_TIDIED = {
    "nir_copy_prop": (opt_dce,),
    "nir_opt_dead_cf": (opt_cse, opt_dce),
}
# The passes at the end of the chain that made the logs; what follows them starts from an earlier shader.
_LAST_OF_A_CHAIN = "nir_opt_move_discards_to_top"


@dataclass(frozen=True, slots=True)
class Step:
    """One pass in a log: the shader it started from, and the shader it printed (None: it changed nothing)."""

    pass_name: str
    line: int
    before: Shader
    after: Shader | None


@dataclass(slots=True)
class Agreement:
    """Counts for one pass. `differences` says where, as `file:line: what`."""

    changed: int = 0
    changed_same: int = 0
    unchanged: int = 0
    unchanged_same: int = 0
    differences: tuple[str, ...] = ()


def steps(log: bytes) -> Iterator[Step]:
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
                yield Step(passed, line, current, None)
            yield Step(*names[-1], current, shader)
        current, current_head, names = shader, head, []


def agreement(logs: Path) -> dict[str, Agreement]:
    """The counts of every pass that there is, over all `*.log` files of a folder."""
    counts: dict[str, Agreement] = {}
    for path in sorted(logs.glob("*.log")):
        for step in steps(path.read_bytes()):
            run = _function(step.pass_name)
            if run is not None:
                _compare(step, run, counts.setdefault(step.pass_name, Agreement()), path.name)
    return counts


def _compare(step: Step, run: Callable[[Shader], bool], count: Agreement, file: str) -> None:
    result = clone_shader(step.before)
    progress = run(result)
    expected = clone_shader(step.before if step.after is None else step.after)
    for tidy in _TIDIED.get(step.pass_name, ()):
        tidy(result)
        tidy(expected)
    found = difference(result, expected)
    if step.after is None or difference(step.before, step.after) is None:
        count.unchanged += 1
        count.unchanged_same += found is None and not progress
    else:
        count.changed += 1
        count.changed_same += found is None and progress
    if found is not None:
        count.differences += (f"{file}:{step.line}: {found}",)


def _function(pass_name: str) -> Callable[[Shader], bool] | None:
    if pass_name not in PASSES:
        return None
    module, function = PASSES[pass_name]
    try:
        found: Callable[[Shader], bool] = getattr(import_module(module), function)
    except ModuleNotFoundError:
        return None
    return found


def main() -> None:
    """Print the counts for the corpus beside the project."""
    corpus = Path(__file__).resolve().parents[2] / "shared" / "corpus"
    for name, count in agreement(corpus / "logs").items():
        print(
            f"{name:32} changed {count.changed_same}/{count.changed}  "
            f"unchanged {count.unchanged_same}/{count.unchanged}"
        )
        for text in count.differences:
            print(f"    {text}")


if __name__ == "__main__":
    main()
