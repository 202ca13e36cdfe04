"""Printing of a shader from its IR alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from nirls.ir.model.control_flow import Block, FunctionImpl, If, Loop
from nirls.ir.model.instructions import AluInstr, DerefInstr, Instr, IntrinsicInstr, ParallelCopyInstr
from nirls.ir.model.math_control import words_of_comment
from nirls.ir.model.shader import Dialect, Function, HeaderField, Shader, Variable
from nirls.ir.model.values import Register
from nirls.ir.text.printing.lines import LineKind, LineSlot, RenderedLine, layout
from nirls.ir.text.printing.style import FunctionStyle, PrintStyle
from nirls.ir.text.printing.variable_names import VariableNames, is_named_access
from nirls.ir.text.printing.writers import InstrWriter, cast_facts, comment_words, register_name, writer_for

# Variables of these modes are printed without the mode.
_SILENT_MODES = frozenset(("function_temp", "shader_temp"))


def variable_text(variable: Variable, style: PrintStyle) -> str:
    """Return a `decl_var` line, without its comment."""
    mode = "" if variable.mode in _SILENT_MODES else variable.mode
    access = " ".join([word for word in variable.access if word != "none"])
    if not access and style.dialect is Dialect.MODERN and style.access_word:
        access = "none"
    words = (access, variable.image_format, variable.precision)
    details = [*(word for word in words if word), variable.type_name]
    qualifiers = "".join([f"{word} " for word in variable.qualifiers])
    text = f"decl_var {qualifiers}{mode} {variable.interpolation} {' '.join(details)} {variable.name}"
    if variable.location is not None:
        text = f"{text} ({', '.join([variable.location, *variable.data])})"
    for word in variable.trailing:
        text = f"{text} {word}"
    return text if variable.initializer is None else f"{text} = {variable.initializer}"


def register_text(reg: Register) -> str:
    """Return a `decl_reg` line of old dialects: `decl_reg vec4 32 r0[2]`."""
    name = "" if reg.name is None else f"{reg.name} "
    size = f"[{reg.num_array_elems}]" if reg.num_array_elems else ""
    return f"decl_reg {name}vec{reg.num_components} {reg.bit_size} {register_name(reg)}{size}"


def function_text(function: Function) -> str:
    """Return a `decl_function` line."""
    return f"{function.keyword} {function.name}{function.text.rstrip()}"


INDEX_COMMENTS = re.compile(r"\A\s*(?:/\* ?[a-z]\w*=[^*]*\*/\s*+)+")
ACCESS_COMMENT = re.compile(r"\A\s*/\* \S+ \*/")
_DIVERGENCE: Mapping[bool | None, str] = {True: "div ", False: "con ", None: ""}
# Columns of a modern line before the `=`, with a one-digit number: `32x4   %0 = `.
_COLUMNS_BEFORE_VALUE = 10
_DIVERGENCE_COLUMNS = 4
# No real shader nests deeper; unlimited indentation would take memory quadratic in the depth.
_DEEPEST_INDENTATION = 100


def render(shader: Shader, style: PrintStyle | None = None) -> list[RenderedLine]:
    """Render the lines of a shader like Mesa's printer for the style's dialect.

    Only Mesa's own comments are printed; see `Renderer.remark` for those of the user. The default style
    is that of the dump the shader was read from.
    """
    renderer = Renderer(shader, style or PrintStyle.of(shader))
    return [RenderedLine(slot.kind, slot.node, renderer.line(slot)) for slot in renderer.slots()]


def fresh(
    shader: Shader,
    style: PrintStyle | None = None,
    remarks: Mapping[Instr, str] | None = None,
    above: Mapping[Instr, Sequence[str]] | None = None,
) -> bytes:
    """Return the text of `render`, with the given comments after instructions and on lines above them."""
    style = style or PrintStyle.of(shader)
    renderer = Renderer(shader, style)
    slots = renderer.slots()
    lines = [renderer.line(slot) for slot in slots]
    if remarks:
        for position, slot in enumerate(slots):
            remark = remarks.get(slot.node) if isinstance(slot.node, Instr) else None
            if remark is not None:
                lines[position] = f"{lines[position]}  {remark}"
    for position, slot in enumerate(slots if above else ()):
        if above and isinstance(slot.node, Instr) and slot.node in above:
            indent = renderer.indent(slot)
            comments = [f"{indent}{comment}" for comment in above[slot.node]]
            lines[position] = style.newline.join([*comments, lines[position]])
    return "".join([f"{line}{style.newline}" for line in lines]).encode()


class Renderer:
    """Renders the lines of one shader in one style."""

    __slots__ = ("_names", "_paddings", "_writers", "shader", "style")

    def __init__(self, shader: Shader, style: PrintStyle) -> None:
        self.shader = shader
        self.style = style
        self._names = VariableNames(shader)
        self._writers: dict[FunctionImpl | None, InstrWriter] = {}
        self._paddings: dict[Block, int] = {}

    def slots(self) -> list[LineSlot]:
        """Return the lines of the shader, in order."""
        return list(layout(self.shader, self.style.dialect))

    def line(self, slot: LineSlot) -> str:
        """Return a line with its indentation and Mesa's comment."""
        if slot.kind is LineKind.INSTR:
            assert isinstance(slot.node, Instr)
            writer = self.writer(slot.impl)
            body = f"{writer.text(slot.node)}{writer.comment(slot.node)}"
        else:
            body = self.body(slot)
        return f"{self.margin(slot)}{body}" if body else ""

    def indent(self, slot: LineSlot) -> str:
        """Return the indentation of a line."""
        return self.style.indent * min(slot.depth, _DEEPEST_INDENTATION)

    def margin(self, slot: LineSlot) -> str:
        """Return the text before a line's content: its indentation, and the columns of a missing value."""
        indent = self.indent(slot)
        if slot.block is None or self.style.dialect is not Dialect.MODERN or slot.kind is LineKind.BLOCK:
            return indent
        node = slot.node
        if isinstance(node, Instr) and (
            node.def_ is not None or node.reg_dest is not None or isinstance(node, ParallelCopyInstr)
        ):
            return indent
        return indent + " " * self.padding(slot.block, slot.impl)

    def padding(self, block: Block, impl: FunctionImpl | None) -> int:
        """Return the blank columns of a modern line without a value, which align it after the `=`.

        A block without any value has no blank columns (Mesa: print_no_dest_padding).
        """
        columns = self._paddings.get(block)
        if columns is None:
            columns = 0
            if any(instr.def_ is not None or isinstance(instr, ParallelCopyInstr) for instr in block):
                columns = value_columns(self.function_style(impl))
            self._paddings[block] = columns
        return columns

    def body(self, slot: LineSlot) -> str:
        """Return the text of a line without its margin and without its instruction's comment."""
        node = slot.node
        match slot.kind:
            case LineKind.INSTR:
                assert isinstance(node, Instr)
                return self.writer(slot.impl).text(node)
            case LineKind.BLOCK:
                assert isinstance(node, Block)
                return self._block(node, slot.impl)
            case LineKind.PREDECESSORS:
                assert isinstance(node, Block)
                return f"/* preds: {''.join([f'block_{i} ' for i in _pred_indices(node)])}*/"
            case LineKind.SUCCESSORS:
                assert isinstance(node, Block)
                if self.style.dialect is Dialect.MODERN:
                    return f"// succs:{self._modern_names(_succ_indices(node))}"
                return f"/* succs: {''.join([f'block_{i} ' for i in _succ_indices(node)])}*/"
            case LineKind.IF:
                assert isinstance(node, If)
                comment = self._control_comment(node.comment)
                return f"if {self.writer(slot.impl).src(node.condition)}{comment} {{"
            case LineKind.ELSE:
                return "} else {"
            case LineKind.LOOP:
                assert isinstance(node, Loop)
                word = self._divergence(node.divergent, slot.impl)
                return f"{word}loop{self._control_comment(node.comment)} {{"
            case LineKind.CONTINUE:
                return "} continue {"
            case LineKind.END:
                return "}"
            case LineKind.HEADER:
                assert isinstance(node, HeaderField)
                return f"{node.key}: {node.value}"
            case LineKind.VARIABLE | LineKind.LOCAL:
                assert isinstance(node, Variable)
                return variable_text(node, self.style)
            case LineKind.REGISTER:
                assert isinstance(node, Register)
                return register_text(node)
            case LineKind.FUNCTION:
                assert isinstance(node, Function)
                return function_text(node)
            case LineKind.IMPL:
                assert isinstance(node, FunctionImpl)
                return f"impl {node.function.name} {{"
            case LineKind.PREAMBLE:
                assert isinstance(node, FunctionImpl)
                return f"preamble {node.preamble}"
            case LineKind.END_BLOCK:
                assert isinstance(node, Block)
                return f"block {self.writer(slot.impl).block_name(node.index)}:"
            case LineKind.BLANK:
                return ""

    def remark(self, slot: LineSlot) -> str:
        """Return the user's comment after a line, added to or replacing Mesa's comment; or ""."""
        node = slot.node
        if isinstance(node, Variable):
            return node.comment or ""
        if not isinstance(node, Instr) or node.comment is None:
            return ""
        writer = self.writer(slot.impl)
        if isinstance(node, AluInstr):
            words, rest = words_of_comment(node.comment)
            return (rest and f"// {rest}") if words else node.comment
        if isinstance(node, DerefInstr) and not node.cast_info and cast_facts(node):
            return ""
        if isinstance(node, IntrinsicInstr) and self.style.dialect is not Dialect.MODERN:
            return remark_of_older(node)
        own = writer.comment(node).strip()
        if not own:
            return node.comment
        return node.comment.removeprefix(own).strip() if node.comment.startswith(own) else node.comment

    def writer(self, impl: FunctionImpl | None) -> InstrWriter:
        """Return the writer for the instructions of a function."""
        writer = self._writers.get(impl)
        if writer is None:
            writer = writer_for(self.shader, self.style, self.function_style(impl), self._names)
            self._writers[impl] = writer
        return writer

    def function_style(self, impl: FunctionImpl | None) -> FunctionStyle:
        """Return the columns of a function."""
        return FunctionStyle() if impl is None else self.style.function(impl.function.name)

    def _block(self, block: Block, impl: FunctionImpl | None) -> str:
        if self.style.dialect is not Dialect.MODERN:
            return f"block block_{block.index}:"
        preds, succs = (self._modern_names(names(block)) for names in (_pred_indices, _succ_indices))
        label = f"block b{block.index}:"
        word = self._divergence(block.divergent, impl)
        if block.first is None:
            return f"{word}{label}  // preds:{preds}, succs:{succs}"
        gap = " " * (self.padding(block, impl) - len(label))
        return f"{word}{label}{gap}// preds:{preds}"

    def _divergence(self, divergent: bool | None, impl: FunctionImpl | None) -> str:
        if self.style.dialect is not Dialect.MODERN or not self.function_style(impl).divergence:
            return ""
        return _DIVERGENCE[divergent]

    def _modern_names(self, indices: list[int]) -> str:
        """Return the blocks after `preds:` or `succs:`, with the following space."""
        if self.style.space_behind_edges:
            return f" {''.join([f'b{index} ' for index in indices])}"
        return "".join([f" b{index}" for index in indices])

    def _control_comment(self, comment: str | None) -> str:
        if comment is None:
            return ""
        words = comment_words(comment)
        return f"  // {words}" if self.style.dialect is Dialect.MODERN else f" /* {words} */"


def remark_of_older(instr: IntrinsicInstr) -> str:
    """Return the user's comment behind an intrinsic, without the indices and the name that Mesa prints."""
    comment = INDEX_COMMENTS.sub("", instr.comment or "", count=1)
    return ACCESS_COMMENT.sub("", comment, count=1).strip() if is_named_access(instr) else comment.strip()


def value_columns(function: FunctionStyle) -> int:
    """Return the columns before the right-hand side of a modern line (calculate_padding_for_no_dest)."""
    return _COLUMNS_BEFORE_VALUE + function.number_width + (_DIVERGENCE_COLUMNS if function.divergence else 0)


def _pred_indices(block: Block) -> list[int]:
    return sorted([pred.index for pred in block.predecessors])


def _succ_indices(block: Block) -> list[int]:
    return [successor.index for successor in block.successors]
