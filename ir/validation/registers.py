"""Checks of registers: `r0` of old dialects, and decl_reg, load_reg and store_reg of modern ones."""

from __future__ import annotations

from nirls.ir.model.control_flow import Block, FunctionImpl
from nirls.ir.model.instructions import Instr, IntrinsicInstr
from nirls.ir.model.span import Span
from nirls.ir.model.values import (
    VALID_BIT_SIZES,
    VALID_COMPONENT_COUNTS,
    Def,
    RegDest,
    Register,
    Src,
)
from nirls.ir.validation.indices import sizes_fit
from nirls.ir.validation.reporter import Reporter

_READS = frozenset(("load_reg", "load_reg_indirect"))
_WRITES = frozenset(("store_reg", "store_reg_indirect"))


def check_register_accesses(instr: Instr, reporter: Reporter) -> None:
    """Check register sources and the register destination of an instruction."""
    for position, src in enumerate(instr.srcs()):
        if src.reg is not None:
            place = reporter.place_of_source(instr, position)
            _check_source(src, src.reg, place, reporter)
    if instr.reg_dest is not None:
        _check_dest(instr.reg_dest, instr, reporter)


def _check_source(src: Src, reg: Register, place: Span | None, reporter: Reporter) -> None:
    if _is_declared(reg, place, reporter):
        _check_element(reg, src.reg_offset, src.reg_indirect, place, reporter)


def _check_dest(dest: RegDest, instr: Instr, reporter: Reporter) -> None:
    if not _is_declared(dest.reg, instr.span, reporter):
        return
    _check_element(dest.reg, dest.offset, dest.indirect, instr.span, reporter)
    if dest.write_mask >> dest.reg.num_components:
        count = dest.reg.num_components
        message = f"the write mask has bits beyond the {count} components of {reporter.name_of(dest.reg)}"
        reporter.report("bad-write-mask", message, instr.span)


def _is_declared(reg: Register, place: Span | None, reporter: Reporter) -> bool:
    name = reporter.name_of(reg)
    if not reg.num_components:
        reporter.report("bad-register", f"{name} is not declared", place)
        return False
    if reg.num_components not in VALID_COMPONENT_COUNTS:
        message = f"{name} has {reg.num_components} components"
        reporter.report("bad-component-count", message, place, related=_declaration(reg))
    if reg.bit_size not in VALID_BIT_SIZES:
        reporter.report("bad-bit-size", f"{name} has {reg.bit_size} bits", place, related=_declaration(reg))
    return True


def _check_element(
    reg: Register, offset: int, indirect: Src | None, place: Span | None, reporter: Reporter
) -> None:
    name = reporter.name_of(reg)
    if indirect is not None and reg.num_array_elems == 0:
        reporter.report("bad-register", f"{name} is not an array", place, related=_declaration(reg))
    elif reg.num_array_elems and offset >= reg.num_array_elems:
        message = f"element {offset} of {name}, which has {reg.num_array_elems} elements"
        reporter.report("bad-register", message, place, related=_declaration(reg))
    elif offset and not reg.num_array_elems:
        reporter.report("bad-register", f"{name} is not an array", place, related=_declaration(reg))


def _declaration(reg: Register) -> list[tuple[Span | None, str]]:
    span = reg.span if isinstance(reg.span, Span) else None
    return [(span, "declared here")]


def check_register_intrinsic(
    instr: IntrinsicInstr, impl: FunctionImpl, block: Block, reporter: Reporter
) -> None:
    """Check that decl_reg is in the first block, and that accesses use a decl_reg with its sizes."""
    if instr.name == "decl_reg":
        if impl.body and block is not impl.body[0]:
            message = f"decl_reg in {reporter.name_of(block)}, not in the first block"
            reporter.report("bad-register", message, instr.span)
        _check_declared_sizes(instr, reporter)
        return
    if instr.name in _READS and instr.sources and instr.def_ is not None:
        value, position = instr.def_, 0
    elif instr.name in _WRITES and len(instr.sources) > 1 and instr.sources[0].def_ is not None:
        value, position = instr.sources[0].def_, 1
    else:
        return
    _check_handle(instr, position, value, reporter)


def _check_declared_sizes(declaration: IntrinsicInstr, reporter: Reporter) -> None:
    """Check the sizes of a register; those that are not printed are unknown."""
    if declaration.def_ is None:
        return
    name = reporter.name_of(declaration.def_)
    width, bits = declaration.int_index("num_components"), declaration.int_index("bit_size")
    if width and width not in VALID_COMPONENT_COUNTS:
        reporter.report("bad-component-count", f"register {name} has {width} components", declaration.span)
    if bits and bits not in VALID_BIT_SIZES:
        reporter.report("bad-bit-size", f"register {name} has {bits} bits", declaration.span)


def _check_handle(instr: IntrinsicInstr, position: int, value: Def, reporter: Reporter) -> None:
    handle = instr.sources[position].def_
    if handle is None or handle.instr is None:
        return
    name = reporter.name_of(handle)
    declaration = handle.instr
    problem = ""
    if not isinstance(declaration, IntrinsicInstr) or declaration.name != "decl_reg":
        problem = f"{name} is not a register"
    else:
        width = declaration.int_index("num_components")
        bits = declaration.int_index("bit_size")
        if not sizes_fit(value, width, bits):
            problem = f"{name} holds {bits}x{width}, {reporter.name_of(value)} has"
            problem = f"{problem} {value.bit_size}x{value.num_components}"
    if problem:
        place = reporter.place_of_source(instr, position)
        related = [(declaration.span, f"{name} is defined here")]
        reporter.report("bad-register", problem, place, related=related)
