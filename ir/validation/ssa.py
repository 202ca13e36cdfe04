"""Checks of SSA form: unique definitions, defined uses, dominance, and phi sources.

The rules are those of validate_def, validate_ssa_dominance and validate_phi_srcs in Mesa.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

from nirls.ir.analysis.dominance import DominatorTree, dominance
from nirls.ir.finding import counted
from nirls.ir.model.control_flow import Block, FunctionImpl, If
from nirls.ir.model.instructions import Instr, LoadConstInstr, ParallelCopyInstr, PhiInstr
from nirls.ir.model.shader import Dialect
from nirls.ir.model.values import VALID_BIT_SIZES, VALID_COMPONENT_COUNTS, Def
from nirls.ir.validation.reporter import Reporter

_DEFINITION = re.compile(r"(?:%|ssa_)(\d{1,9})\s*=")
_LONGEST_LINE = 10_000


def check_definitions(blocks: Sequence[Block], reporter: Reporter) -> None:
    """Check that definitions are unique, their sizes valid, and constants within their sizes."""
    first: dict[int, Def] = {}
    for instr in chain.from_iterable(blocks):
        value = instr.def_
        if value is not None:
            known = first.setdefault(value.index, value)
            if known is not value:
                _report_duplicate(value, known, instr, reporter)
            if value.bit_size not in VALID_BIT_SIZES or value.num_components not in VALID_COMPONENT_COUNTS:
                _report_size(value, instr, reporter)
            if isinstance(instr, LoadConstInstr):
                _check_constant(instr, reporter)
        elif isinstance(instr, ParallelCopyInstr):
            for copied in instr.defs():
                known = first.setdefault(copied.index, copied)
                if known is not copied:
                    _report_duplicate(copied, known, instr, reporter)
                _report_size(copied, instr, reporter)


def _report_size(value: Def, instr: Instr, reporter: Reporter) -> None:
    """Report invalid sizes; a size of 0 is unknown."""
    if value.num_components and value.num_components not in VALID_COMPONENT_COUNTS:
        message = f"{reporter.name_of(value)} has {value.num_components} components"
        reporter.report("bad-component-count", message, reporter.place_of_dest(instr))
    if value.bit_size and value.bit_size not in VALID_BIT_SIZES:
        message = f"{reporter.name_of(value)} has {value.bit_size} bits"
        reporter.report("bad-bit-size", message, reporter.place_of_dest(instr))


def check_uses(impl: FunctionImpl, blocks: Sequence[Block], reporter: Reporter) -> None:
    """Check that every used value is defined, and that its definition dominates the use."""
    _check_undefined(impl, reporter)
    _Dominance(impl, blocks, reporter).check()


def _report_duplicate(value: Def, known: Def, instr: Instr, reporter: Reporter) -> None:
    name = reporter.name_of(value)
    related = [] if known.instr is None else [(known.instr.span, f"{name} is defined here first")]
    message = f"{name} is defined more than once"
    reporter.report("duplicate-value", message, reporter.place_of_dest(instr), related=related)


def _check_constant(instr: LoadConstInstr, reporter: Reporter) -> None:
    value = instr.def_
    if value is None or not value.num_components:
        return
    if len(instr.values) != value.num_components:
        counts = f"{value.num_components} components, but {len(instr.values)} constants"
        message = f"{reporter.name_of(value)} has {counts}"
        reporter.report("bad-constant", message, instr.span)
    if value.bit_size in VALID_BIT_SIZES:
        limit = 1 << value.bit_size
        for number in instr.values:
            if not 0 <= number < limit:
                message = f"{number:#x} does not fit the {value.bit_size} bits of {reporter.name_of(value)}"
                reporter.report("bad-constant", message, instr.span)


def _check_undefined(impl: FunctionImpl, reporter: Reporter) -> None:
    lost = _defined_in_unreadable_lines(reporter) if impl.undefined_references else frozenset()
    for value in impl.undefined_references:
        if value.index in lost:
            continue
        name = reporter.name_of(value)
        for user in value.users():
            where = reporter.place_of_name(user.span, name)
            reporter.report("undefined-value", f"{name} is not defined", where)


def _defined_in_unreadable_lines(reporter: Reporter) -> frozenset[int]:
    """Return the value numbers defined in unreadable lines, which are reported themselves."""
    return frozenset(
        int(match.group(1))
        for line in reporter.shader.unreadable
        for match in _DEFINITION.finditer(line.text[:_LONGEST_LINE])
    )


class _Dominance:
    """Dominance check of all uses in one function."""

    def __init__(self, impl: FunctionImpl, blocks: Sequence[Block], reporter: Reporter) -> None:
        self.impl = impl
        self.reporter = reporter
        self.tree: DominatorTree = dominance(impl)
        self.is_modern = reporter.shader.dialect is Dialect.MODERN  # no register indices
        self.blocks = {*blocks, impl.end_block}

    def check(self) -> None:
        before_if: Block | None = None
        for node in self.impl.cf_nodes():
            if isinstance(node, Block):
                self._check_block(node)
                before_if = node
            elif isinstance(node, If):
                self._check_condition(node, before_if)

    def _check_block(self, block: Block) -> None:
        defined: set[Def] = set()
        above: set[Block] = set()
        for instr in block:
            if isinstance(instr, PhiInstr):
                self._check_phi(instr)
            else:
                for src in instr.srcs() if self.is_modern else instr.all_srcs():
                    value = src.def_
                    if value is None or value in defined or value.instr is None:
                        continue
                    home = value.instr.block
                    if home in above:
                        continue
                    if home is None or home is block or not self.tree.dominates(home, block):
                        self._report(value, instr)
                    else:
                        above.add(home)
            if instr.def_ is not None:
                defined.add(instr.def_)
            else:
                defined.update(instr.defs())

    def _check_phi(self, phi: PhiInstr) -> None:
        for src in phi.sources:
            value = src.def_
            if value is None or value.instr is None or src.pred not in self.blocks:
                continue
            home = value.instr.block
            if home is None or not self.tree.dominates(home, src.pred):
                self._report(value, phi, src.pred)

    def _check_condition(self, node: If, before: Block | None) -> None:
        value = node.condition.def_
        if value is None or value.instr is None or before is None:
            return
        home = value.instr.block
        if home is None or not self.tree.dominates(home, before):
            self._report(value, node)

    def _report(self, value: Def, user: Instr | If, pred: Block | None = None) -> None:
        name = self.reporter.name_of(value)
        definition = None if value.instr is None else value.instr.span
        message = f"{name} is not defined on every path to this use"
        if pred is not None:
            message = f"{name} is not defined on every path to the end of {self.reporter.name_of(pred)}"
        elif isinstance(user, Instr) and value.instr is not None and value.instr.block is user.block:
            message = f"{name} is used before its definition{_distance(user, value.instr)}"
        self.reporter.report(
            "dominance",
            message,
            self.reporter.place_of_name(user.span, name),
            related=[(definition, f"{name} is defined here")],
        )


def _distance(user: Instr, definition: Instr) -> str:
    """Say how far below a definition stands: its line in the document is not known here."""
    if user.span is None or definition.span is None:
        return ""
    lines = definition.span.line - user.span.line
    return f" ({counted(lines, 'line')} below)" if lines > 0 else ""


def check_phi(phi: PhiInstr, block: Block, reporter: Reporter) -> None:
    """Check that a phi is at the start of its block and has one source of its size per predecessor."""
    if phi.prev is not None and not isinstance(phi.prev, PhiInstr):
        message = f"phi after other instructions of {reporter.name_of(block)}"
        reporter.report("phi-position", message, phi.span)
    _check_phi_sources(phi, block, reporter)
    _check_phi_sizes(phi, reporter)


def _check_phi_sources(phi: PhiInstr, block: Block, reporter: Reporter) -> None:
    given: set[Block] = set()
    preds = set(block.predecessors)
    for src in phi.sources:
        if src.pred in given:
            message = f"phi has two sources from {reporter.name_of(src.pred)}"
            reporter.report("phi-sources", message, phi.span)
        elif src.pred not in preds:
            pred = reporter.name_of(src.pred)
            message = f"{pred} is not a predecessor of {reporter.name_of(block)}"
            reporter.report("phi-sources", message, reporter.place_of_name(phi.span, pred))
        given.add(src.pred)
    missing = [pred for pred in block.predecessors if pred not in given]
    if missing:
        names = ", ".join(reporter.name_of(pred) for pred in missing)
        reporter.report("phi-sources", f"phi has no source from {names}", phi.span)


def _check_phi_sizes(phi: PhiInstr, reporter: Reporter) -> None:
    dest = phi.def_ if phi.def_ is not None else phi.reg_dest.reg if phi.reg_dest is not None else None
    if dest is None:
        return
    for position, src in enumerate(phi.sources):
        if src.bit_size and dest.bit_size and src.bit_size != dest.bit_size:
            message = f"{reporter.name_of(src)} has {src.bit_size} bits, but the phi has {dest.bit_size}"
            reporter.report("bad-bit-size", message, reporter.place_of_source(phi, position))
        elif src.num_components and dest.num_components and src.num_components != dest.num_components:
            counts = f"{src.num_components} components, but the phi has {dest.num_components}"
            message = f"{reporter.name_of(src)} has {counts}"
            reporter.report("bad-component-count", message, reporter.place_of_source(phi, position))
