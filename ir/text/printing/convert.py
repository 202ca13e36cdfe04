"""Print a shader in another dialect than that of the dump it was read from."""

from __future__ import annotations

import re
from dataclasses import replace

from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import CallInstr, DerefInstr, Instr, IntrinsicInstr
from nirls.ir.model.io_semantics import IoSemantics
from nirls.ir.model.shader import Dialect, Function, Shader, Variable
from nirls.ir.model.slots import UNKNOWN_LOCATION, slot_name, slot_number
from nirls.ir.model.stage import Stage
from nirls.ir.text.printing.indices import unpack_io_flags
from nirls.ir.text.printing.printable import Printable
from nirls.ir.text.printing.register_lowering import UnloweredRegisterError, lower_registers
from nirls.ir.text.printing.render import Renderer
from nirls.ir.text.printing.source_modifiers import lower_source_modifiers
from nirls.ir.text.printing.style import FunctionStyle, PrintStyle, digits
from nirls.ir.text.printing.writers import cast_facts

_Size = tuple[int, int]
_SIZE_OF_UNKNOWN_PARAMETER: _Size = (1, 32)
_MADE_UP_NAME = re.compile(r"([@#])(\d+)\Z")
# Stages whose slots classic printers print as numbers.
_UNNAMED_IN_CLASSIC = frozenset((Stage.TESS_CTRL, Stage.TESS_EVAL))


class ConversionError(ValueError):
    """A shader cannot be printed in the dialect asked for; the message names what stands against it."""


def convert(shader: Shader, dialect: Dialect) -> bytes:
    """The shader printed in `dialect`, modern or classic; fresh if it is that already.

    Notation is converted: names and numbers of access bits, slots, types and enumerations, declarations,
    comments, and from old dumps to modern ones registers, write masks and source modifiers, which become
    the instructions that modern Mesa has in their place. Opcodes and intrinsics keep their names, and
    numbers stay. Raises ConversionError for the old dialect and for what has no counterpart.
    """
    return converted(Printable.of(shader), dialect).text()


def converted(printable: Printable, dialect: Dialect) -> Printable:
    """The same copy in the modern or the classic dialect. Raises ConversionError as `convert` does."""
    if dialect is Dialect.OLD:
        raise ConversionError("shaders can be printed in the modern or the classic dialect, not in the old")
    shader, style = printable.shader, printable.style
    if dialect is shader.dialect:
        return printable
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
            if isinstance(instr, IntrinsicInstr):
                _convert_indices(instr)
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
    """Keep of each comment what the other dialect needs: the variable of an access, the facts of a cast."""
    renderer = Renderer(shader, style)
    for impl in shader.impls():
        writer = renderer.writer(impl)
        for instr in impl.instrs():
            if isinstance(instr, DerefInstr):
                instr.cast_info = cast_facts(instr)
            name = writer.access_name(instr) if isinstance(instr, IntrinsicInstr) else None
            instr.comment = name


def _convert_indices(instr: IntrinsicInstr) -> None:
    semantics = instr.indices.get("io_semantics")
    if isinstance(semantics, IoSemantics):
        instr.indices["io_semantics"] = unpack_io_flags(semantics)


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
    """The sizes of parameters that classic dumps only count, from what is passed and what is loaded."""
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
    """The sizes of what the first call of each function passes."""
    passed: dict[str, list[_Size]] = {}
    for impl in shader.impls():
        for instr in impl.instrs():
            if isinstance(instr, CallInstr):
                sizes = [(src.num_components, src.bit_size) for src in instr.arguments]
                passed.setdefault(instr.callee_name, sizes)
    return passed
