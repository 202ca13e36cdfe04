"""The entry point of a shader with the functions that it calls in place of the calls.

The rule is that of `nir_inline_functions`: the body of the callee replaces the call, with the arguments for
its parameters and new variables for its locals. A local that is undefined at the second call of a function
has its last content in the copy. So the copy may stand for the shader before a pass, not for the one after.
"""

from __future__ import annotations

from dataclasses import replace

from nirls.ir.model.clone import CloneMap, NumberedClone, clone_shader
from nirls.ir.model.control_flow import FunctionImpl, instrs_of
from nirls.ir.model.instructions import CallInstr, IntrinsicInstr, JumpInstr, PhiInstr
from nirls.ir.model.shader import Shader

_MOST_CALLS = 500
"""Calls to replace; more are not worth the time, or the functions call themselves."""


def with_inlined_calls(shader: Shader) -> Shader | None:
    """Return a copy of a shader of which only the entry point is left, with all calls replaced.

    None if there is no call, or one that cannot be replaced: an indirect one, or one of a function that is
    unknown, returns early, uses registers or initializes its locals. None too if other code runs besides that
    of one entry point: a preamble, or other entry points.
    """
    copy = clone_shader(shader)
    entry = copy.entrypoint
    if entry is None or entry.preamble is not None or sum(one.is_entrypoint for one in copy.functions) > 1:
        return None
    if not any(isinstance(instr, CallInstr) for instr in entry.instrs()):
        return None
    numbers = NumberedClone(entry)
    for _ in range(_MOST_CALLS):
        call = next((instr for instr in entry.instrs() if isinstance(instr, CallInstr)), None)
        if call is None:
            entry.link_blocks()
            copy.functions = [entry.function]
            return copy
        if not _replaced(call, entry, numbers):
            return None
    return None


def _replaced(call: CallInstr, entry: FunctionImpl, numbers: NumberedClone) -> bool:
    """Replace a call by the body of the function, unless that is not possible."""
    callee = None if call.callee is None else call.callee.impl
    block = call.block
    if call.op != "call" or call.is_indirect or callee is None or block is None or block.parent is None:
        return False
    if callee.registers or any(variable.initializer is not None for variable in callee.locals):
        return False
    jumps = (instr for instr in callee.instrs() if isinstance(instr, JumpInstr))
    if any(jump.jump_kind not in ("break", "continue") for jump in jumps):
        return False
    remap = CloneMap()
    for variable in callee.locals:
        twin = replace(variable, name=f"{variable.name}@{numbers.next_value()}")
        remap.variables[id(variable)] = twin
        entry.locals.append(twin)
    body = numbers.nodes(callee.body, remap)
    rest = numbers.empty_block()
    for phi in (instr for instr in entry.instrs() if isinstance(instr, PhiInstr)):
        for src in phi.sources:
            if src.pred is block:
                src.pred = rest
    while (following := call.next) is not None:
        block.unlink(following)
        rest.append(following)
    nodes = next(nodes for _, nodes in entry.node_lists() if block in nodes)
    for node in (*body, rest):
        node.parent = block.parent
    at = nodes.index(block) + 1
    nodes[at:at] = [*body, rest]
    for instr in instrs_of(body):
        if isinstance(instr, IntrinsicInstr) and instr.name == "load_param" and instr.def_ is not None:
            number = instr.int_index("param_idx")
            argument = call.arguments[number].def_ if number < len(call.arguments) else None
            if argument is None:
                return False
            instr.def_.replace_all_uses_with(argument)
            instr.remove()
    call.remove()
    return True
