"""Conversion of a shader to another dialect."""

from __future__ import annotations

import re
from dataclasses import replace

from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import Block, FunctionImpl, If
from nirls.ir.model.instructions import (
    AluInstr,
    CallInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    ParallelCopyInstr,
    PhiInstr,
)
from nirls.ir.model.shader import Dialect, Function, Shader, Variable
from nirls.ir.model.slots import UNKNOWN_LOCATION, AttributeNumbers, slot_name, slot_number
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import IDENTITY_SWIZZLE, AluSrc, Def, RegDest, Register, Src
from nirls.ir.text.printing.indices import unpack_io_flags
from nirls.ir.text.printing.printable import Printable
from nirls.ir.text.printing.render import Renderer
from nirls.ir.text.printing.source_types import alu_types
from nirls.ir.text.printing.style import FunctionStyle, PrintStyle, digits
from nirls.ir.text.printing.writers import cast_facts

_INTEGERS = ("int", "uint", "bool")


def lower_source_modifiers(impl: FunctionImpl) -> None:
    """Replace all source modifiers in a function. Defs keep their numbers; new ones get higher numbers."""
    builder: Builder | None = None
    for instr in list(impl.instrs()):
        if not isinstance(instr, AluInstr) or instr.block is None:
            continue
        if "sat" not in instr.flags and not any(src.negate or src.abs for src in instr.sources):
            continue
        if builder is None:
            builder = Builder(impl, instr.block)
        for position, src in enumerate(instr.sources):
            if src.def_ is not None and (src.negate or src.abs):
                _lower_source(builder.before_instr(instr), instr, position, src, src.def_)
        if "sat" in instr.flags and instr.def_ is not None:
            _lower_saturate(builder, instr, instr.def_)


def _lower_source(builder: Builder, instr: AluInstr, position: int, src: AluSrc, value: Def) -> None:
    types = alu_types(instr.op)
    is_integer = types is not None and position < len(types[0]) and types[0][position] in _INTEGERS
    prefix = "i" if is_integer else "f"
    if src.abs:
        value = builder.alu(f"{prefix}abs", [value], value.num_components, value.bit_size)
    if src.negate:
        value = builder.alu(f"{prefix}neg", [value], value.num_components, value.bit_size)
    src.set_def(value)
    src.negate = src.abs = False


def _lower_saturate(builder: Builder, instr: AluInstr, value: Def) -> None:
    block = instr.block
    assert block is not None
    uses = list(value.uses)
    builder.block, builder.before = block, instr.next
    identity = IDENTITY_SWIZZLE[: value.num_components]
    clamped = builder.alu("fsat", [AluSrc(value, identity)], value.num_components, value.bit_size)
    for use in uses:
        use.set_def(clamped)
    instr.flags = instr.flags - {"sat"}


class UnloweredRegisterError(ValueError):
    """A register is used where modern NIR does not allow a register load or store."""


def lower_registers(impl: FunctionImpl) -> None:
    """Replace all registers of a function. Defs keep their numbers; new ones get higher numbers.

    Raises UnloweredRegisterError for parallel copies and phis of registers, and undeclared ones.
    """
    if not impl.registers:
        return
    start = impl.body[0] if impl.body and isinstance(impl.body[0], Block) else None
    if start is None:
        raise UnloweredRegisterError("the function does not start with a block to declare its registers in")
    undeclared = next((reg for reg in impl.registers if not reg.num_components), None)
    if undeclared is not None:
        raise _not_declared(undeclared)
    builder = Builder(impl, start, start.first)
    instrs = list(impl.instrs())
    handles = {reg: _declare(builder, reg) for reg in impl.registers}
    for instr in instrs:
        _lower_instr(builder, instr, handles)
    above: Block | None = None
    for node in impl.cf_nodes():
        if isinstance(node, If) and node.condition.reg is not None:
            if above is None:
                raise UnloweredRegisterError("an if on a register has no block in front of it")
            node.condition.set_def(_load(builder.at_end_of(above), node.condition, handles))
        above = node if isinstance(node, Block) else None
    impl.registers = []


def _not_declared(reg: Register) -> UnloweredRegisterError:
    return UnloweredRegisterError(f"register r{reg.index} is not declared")


def _handle(reg: Register, handles: dict[Register, Def]) -> Def:
    """Return the handle of a register. Raises UnloweredRegisterError if it is declared below its use."""
    if reg not in handles:
        raise _not_declared(reg)
    return handles[reg]


def _declare(builder: Builder, reg: Register) -> Def:
    indices = {
        "num_components": reg.num_components,
        "bit_size": reg.bit_size,
        "num_array_elems": reg.num_array_elems,
        "divergent": 1,
    }
    return builder.load("decl_reg", [], indices, 1, 32)


def _lower_instr(builder: Builder, instr: Instr, handles: dict[Register, Def]) -> None:
    touches = instr.reg_dest is not None or any(src.reg is not None for src in instr.all_srcs())
    if isinstance(instr, ParallelCopyInstr):
        touches = touches or any(isinstance(dest, RegDest) for dest in instr.dests)
    if not touches:
        return
    if isinstance(instr, PhiInstr | ParallelCopyInstr):
        raise UnloweredRegisterError(f"a {instr.kind.replace('_', ' ')} of registers has no modern form")
    builder.before_instr(instr)
    for src in instr.srcs():
        if src.reg is not None:
            src.set_def(_load(builder, src, handles))
    if instr.reg_dest is not None:
        _store(builder, instr, instr.reg_dest, handles)


def _load(builder: Builder, src: Src, handles: dict[Register, Def]) -> Def:
    reg = src.reg
    assert reg is not None
    indices = {"base": src.reg_offset, "legacy_fabs": 0, "legacy_fneg": 0}
    sources = [_handle(reg, handles)]
    name = "load_reg"
    if src.reg_indirect is not None:
        name = "load_reg_indirect"
        sources.append(_value(builder, src.reg_indirect, handles))
    return builder.load(name, sources, indices, reg.num_components, reg.bit_size)


def _store(builder: Builder, instr: Instr, dest: RegDest, handles: dict[Register, Def]) -> None:
    reg = dest.reg
    block = instr.block
    assert block is not None
    indirect = None if dest.indirect is None else _value(builder, dest.indirect, handles)
    written = [i for i in range(reg.num_components) if dest.write_mask >> i & 1]
    is_alu = isinstance(instr, AluInstr)
    value = instr.make_def(builder.next_index, len(written) if is_alu else reg.num_components, reg.bit_size)
    builder.next_index += 1
    dest.clear()
    instr.reg_dest = None
    builder.block, builder.before = block, instr.next
    if is_alu and written and len(written) < reg.num_components:
        # A store takes component i of its value to component i of the register.
        places = tuple(written.index(i) if i in written else 0 for i in range(reg.num_components))
        value = builder.alu("mov", [AluSrc(value, places)], len(places), reg.bit_size)
    indices = {"base": dest.offset, "write_mask": dest.write_mask, "legacy_fsat": 0}
    sources = [value, _handle(reg, handles)]
    if indirect is None:
        builder.intrinsic("store_reg", sources, indices)
    else:
        builder.intrinsic("store_reg_indirect", [*sources, indirect], indices)


def _value(builder: Builder, src: Src, handles: dict[Register, Def]) -> Def:
    return src.ssa if src.reg is None else _load(builder, src, handles)


_Size = tuple[int, int]
_SIZE_OF_UNKNOWN_PARAMETER: _Size = (1, 32)
_MADE_UP_NAME = re.compile(r"([@#])(\d+)\Z")
# Stages whose slots classic printers print as numbers.
_UNNAMED_IN_CLASSIC = frozenset((Stage.TESS_CTRL, Stage.TESS_EVAL))


class ConversionError(ValueError):
    """A shader cannot be printed in the requested dialect; the message names the reason."""


def convert(shader: Shader, dialect: Dialect) -> bytes:
    """Print the shader in `dialect`, modern or classic; fresh if it has that dialect already.

    Notation is converted: names and numbers of access bits, slots, types and enumerations, declarations,
    comments, and from old dumps to modern ones registers, write masks and source modifiers, which become
    the equivalent instructions of modern Mesa. Opcodes and intrinsics keep their names, and values
    keep their numbers. Raises ConversionError for the old dialect and for constructs without a counterpart.
    """
    return converted(Printable.of(shader), dialect).text()


def converted(printable: Printable, dialect: Dialect) -> Printable:
    """Convert a copy to the modern or the classic dialect. Raises ConversionError as `convert` does."""
    if dialect is Dialect.OLD:
        raise ConversionError("shaders can be printed in the modern or the classic dialect, not in the old")
    shader, style = printable.shader, printable.style
    if dialect is shader.dialect:
        return printable
    if dialect is Dialect.CLASSIC and shader.attribute_numbers is AttributeNumbers.UNKNOWN:
        raise ConversionError(
            "Mesa 21.3 numbered the vertex attributes anew, and the dump does not say which numbers it prints"
        )
    _convert_comments(shader, style)
    shader.dialect, shader.source = dialect, b""
    for impl in shader.impls():
        if dialect is Dialect.MODERN:
            try:
                lower_registers(impl)
            except UnloweredRegisterError as error:
                raise ConversionError(str(error)) from error
            lower_source_modifiers(impl)
        for instr in impl.instrs():
            if isinstance(instr, IntrinsicInstr) and instr.io_semantics is not None:
                instr.indices["io_semantics"] = unpack_io_flags(instr.io_semantics)
        for variable in impl.locals:
            _rename(variable, dialect)
    for variable in shader.variables:
        _rename(variable, dialect)
        _convert_location(variable, shader.stage, dialect)
    passed = _passed_sizes(shader)
    for function in shader.functions:
        function.text = _function_text(function, dialect, passed.get(function.name, []))
    functions = {
        impl.function.name: FunctionStyle(
            digits(1 + max((value.index for value in impl.defs()), default=0)),
            style.function(impl.function.name).divergence,
        )
        for impl in shader.impls()
    }
    return replace(printable, style=replace(PrintStyle.default(dialect, functions), newline=style.newline))


def _convert_comments(shader: Shader, style: PrintStyle) -> None:
    """Reduce each comment to its data for the other dialect: an access's variable, a cast's stride."""
    renderer = Renderer(shader, style)
    for impl in shader.impls():
        writer = renderer.writer(impl)
        for instr in impl.instrs():
            if isinstance(instr, DerefInstr):
                instr.cast_info = cast_facts(instr)
            name = writer.access_name(instr) if isinstance(instr, IntrinsicInstr) else None
            instr.comment = name


def _rename(variable: Variable, dialect: Dialect) -> None:
    mark = "#" if dialect is Dialect.MODERN else "@"
    variable.name = _MADE_UP_NAME.sub(rf"{mark}\2", variable.name)


def _convert_location(variable: Variable, stage: Stage | None, dialect: Dialect) -> None:
    if variable.location is None:
        return
    if variable.mode == "system" and dialect is Dialect.CLASSIC:
        variable.location, variable.data = None, ()
        return
    if variable.mode not in ("shader_in", "shader_out"):
        return
    location, dot, letters = variable.location.partition(".")
    if dialect is Dialect.CLASSIC and stage in _UNNAMED_IN_CLASSIC:
        number = slot_number(location)
        if number != UNKNOWN_LOCATION:
            variable.location = f"{number}{dot}{letters}"
    elif dialect is Dialect.MODERN and location.isdecimal():
        name = slot_name(int(location), stage, is_output=variable.mode == "shader_out")
        variable.location = f"{name}{dot}{letters}"


def _function_text(function: Function, dialect: Dialect, passed: list[_Size]) -> str:
    if dialect is Dialect.CLASSIC:
        return f" ({len(function.params)} params)"
    count = len(function.params) or _stated_count(function.text)
    sizes = [
        (param.num_components, param.bit_size) for param in function.params if param.bit_size
    ] or _sizes_of_params(function.impl, count, passed)
    params = ", ".join([f"{bits}x{width}" if width != 1 else str(bits) for width, bits in sizes])
    is_entrypoint = function.is_entrypoint or function.name == "main"
    return f" ({params}){' (entrypoint)' if is_entrypoint else ''}"


def _stated_count(text: str) -> int:
    match = re.search(r"\((\d+) params\)", text)
    return int(match.group(1)) if match else 0


def _sizes_of_params(impl: FunctionImpl | None, count: int, passed: list[_Size]) -> list[_Size]:
    """Infer the sizes of parameters, which classic dumps only count, from arguments and loads."""
    sizes = [_SIZE_OF_UNKNOWN_PARAMETER] * min(count, 1024)
    for position, size in enumerate(passed[: len(sizes)]):
        sizes[position] = size
    loads: list[Instr] = [] if impl is None else list(impl.instrs())
    for instr in loads:
        if isinstance(instr, IntrinsicInstr) and instr.name == "load_param" and instr.def_ is not None:
            position = instr.int_index("param_idx", -1)
            if 0 <= position < len(sizes):
                sizes[position] = (instr.def_.num_components, instr.def_.bit_size)
    return sizes


def _passed_sizes(shader: Shader) -> dict[str, list[_Size]]:
    """Return the argument sizes of the first call of each function."""
    passed: dict[str, list[_Size]] = {}
    for instr in shader.instrs():
        if isinstance(instr, CallInstr):
            sizes = [(src.num_components, src.bit_size) for src in instr.arguments]
            passed.setdefault(instr.callee_name, sizes)
    return passed
