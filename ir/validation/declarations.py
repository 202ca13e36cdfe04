"""Checks of a dump outside of function bodies: unreadable lines, header, variables, function signatures."""

from __future__ import annotations

import re

from nirls.ir.model.instructions import CallInstr
from nirls.ir.model.shader import Function, Variable
from nirls.ir.model.slots import SLOT_PREFIXES
from nirls.ir.model.stage import Stage
from nirls.ir.validation.indices import sizes_fit
from nirls.ir.validation.reporter import Reporter
from nirls.ir.validation.stages import KNOWN_MODES, stage_words, stages_of_mode

_LONGEST_QUOTE = 60


def check_text(reporter: Reporter) -> None:
    """Report unreadable lines, and `error:` lines of Mesa at the instruction above them."""
    for line in reporter.shader.unreadable:
        text = " ".join(line.text[: 4 * _LONGEST_QUOTE].split())
        quote = text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}..."
        reporter.report(
            "syntax", f"not a NIR instruction: `{quote}`" if quote else "not a NIR instruction", line.span
        )
    for annotation in reporter.shader.annotations:
        message = annotation.message.strip().removeprefix("error:").strip() or "error"
        if annotation.instr_span is None:
            reporter.report("mesa-validation", message, annotation.span)
            continue
        related = [(annotation.span, "Mesa printed this")]
        reporter.report("mesa-validation", message, annotation.instr_span, related=related)


def check_header(reporter: Reporter) -> None:
    """Check that the stage exists."""
    shader = reporter.shader
    field = next((item for item in shader.header if item.key == "shader"), None)
    if field is not None and shader.stage is None:
        reporter.report("unknown-stage", f"{field.value or 'nothing'} is not a shader stage", field.span)


def check_variables(reporter: Reporter) -> None:
    """Check that mode and slot of each variable exist in the stage."""
    shader = reporter.shader
    for variable in shader.variables:
        _check_variable(variable, shader.stage, reporter)
    for impl in shader.impls():
        for variable in impl.locals:
            _check_mode_name(variable, reporter)


def _check_variable(variable: Variable, stage: Stage | None, reporter: Reporter) -> None:
    _check_mode_name(variable, reporter)
    if stage is None:
        return
    stages = stages_of_mode(variable.mode)
    if stage not in stages:
        message = f"{variable.mode} variables exist in {stage_words(stages)}, not in {stage.abbreviation}"
        reporter.report("wrong-stage", message, variable.span)
        return
    _check_slot(variable, stage, reporter)


def _check_mode_name(variable: Variable, reporter: Reporter) -> None:
    if variable.mode and variable.mode not in KNOWN_MODES:
        place = reporter.place_of_name(variable.span, variable.mode)
        reporter.report("unknown-mode", f"{variable.mode} is not a variable mode", place)


def _check_slot(variable: Variable, stage: Stage, reporter: Reporter) -> None:
    """Check that the slot is of the enumeration for the stage and direction."""
    location = variable.location
    if location is None or variable.mode not in ("shader_in", "shader_out"):
        return
    prefix = next((prefix for prefix in SLOT_PREFIXES if location.startswith(prefix)), None)
    if prefix is None:
        return
    if variable.mode == "shader_in" and stage is Stage.VERTEX:
        wanted = "VERT_ATTRIB_"
    elif variable.mode == "shader_out" and stage is Stage.FRAGMENT:
        wanted = "FRAG_RESULT_"
    else:
        wanted = "VARYING_SLOT_"
    if prefix != wanted:
        message = f"a {variable.mode} variable in {stage.abbreviation} has a {wanted}*, not {location}"
        reporter.report("bad-slot", message, variable.span)


_COUNT = re.compile(r"\((\d+) params\)\s*\Z")
_MOST_DIGITS = 3


def parameter_sizes(function: Function) -> tuple[tuple[int, int], ...] | None:
    """Return (components, bits) of each parameter, (0, 0) if only their number is printed.

    None if the declaration does not show parameters, or more than any function has.
    """
    if function.params:
        return tuple((param.num_components, param.bit_size) for param in function.params)
    count = _COUNT.search(function.text)
    if count is not None:
        return ((0, 0),) * int(count.group(1)) if len(count.group(1)) <= _MOST_DIGITS else None
    return () if "(" in function.text else None


def check_call(call: CallInstr, reporter: Reporter) -> None:
    """Check number and sizes of the arguments; a function without declaration is a warning."""
    if call.op != "call":
        return  # called for each element of a matrix; its operands are not the parameters
    # The declaration may follow the call.
    callee = call.callee or reporter.functions.get(call.callee_name)
    if callee is None:
        message = f"{call.callee_name} is not declared in this dump"
        reporter.report("unknown-function", message, call.span)
        return
    params = parameter_sizes(callee)
    if params is None:
        return
    related = [(callee.span, f"{callee.name} is declared here")]
    given, wanted = len(call.arguments), len(params)
    if given != wanted:
        message = f"{callee.name} takes {wanted} argument{'s' * (wanted != 1)}, not {given}"
        reporter.report("bad-call", message, call.span, related=related)
        return
    for position, (source, (width, bits)) in enumerate(zip(call.arguments, params, strict=False)):
        if not sizes_fit(source, width, bits):
            message = (
                f"{reporter.name_of(source)} has {source.bit_size} bits and {source.num_components}"
                f" components, but the parameter has {bits} and {width}"
            )
            place = reporter.place_of_source(call, position + call.is_indirect)
            reporter.report("bad-call", message, place, related=related)
