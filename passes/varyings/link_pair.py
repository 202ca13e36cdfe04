"""All linking steps for one pair of stages, in Mesa's order (Mesa: `nir_opt_varyings`)."""

from __future__ import annotations

from nirls.ir.io.access import AccessKind
from nirls.ir.model.shader import Shader
from nirls.passes.cleanup.opt_cse import opt_cse
from nirls.passes.cleanup.opt_dce import opt_dce
from nirls.passes.varyings.accesses import Unlinkable, link
from nirls.passes.varyings.backward_motion import move_backward
from nirls.passes.varyings.convergence import find_convergent
from nirls.passes.varyings.dead_io_plan import DemoteAccess, plan
from nirls.passes.varyings.deduplicate import deduplicate
from nirls.passes.varyings.forward_motion import move_forward
from nirls.passes.varyings.link_options import LinkOptions
from nirls.passes.varyings.opt_varyings_dead_io import apply
from nirls.passes.varyings.packing import pack
from nirls.passes.varyings.propagate import propagate
from nirls.passes.varyings.scalar_slots import Progress, read_interface
from nirls.passes.varyings.uniform_variables import UniformVariables


def link_pair(producer: Shader, consumer: Shader, options: LinkOptions) -> Progress | Unlinkable:
    """Optimize the varyings between two shaders in place; return the progress or the obstacle."""
    progress = Progress()
    linkage = link(producer, consumer)
    if isinstance(linkage, Unlinkable):
        return linkage
    if not any(linkage.accesses()):
        return progress
    for shader in (producer, consumer):
        # Mesa links optimized shaders: dead code must not count as a reader of an input or of a value.
        if opt_dce(shader):
            progress.mark(shader)
    remove_dead(producer, consumer, progress)
    interface = read_interface(producer, consumer, options, progress)
    if isinstance(interface, Unlinkable):
        # Removal of dead varyings works on partial information; the other steps need every access.
        return progress
    options = interface.options
    variables = UniformVariables(producer, consumer, options)
    if options.propagate:
        propagate(interface, variables)
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
        move_backward(interface, variables)
    if options.move_forward:
        # Runs after backward motion, which would otherwise find less and which removes code from the
        # consumer.
        move_forward(interface, variables)
    if options.pack:
        pack(interface)
    return progress


def remove_dead(producer: Shader, consumer: Shader, progress: Progress) -> None:
    """Remove dead varyings (step 2) and set `no_varying`, which Mesa does not count as progress."""
    linkage = link(producer, consumer)
    if isinstance(linkage, Unlinkable):
        return
    actions = plan(linkage)
    for shader in apply(linkage, actions):
        progress.mark(shader)
    for action in actions:
        if isinstance(action, DemoteAccess):
            continue
        if action.access.kind is AccessKind.INPUT_LOAD:
            progress.consumer = True
        else:
            progress.producer = True
