"""Calls against the declaration of the function."""

from __future__ import annotations

import re

from nirls.ir.model.instructions import CallInstr
from nirls.ir.model.shader import Function
from nirls.ir.validation.reporter import Reporter

_COUNT = re.compile(r"\((\d+) params\)\s*\Z")


def parameter_sizes(function: Function) -> tuple[tuple[int, int], ...] | None:
    """(components, bits) of each parameter; (0, 0) where only their number is printed.

    None where the declaration says nothing about them.
    """
    if function.params:
        return tuple((param.num_components, param.bit_size) for param in function.params)
    count = _COUNT.search(function.text)
    if count is not None:
        return ((0, 0),) * int(count.group(1))
    return () if "(" in function.text else None


def check_call(call: CallInstr, reporter: Reporter) -> None:
    """As many arguments as parameters, in their sizes. A function that the dump lacks is a warning."""
    if call.op != "call":
        return  # one call for each element of a matrix: its operands are not those of the function
    # A function may be declared below the call.
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
        wrong_width = width and source.num_components and width != source.num_components
        wrong_bits = bits and source.bit_size and bits != source.bit_size
        if wrong_width or wrong_bits:
            message = (
                f"{reporter.name_of(source)} has {source.bit_size} bits and {source.num_components}"
                f" components, but the parameter has {bits} and {width}"
            )
            place = reporter.place_of_source(call, position + call.is_indirect)
            reporter.report("bad-call", message, place, related=related)
