"""C++ for functions and their bodies: blocks, ifs, loops, jumps and phis."""

from __future__ import annotations

import re
from typing import Final

from nirls.ir.mesa_test.alu import AluWriter
from nirls.ir.mesa_test.code import Code, c_string, def_expression, def_name
from nirls.ir.mesa_test.constants import write_constant
from nirls.ir.mesa_test.derefs import write_deref
from nirls.ir.mesa_test.intrinsics import write_intrinsic
from nirls.ir.mesa_test.textures import write_tex
from nirls.ir.mesa_test.variables import declare_locals
from nirls.ir.model.control_flow import Block, CfNode, FunctionImpl, If, Loop
from nirls.ir.model.instructions import (
    AluInstr,
    CallInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    JumpInstr,
    LoadConstInstr,
    PhiInstr,
    TexInstr,
    UndefInstr,
)
from nirls.ir.model.shader import Function
from nirls.ir.text.printing.type_inference import ConstantTypes

_JUMPS: Final = frozenset(("break", "continue", "return", "halt"))
_IF_CONTROLS: Final = {
    "flatten": "nir_selection_control_flatten",
    "don't flatten": "nir_selection_control_dont_flatten",
    "divergent always taken": "nir_selection_control_divergent_always_taken",
}
_FUNCTION_FLAGS: Final = {"noinline": "dont_inline", "inline": "should_inline", "exported": "is_exported"}


def write_functions(code: Code, entrypoint: FunctionImpl) -> None:
    """Declare all functions, and write their bodies; that of the entry point last."""
    main = entrypoint.function
    others = [function for function in code.shader.functions if function is not main]
    code.functions[main] = "b->impl->function"
    if main.name != "main":
        code.line(f"b->impl->function->name = ralloc_strdup(b->shader, {c_string(main.name)});")
    for function in code.shader.functions:
        if function is not main:
            _declare(function, code)
        elif others and code.shader.functions[0] is not main:
            # The fixture has made main first.
            code.line("exec_node_remove(&b->impl->function->node);")
            code.line("exec_list_push_tail(&b->shader->functions, &b->impl->function->node);")
    for function in others:
        if function.impl is not None:
            _write_other(function, function.impl, code)
    if others:
        code.line()
    if entrypoint.preamble is not None:
        preamble = next((one for one in others if one.name == entrypoint.preamble), None)
        if preamble is None:
            code.refuse(f"the preamble {entrypoint.preamble}")
        else:
            code.line(f"b->impl->preamble = {code.functions[preamble]};")
    write_body(entrypoint, code)


def _declare(function: Function, code: Code) -> None:
    name = code.functions[function] = code.identifier(function.name, "function")
    code.line(f"nir_function *{name} = nir_function_create(b->shader, {c_string(function.name)});")
    if function.params:
        code.line(f"{name}->num_params = {len(function.params)};")
        code.line(f"{name}->params = rzalloc_array(b->shader, nir_parameter, {len(function.params)});")
    for place, parameter in enumerate(function.params):
        code.line(f"{name}->params[{place}].num_components = {parameter.num_components};")
        code.line(f"{name}->params[{place}].bit_size = {parameter.bit_size};")
        words = parameter.text.split(" ", 1)[1:]
        if words == ["return"]:
            code.line(f"{name}->params[{place}].is_return = true;")
        elif words:
            code.line(f"{name}->params[{place}].name = {c_string(words[0])};")
    for word in re.findall(r"\(([^()]*)\)", function.text)[1:]:
        size = re.fullmatch(r"(\d+)x(\d+)x(\d+)", word)
        if word in _FUNCTION_FLAGS:
            code.line(f"{name}->{_FUNCTION_FLAGS[word]} = true;")
        elif size is not None:
            for place, number in enumerate(size.groups()):
                code.line(f"{name}->workgroup_size[{place}] = {number};")
        elif word != "entrypoint":
            code.refuse(f"the word {word} of the function {function.name}")


def _write_other(function: Function, impl: FunctionImpl, code: Code) -> None:
    name = code.functions[function]
    code.line()
    code.line("{")
    with code.indented():
        code.line(f"nir_builder builder_of_{name} =")
        code.line(f"   nir_builder_at(nir_before_impl(nir_function_impl_create({name})));")
        code.line(f"nir_builder *b = &builder_of_{name};")
        code.line()
        write_body(impl, code)
    code.line("}")


def write_body(impl: FunctionImpl, code: Code) -> None:
    """Write the body of a function at the builder's cursor."""
    if impl.is_unstructured:
        code.refuse(f"the gotos of {impl.function.name}")
        return
    if impl.registers:
        code.refuse(f"the registers of the old form of {impl.function.name}")
        return
    if any(value.uses for value in impl.undefined_references):
        code.refuse(f"a value of {impl.function.name} that is defined nowhere")
        return
    impl.link_blocks()
    declare_locals(impl.locals, code)
    _BodyWriter(impl, code).write()


class _BodyWriter:
    """Writes the nodes of one function in order.

    Phis other than those of an if are inserted last, when all blocks exist: changes of the control flow would
    add undefined sources to them.
    """

    def __init__(self, impl: FunctionImpl, code: Code) -> None:
        self.impl = impl
        self.code = code
        self.alu = AluWriter(code)
        self.types = ConstantTypes()
        self.named: set[If | Loop] = set()
        self.later: list[PhiInstr] = []
        self._lists: dict[Block, tuple[list[CfNode], int]] = {}
        for _, nodes in impl.node_lists():
            for place, node in enumerate(nodes):
                if isinstance(node, Block):
                    self._lists[node] = nodes, place

    def write(self) -> None:
        """Write the whole body."""
        for block in self.impl.blocks():
            if self._joins_if(block):
                continue
            for phi in block.phis():
                for other in (block, *(src.pred for src in phi.sources)):
                    self._name_regions(other)
        self._nodes(self.impl.body)
        self.alu.set_control(None)
        if self.later:
            self.code.line()
        for phi in self.later:
            assert phi.def_ is not None
            assert phi.block is not None
            name = f"phi_{phi.def_.index}"
            for src in phi.sources:
                self.code.line(
                    f"nir_phi_instr_add_src({name}, {self._block(src.pred)}, {self.code.value(src)});"
                )
            self.code.line(f"nir_instr_insert(nir_after_phis({self._block(phi.block)}), &{name}->instr);")

    def _nodes(self, nodes: list[CfNode]) -> None:
        for node in nodes:
            if isinstance(node, Block):
                for instr in node:
                    self._instr(instr)
            elif isinstance(node, If):
                self._if(node)
            else:
                self._loop(node)

    def _if(self, node: If) -> None:
        code = self.code
        condition = code.value(node.condition)
        control = _control_word(node.comment)
        name = self._region_name(node, "if") if node in self.named or control else ""
        code.line()
        code.line(
            f"nir_if *{name} = nir_push_if(b, {condition});" if name else f"nir_push_if(b, {condition});"
        )
        if control:
            code.line(f"{name}->control = {_IF_CONTROLS.get(control) or code.refuse(f'an if to {control}')};")
        with code.indented():
            self._nodes(node.then_body)
        if not _is_empty(node.else_body):
            code.line("nir_push_else(b, NULL);")
            with code.indented():
                self._nodes(node.else_body)
        code.line("nir_pop_if(b, NULL);")
        code.line()

    def _loop(self, node: Loop) -> None:
        code = self.code
        name = self._region_name(node, "loop") if node in self.named or node.continue_body else ""
        if _control_word(node.comment):
            code.refuse(f"a loop to {_control_word(node.comment)}")
        code.line()
        code.line(f"nir_loop *{name} = nir_push_loop(b);" if name else "nir_push_loop(b);")
        with code.indented():
            self._nodes(node.body)
        if node.continue_body:
            code.line(f"nir_push_continue(b, {name});")
            with code.indented():
                self._nodes(node.continue_body)
        code.line("nir_pop_loop(b, NULL);")
        code.line()

    def _region_name(self, node: If | Loop, kind: str) -> str:
        name = self.code.regions[node] = f"{kind}_{len(self.code.regions)}"
        return name

    def _instr(self, instr: Instr) -> None:
        code = self.code
        match instr:
            case AluInstr():
                self.alu.write(instr)
            case LoadConstInstr():
                write_constant(instr, self.types, code)
            case DerefInstr():
                write_deref(instr, self.impl, code)
            case IntrinsicInstr():
                write_intrinsic(instr, code)
            case TexInstr():
                write_tex(instr, code)
            case PhiInstr():
                self._phi(instr)
            case UndefInstr():
                self._undef(instr)
            case JumpInstr():
                self._jump(instr)
            case CallInstr():
                self._call(instr)
            case _:
                code.refuse(f"an instruction of the kind {instr.kind}")

    def _undef(self, instr: UndefInstr) -> None:
        if instr.def_ is None:
            return
        value = instr.def_
        self.code.helpers.add("undef")
        self.code.line(f"nir_def *{def_name(value)} = undef(b, {value.num_components}, {value.bit_size});")

    def _jump(self, instr: JumpInstr) -> None:
        if instr.jump_kind not in _JUMPS:
            self.code.refuse(f"the jump {instr.jump_kind}")
            return
        self.code.line(f"nir_jump(b, nir_jump_{instr.jump_kind});")

    def _call(self, instr: CallInstr) -> None:
        code = self.code
        name = None if instr.callee is None else code.functions.get(instr.callee)
        if name is None or instr.op != "call":
            code.refuse(f"the {instr.op} of {instr.callee_name}")
            return
        arguments = [code.value(src) for src in instr.arguments]
        if instr.is_indirect:
            values = code.identifier(f"{name}_arguments", "list")
            code.line(f"nir_def *{values}[] = {{{', '.join(arguments)}}};")
            pointer = code.value(instr.sources[0])
            code.line(f"nir_build_indirect_call(b, {name}, {pointer}, {len(arguments)}, {values});")
        elif arguments:
            code.line(f"nir_call(b, {name}, {', '.join(arguments)});")
        else:
            code.line(f"nir_build_call(b, {name}, 0, NULL);")

    def _phi(self, phi: PhiInstr) -> None:
        value = phi.def_
        if value is None or any(src.def_ is None for src in phi.sources):
            self.code.refuse("a phi of registers of the old form")
            return
        name = def_name(value)
        if phi.block is not None and self._joins_if(phi.block):
            one, other = (def_expression(src.ssa) for src in phi.sources)
            self.code.line(f"nir_def *{name} = nir_if_phi(b, {one}, {other});")
            return
        self.code.line(f"nir_phi_instr *phi_{value.index} = nir_phi_instr_create(b->shader);")
        self.code.line(
            f"nir_def_init(&phi_{value.index}->instr, &phi_{value.index}->def, {value.num_components},"
            f" {value.bit_size});"
        )
        self.code.line(f"nir_def *{name} = &phi_{value.index}->def;")
        self.later.append(phi)

    def _joins_if(self, block: Block) -> bool:
        """Whether all phis of a block join the two ends of the if before it, the then branch first."""
        nodes, place = self._lists[block]
        node = nodes[place - 1] if place else None
        if not isinstance(node, If) or not node.then_body or not node.else_body:
            return False
        ends = [node.then_body[-1], node.else_body[-1]]
        return all([src.pred for src in phi.sources] == ends for phi in block.phis())

    def _name_regions(self, block: Block) -> None:
        """Have the if or loop named by which a block is found."""
        nodes, place = self._lists.get(block, ([], 0))
        before = nodes[place - 1] if place else None
        if isinstance(block.parent, If | Loop) and (place == 0 or place == len(nodes) - 1):
            self.named.add(block.parent)
        elif isinstance(before, If | Loop):
            self.named.add(before)

    def _block(self, block: Block) -> str:
        """Return the expression for a block, by the if or loop that it is in or behind."""
        nodes, place = self._lists.get(block, ([], 0))
        parent, regions = block.parent, self.code.regions
        is_last = place == len(nodes) - 1
        if isinstance(parent, If) and (place == 0 or is_last):
            side = "then" if nodes is parent.then_body else "else"
            return f"nir_if_{'last' if is_last else 'first'}_{side}_block({regions[parent]})"
        if isinstance(parent, Loop) and (place == 0 or is_last):
            part = "continue_" if nodes is parent.continue_body else ""
            return f"nir_loop_{'last' if is_last else 'first'}_{part}block({regions[parent]})"
        if place:
            before = nodes[place - 1]
            if isinstance(before, If | Loop):
                return f"nir_cf_node_as_block(nir_cf_node_next(&{regions[before]}->cf_node))"
        return "nir_start_block(b->impl)"


def _control_word(comment: str | None) -> str:
    return "" if comment is None else comment.removeprefix("//").removeprefix("/*").removesuffix("*/").strip()


def _is_empty(nodes: list[CfNode]) -> bool:
    return all(isinstance(node, Block) and node.is_empty for node in nodes)
