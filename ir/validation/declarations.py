"""The header and the declarations: stage, variables, and the slots they name."""

from __future__ import annotations

from nirls.ir.model.shader import Variable
from nirls.ir.model.stage import Stage
from nirls.ir.validation.reporter import Reporter
from nirls.ir.validation.stages import KNOWN_MODES, stage_words, stages_of_mode

_SLOT_PREFIXES = ("VARYING_SLOT_", "VERT_ATTRIB_", "FRAG_RESULT_")


def check_header(reporter: Reporter) -> None:
    """The stage is one that Mesa has."""
    shader = reporter.shader
    field = next((item for item in shader.header if item.key == "shader"), None)
    if field is not None and shader.stage is None:
        reporter.report("unknown-stage", f"{field.value or 'nothing'} is not a shader stage", field.span)


def check_variables(reporter: Reporter) -> None:
    """The mode and the slot of each variable belong to the stage."""
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
    """Inputs and outputs name slots of the enumeration of the stage and direction."""
    location = variable.location
    if location is None or variable.mode not in ("shader_in", "shader_out"):
        return
    prefix = next((prefix for prefix in _SLOT_PREFIXES if location.startswith(prefix)), None)
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
