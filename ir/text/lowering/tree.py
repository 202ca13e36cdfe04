"""Lowering of the syntax tree of one dump to a shader.

Works on any tree: unreadable text is listed and left out, and control flow follows the tree even where braces
are missing or superfluous.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from nirls.ir.model.control_flow import Block, CfNode, CfParent, FunctionImpl, If, Loop
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Annotation, Function, Shader, UnreadableLine
from nirls.ir.model.span import Span
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import UNREADABLE_INDEX, Def, Src
from nirls.ir.text.attribute_numbers import attribute_numbers, set_attribute_numbers
from nirls.ir.text.dumps import ADDITIONAL_ERRORS
from nirls.ir.text.lowering.damage import find_damage
from nirls.ir.text.lowering.declarations import (
    read_function,
    read_header_field,
    read_register,
    read_variable,
    span_of,
)
from nirls.ir.text.lowering.excerpts import comments_for_omitted, stage_of_intrinsics, stands_for_others
from nirls.ir.text.lowering.known_lines import KnownLines
from nirls.ir.text.lowering.lines import MixedListError, number_in, read_line, read_value, text_of
from nirls.ir.text.lowering.scope import FunctionScope
from nirls.ir.text.release import detect_dialect

_LINES = KnownLines()
_ENDS_OF_BRANCHES = ("}", "} else {")
"""Lines of branches whose beginning is not in an excerpt."""
_NEWLINE = ord("\n")
_ERROR = re.compile(rb"error:([^\r\n]*)")
_DECLARATIONS = frozenset(
    ("header_field", "variable_declaration", "function_declaration", "register_declaration")
)
# Mesa never prints as many digits, and Python refuses to convert thousands of them.
_ENDLESS = 1000
_MESSAGE = re.compile(rb"[ \t]*+[Uu]n(?:handled|known|supported|expected) [^\r\n]*+\r?\n\r?\n")
_ENDLESS_NUMBER = re.compile(rb"[\da-fA-F]{%d}" % _ENDLESS)


def lower(root: Node, text: bytes) -> Shader:
    """Lower the first dump below `root`; without a dump the shader has no stage."""
    _LINES.begin_dump()
    dump = next((child for child in root.children if child.type == "dump"), root)
    shader = Shader(stage=None, dialect=detect_dialect(text), source=text)
    nodes = dump.named_children
    if _has_endless_number(text):
        readable = [node for node in nodes if node.type not in _DECLARATIONS or not _is_endless(node, text)]
        kept = {node.id for node in readable}
        shader.unreadable += [_unreadable(node, text) for node in nodes if node.id not in kept]
        nodes = readable
    # A call may refer to a function declared below it.
    shader.functions += [read_function(node, text) for node in nodes if node.type == "function_declaration"]
    bodies = _Bodies(shader, text)
    for node in nodes:
        match node.type:
            case "header_field":
                shader.header.append(read_header_field(node, text))
            case "variable_declaration":
                shader.variables.append(read_variable(node, text, is_local=False))
            case "function_impl":
                bodies.open(node)
            case "annotation":
                shader.annotations.append(_annotation(node, text, None))
            case "unreadable_line" | "stray_brace":
                shader.unreadable.append(_unreadable(node, text))
            case (
                "comment"
                | "function_declaration"
                | "preamble"
                | "register_declaration"
                | "struct_declaration"
                | "text_line"
            ):
                pass
            case _:
                if bodies.current is None and shader.annotations:
                    shader.omitted.append(_first_line(node, text))
                bodies.add_loose(node)
    bodies.finish()
    stage = shader.header_value("shader")
    shader.stage = None if stage is None else Stage.from_mesa_name(stage)
    shader.annotations += _additional_errors(text)
    if root.has_error:
        shader.unreadable += _parse_errors(root, text)
    shader.omitted += [line.span for line in shader.unreadable if stands_for_others(line.text)]
    shader.unreadable = [
        line
        for line in shader.unreadable
        if not stands_for_others(line.text) and not line.text.endswith(" additional errors:")
    ]
    shader.omitted += comments_for_omitted(text)
    shader.unreadable.sort(key=lambda item: item.span)
    if shader.is_excerpt:
        shader.unreadable = [line for line in shader.unreadable if line.text.strip() not in _ENDS_OF_BRANCHES]
        shader.stage = shader.stage or stage_of_intrinsics(shader)
    else:
        shader.damage = find_damage(shader)
    if shader.stage in (Stage.VERTEX, Stage.TESS_CTRL):
        set_attribute_numbers(shader, attribute_numbers(text))
    return shader


class _Bodies:
    """Lowers the function bodies of a dump, in order, and assigns them to functions."""

    __slots__ = ("current", "functions", "shader", "text")

    def __init__(self, shader: Shader, text: bytes) -> None:
        self.shader = shader
        self.text = text
        self.functions: dict[str, Function] = {}
        self.current: _ImplLowering | None = None

    def open(self, node: Node) -> None:
        """Lower an `impl`."""
        self.finish()
        name = node.child_by_field_name("name")
        self._begin(None if name is None else text_of(name, self.text)).open(node)

    def add_loose(self, node: Node) -> None:
        """Lower code after a superfluous brace, or below a missing `impl` line."""
        (self.current or self._begin(None)).walk([node])

    def finish(self) -> None:
        """End the current body, if any."""
        if self.current is not None:
            self.current.finish()
            self.current = None

    def _begin(self, name: str | None) -> _ImplLowering:
        function = self._function(name)
        self.current = _ImplLowering(self.shader, function, self.functions, self.text)
        function.impl = self.current.impl
        return self.current

    def _function(self, name: str | None) -> Function:
        """Return the declared function of that name, or a new one; without a name the next without a body."""
        for function in self.shader.functions:
            self.functions.setdefault(function.name, function)
        without_body = (function for function in self.shader.functions if function.impl is None)
        found = next(without_body, None) if name is None else self.functions.get(name)
        if found is None or found.impl is not None:
            found = Function(name or "")
            self.shader.functions.append(found)
            self.functions.setdefault(found.name, found)
        return found


class _ImplLowering:
    """Lowers one function body, with an explicit stack instead of recursion."""

    __slots__ = ("impl", "last_instr", "scope", "shader", "text")

    def __init__(
        self, shader: Shader, function: Function, functions: dict[str, Function], text: bytes
    ) -> None:
        self.shader = shader
        self.text = text
        self.impl = FunctionImpl(function)
        self.scope = FunctionScope(shader, self.impl, functions)
        self.last_instr: Instr | None = None
        self.scope.variables = {variable.name: variable for variable in shader.variables}

    def open(self, node: Node) -> None:
        """Lower a whole `impl` node."""
        self.impl.span = _first_line(node, self.text)
        self.impl.end_span = _last_line(node, self.text)
        if node.child_by_field_name("name") is None:
            self._note_unreadable_head(node)
        body = node.child_by_field_name("body")
        if body is not None:
            self.walk(body.named_children)

    def finish(self) -> None:
        """Resolve references that depend on the whole body."""
        self._take_end_block()
        self.scope.finish()
        self.impl.registers = list(self.scope.registers.values())
        self.impl.link_blocks()

    def walk(self, nodes: list[Node]) -> None:
        """Lower nodes of the outermost body and everything nested in them."""
        # Each level: the rest of a body, the list it fills and its owner; None ends a constant scope.
        stack: list[tuple[Iterator[Node], list[CfNode], CfParent] | None] = []
        stack.append((iter(nodes), self.impl.body, self.impl))
        while stack:
            level = stack[-1]
            if level is None:
                self.scope.leave_body()
                stack.pop()
                continue
            children, target, parent = level
            node = next(children, None)
            if node is None:
                stack.pop()
                continue
            match node.type:
                case "block":
                    block = self._block(node)
                    block.parent = parent
                    target.append(block)
                case "if_statement":
                    branch = self._if(node)
                    branch.parent = parent
                    target.append(branch)
                    for field, nested in (
                        ("alternative", branch.else_body),
                        ("consequence", branch.then_body),
                    ):
                        self._push(stack, node.child_by_field_name(field), nested, branch)
                case "loop_statement":
                    loop = self._loop(node)
                    loop.parent = parent
                    target.append(loop)
                    for field, nested in (("continue", loop.continue_body), ("body", loop.body)):
                        self._push(stack, node.child_by_field_name(field), nested, loop)
                case _:
                    self._line(node, target, parent)

    def _note_unreadable_head(self, node: Node) -> None:
        """List the first line of a construct of which the parser only recognized the brace."""
        for child in node.named_children:
            if child.type == "unreadable_line":
                self.shader.unreadable.append(_unreadable(child, self.text))
                return

    def _push(
        self,
        stack: list[tuple[Iterator[Node], list[CfNode], CfParent] | None],
        body: Node | None,
        nested: list[CfNode],
        owner: CfParent,
    ) -> None:
        if body is None:
            return
        stack.append(None)
        stack.append((self._in_scope(body.named_children), nested, owner))

    def _in_scope(self, nodes: list[Node]) -> Iterator[Node]:
        """Yield the nodes of a nested body; its scope of constants opens with the first one."""
        self.scope.enter_body()
        yield from nodes

    def _line(self, node: Node, target: list[CfNode], parent: CfParent) -> None:
        """Lower a line of a body that is not control flow: a declaration, or code outside of any block."""
        match node.type:
            case kind if kind in _DECLARATIONS and _is_endless(node, self.text):
                self.shader.unreadable.append(_unreadable(node, self.text))
            case "variable_declaration":
                variable = read_variable(node, self.text, is_local=True)
                self.impl.locals.append(variable)
                self.scope.variables[variable.name] = variable
            case "register_declaration":
                reg = read_register(node, self.text)
                self.scope.registers[reg.index] = reg
            case "preamble" if parent is not self.impl:
                self.shader.unreadable.append(_unreadable(node, self.text))
            case "preamble":
                name = node.child_by_field_name("name")
                self.impl.preamble = None if name is None else text_of(name, self.text)
            case "predecessors" | "successors" if target and isinstance(target[-1], Block):
                self._edges(node, target[-1])
            case _:
                if target and isinstance(target[-1], Block):
                    self._instruction(node, target[-1])
                    return
                block = Block(-1)
                block.parent = parent
                block.span = span_of(node)
                if self._instruction(node, block):
                    target.append(block)

    def _block(self, node: Node) -> Block:
        block = Block(-1)
        block.span = _first_line(node, self.text)
        for child in node.named_children:
            match child.type:
                case "block_label":
                    block.index = number_in(self.text[child.start_byte : child.end_byte])
                case "divergence":
                    block.divergent = self.text[child.start_byte : child.end_byte] == b"div"
                case "predecessors" | "successors":
                    self._edges(child, block)
                case _:
                    self._instruction(child, block)
        return block

    def _edges(self, node: Node, block: Block) -> None:
        numbers = tuple(
            number_in(self.text[child.start_byte : child.end_byte])
            for child in node.children
            if child.type == "block_ref"
        )
        if node.type == "predecessors":
            block.stated_preds = numbers
        else:
            block.stated_succs = numbers
            block.end_span = span_of(node)

    def _instruction(self, node: Node, block: Block) -> bool:
        """Add the instruction of a node to the block; False if it is not an instruction."""
        text = self.text
        kind = node.type
        if kind == "annotation":
            self._annotate(node)
            return False
        if kind == "unreadable_line" or kind == "stray_brace":
            if self.last_instr is not None and _is_message(node, text):
                self._annotate(node)
            else:
                self.shader.unreadable.append(_unreadable(node, text))
            return False
        start = node.start_byte
        line = text[start : node.end_byte]
        known = _LINES.get(line)
        if known is None:
            if _has_endless_number(line):
                self.shader.unreadable.append(_unreadable(node, text))
                return False
            try:
                record = read_line(node, text)
            except MixedListError:
                self.shader.unreadable.append(_unreadable(node, text))
                return False
            if record is None:
                return False
            known = _LINES.add(line, record)
        record, tail, numbers = known
        instr = self.scope.instr(record.instr, numbers)
        instr.span = Span(start, start + len(line) - tail, node.start_point[0])
        instr.comment = record.comment
        block.append(instr)
        self.last_instr = instr
        if record.is_annotated:
            for child in node.children:
                if child.type == "annotation":
                    self._annotate(child)
        return True

    def _annotate(self, node: Node) -> None:
        self.shader.annotations.append(_annotation(node, self.text, self.last_instr))

    def _if(self, node: Node) -> If:
        condition = node.child_by_field_name("condition")
        if condition is None:
            self._note_unreadable_head(node)
            branch = If(Src(Def(UNREADABLE_INDEX, 0, 0)))
        else:
            branch = self.scope.condition(read_value(condition, self.text))
        branch.span = _first_line(node, self.text)
        branch.end_span = _last_line(node, self.text)
        branch.comment = self._control(node)
        branch.else_span = _line_of_child(node, "} else {", self.text)
        return branch

    def _loop(self, node: Node) -> Loop:
        loop = Loop()
        self._note_unreadable_head(node)
        loop.span = _first_line(node, self.text)
        loop.end_span = _last_line(node, self.text)
        divergence = node.child_by_field_name("divergence")
        if divergence is not None:
            loop.divergent = text_of(divergence, self.text) == "div"
        loop.comment = self._control(node)
        loop.continue_span = _line_of_child(node, "} continue {", self.text)
        return loop

    def _control(self, node: Node) -> str | None:
        """Return the hint before an if or loop brace (`// flatten`, `/* divergent always taken */`)."""
        for child in node.children:
            if child.type == "{":
                return None
            if child.type in ("control", "comment"):
                return text_of(child, self.text)
        return None

    def _take_end_block(self) -> None:
        """Take the last block of the text as the end block if it has no edges, as Mesa prints it."""
        impl = self.impl
        last = impl.body[-1] if impl.body else None
        if (
            isinstance(last, Block)
            and len(impl.body) > 1
            and last.is_empty
            and last.stated_preds is None
            and last.stated_succs is None
        ):
            impl.body.pop()
            impl.end_block = last
            last.parent = impl
            return
        indices = [block.index for block in impl.blocks()]
        impl.end_block.index = max(indices, default=-1) + 1


def _first_line(node: Node, text: bytes) -> Span:
    start = node.start_byte
    newline = text.find(b"\n", start, node.end_byte)
    end = node.end_byte if newline < 0 else newline
    while end > start and text[end - 1] in b" \t\r":
        end -= 1
    return Span(start, end, node.start_point.row)


def _last_line(node: Node, text: bytes) -> Span | None:
    """Return the line of the closing brace; None without one."""
    start, end = node.start_byte, node.end_byte
    row = node.end_point.row
    while end > start and text[end - 1] in b" \t\r\n":
        end -= 1
        row -= text[end] == _NEWLINE
    line_start = text.rfind(b"\n", start, end) + 1 or start
    while line_start < end and text[line_start] in b" \t":
        line_start += 1
    if text[line_start : line_start + 1] != b"}" or line_start == start:
        return None
    return Span(line_start, end, row)


def _line_of_child(node: Node, type_: str, text: bytes) -> Span | None:
    """Return the line of the first child of a type, from the child to its end; None without one."""
    child = next((child for child in node.children if child.type == type_), None)
    if child is None:
        return None
    start, newline = child.start_byte, text.find(b"\n", child.end_byte)
    line = text[start : newline if newline >= 0 else len(text)].rstrip()
    return Span(start, start + len(line), child.start_point.row)


def _annotation(node: Node, text: bytes, instr: Instr | None) -> Annotation:
    message = text_of(node, text).removeprefix("error:").strip()
    return Annotation(message, span_of(node), None if instr is None else instr.span)


def _is_message(node: Node, text: bytes) -> bool:
    """Whether a line is what a driver says of the instruction above; behind it, it is an `annotation`.

    Mesa prints an empty line behind such a one. Other words may be those of a person.
    """
    return _MESSAGE.match(text, node.start_byte) is not None


def _additional_errors(text: bytes) -> Iterator[Annotation]:
    """Yield the errors that Mesa's validator lists behind a dump."""
    if b" additional errors:" not in text or (listed := ADDITIONAL_ERRORS.search(text)) is None:
        return
    for match in _ERROR.finditer(text, *listed.span(1)):
        line = text.count(b"\n", 0, match.start())
        message = match[1].decode("utf-8", "replace").strip()
        yield Annotation(message, Span(match.start(), match.end(), line), None)


def _has_endless_number(text: bytes) -> bool:
    return max(map(len, text.split(b"\n"))) >= _ENDLESS and _ENDLESS_NUMBER.search(text) is not None


def _is_endless(node: Node, text: bytes) -> bool:
    return _ENDLESS_NUMBER.search(text, node.start_byte, node.end_byte) is not None


def _unreadable(node: Node, text: bytes) -> UnreadableLine:
    span = _first_line(node, text)
    return UnreadableLine(span, text[span.start : span.end].decode("utf-8", "replace"))


def _parse_errors(root: Node, text: bytes) -> list[UnreadableLine]:
    """List the lines with ERROR or MISSING nodes, each once."""
    found: dict[int, UnreadableLine] = {}
    stack = [root]
    while stack:
        node = stack.pop()
        if node.is_error or node.is_missing:
            line = _unreadable(node, text)
            found.setdefault(line.span.line, line)
        elif node.has_error:
            stack.extend(node.children)
    return list(found.values())
