"""All linking steps for one pair of stages, in Mesa's order (Mesa: `nir_opt_varyings`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nirls.ir.io.access import AccessKind
from nirls.ir.model.shader import Shader
from nirls.passes.cleanup.opt_cse import opt_cse
from nirls.passes.cleanup.opt_dce import opt_dce
from nirls.passes.varyings.dead_io_plan import Action, DemoteAccess, RemoveStore, plan
from nirls.passes.varyings.interface.accesses import Linkage, Unlinkable, link
from nirls.passes.varyings.interface.decisions import Fate, Journal, Step, StepObstacle
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.reader import read_interface
from nirls.passes.varyings.interface.scalar_slots import LinkProgress
from nirls.passes.varyings.motion.backward_motion import move_backward
from nirls.passes.varyings.motion.convergence import find_convergent
from nirls.passes.varyings.motion.deduplicate import deduplicate
from nirls.passes.varyings.motion.forward_motion import move_forward
from nirls.passes.varyings.motion.propagate import propagate
from nirls.passes.varyings.opt_varyings_dead_io import apply
from nirls.passes.varyings.packing.assign import pack


def link_pair(
    producer: Shader, consumer: Shader, options: LinkOptions, journal: Journal | None = None
) -> LinkProgress | Unlinkable:
    """Optimize the varyings between two shaders in place; return the progress or the obstacle.

    The decisions are added to `journal`.
    """
    progress = LinkProgress(journal=journal)
    linkage = link(producer, consumer)
    if isinstance(linkage, Unlinkable):
        return linkage
    if not any(linkage.accesses()):
        return progress
    if journal is not None:
        journal.begin(linkage)
    for shader in (producer, consumer):
        # Mesa links optimized shaders: dead code must not count as a reader of an input or of a value.
        if opt_dce(shader):
            progress.mark(shader)
    remove_dead(producer, consumer, progress)
    interface = read_interface(producer, consumer, options, progress)
    if isinstance(interface, Unlinkable):
        # Removal of dead varyings works on partial information; the other steps need every access.
        if journal is not None:
            journal.notes[Step.ACCESS] = StepObstacle(Step.ACCESS, interface.code, interface.message)
        return progress
    if journal is not None:
        _note_steps_that_are_off(journal, options, interface.options)
    options = interface.options
    if options.propagate:
        propagate(interface)
    if options.deduplicate:
        deduplicate(interface)
    # Merge equal loads: an input with several loads is not considered for backward motion.
    if opt_cse(consumer):
        progress.mark(consumer)
    remove_dead(producer, consumer, progress)
    interface = read_interface(producer, consumer, options, progress)
    if isinstance(interface, Unlinkable):
        return progress
    find_convergent(interface)
    if options.move_code:
        move_backward(interface)
    if options.move_forward:
        # Runs after backward motion, which would otherwise find less and which removes code from the
        # consumer.
        move_forward(interface)
    if options.pack:
        pack(interface)
    return progress


def remove_dead(producer: Shader, consumer: Shader, progress: LinkProgress) -> None:
    """Remove dead varyings (step 2) and set `no_varying`, which Mesa does not count as progress."""
    linkage = link(producer, consumer)
    if isinstance(linkage, Unlinkable):
        return
    actions = plan(linkage)
    if progress.journal is not None:
        _record(progress.journal, linkage, actions)
    for shader in apply(linkage, actions):
        progress.mark(shader)
    for action in actions:
        if isinstance(action, DemoteAccess):
            continue
        if action.access.kind is AccessKind.INPUT_LOAD:
            progress.consumer = True
        else:
            progress.producer = True


def _record(journal: Journal, linkage: Linkage, actions: Iterable[Action]) -> None:
    """Add the plan of step 2 to the journal: what is removed, replaced, or stays for other readers."""
    removed: dict[int, bool] = {}
    for action in actions:
        halves = linkage.halves(action.access)
        if isinstance(action, RemoveStore):
            removed.update(dict.fromkeys(halves, True))
        elif isinstance(action, DemoteAccess):
            journal.affect(
                halves,
                Step.DEAD,
                Fate.NO_VARYING,
                f"only {' and '.join(action.readers)} {_reads(action.readers)} it",
                gone=False,
            )
        else:
            values = action.values
            text = "undefined" if values is None else ", ".join(f"{value:g}" for value in values)
            what = "read as" if action.access.is_output else "so it reads as"
            written = f"never written by the {linkage.producer_stage.abbreviation}, {what} {text}"
            journal.affect(halves, Step.DEAD, Fate.UNWRITTEN, written, gone=True)
    consumer = linkage.consumer_stage.abbreviation
    for half in removed:
        record = journal.records.get(half)
        text = f"never read by the {consumer}"
        if record is not None and record.was_read:
            text = f"its value is not used in the {consumer}"
        journal.affect((half,), Step.DEAD, Fate.REMOVED, text, gone=True)


def _reads(readers: Sequence[str]) -> str:
    return "reads" if len(readers) == 1 else "read"


def _note_steps_that_are_off(journal: Journal, given: LinkOptions, used: LinkOptions) -> None:
    """Record the steps that an option or the float controls of the stages switch off."""
    for name, step in _SWITCHES.items():
        if not getattr(given, name):
            obstacle = StepObstacle(step, "option", f"the option {name} is off", f"the option {name} was on")
        elif not getattr(used, name):
            obstacle = StepObstacle(step, "float-controls", "the float controls of the stages differ")
        else:
            continue
        journal.notes[step] = obstacle


_SWITCHES = {
    "propagate": Step.PROPAGATION,
    "deduplicate": Step.DEDUPLICATION,
    "move_code": Step.BACKWARD,
    "move_forward": Step.FORWARD,
    "pack": Step.PACKING,
}
"""The options that switch steps on."""
