"""C++ for ALU instructions: `nir_fadd(b, ssa_1, ssa_2)`.

The builder has no swizzles in sources: `nir_channel(b, ssa_1, 0)` makes a `mov`. A helper of the test takes
these into the sources when the shader is complete, as it stands in the dump.
"""

from __future__ import annotations

from typing import Final

from nirls.ir.mesa_test.code import Code, def_name, shown
from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.math_control import EXACT_WORDS, MATH_CONTROL_WORDS
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import IDENTITY_SWIZZLE, AluSrc
from nirls.ir.tables import opcode
from nirls.ir.tables.entries import Opcode, split_type

_WRAP_FLAGS: Final = {"nsw": "no_signed_wrap", "nuw": "no_unsigned_wrap"}
_FINE_WORDS: Final = {
    "exact": "nir_fp_exact",
    "no-contract": "nir_fp_no_contract",
    "no-reassoc": "nir_fp_no_reassoc",
    "no-transform": "nir_fp_no_transform",
    "preserve:sz": "nir_fp_preserve_signed_zero",
    "preserve:inf": "nir_fp_preserve_inf",
    "preserve:nan": "nir_fp_preserve_nan",
}
_FLOAT_CONTROLS: Final = {
    "preserve:sz": "FLOAT_CONTROLS_SIGNED_ZERO_PRESERVE",
    "preserve:inf": "FLOAT_CONTROLS_INF_PRESERVE",
    "preserve:nan": "FLOAT_CONTROLS_NAN_PRESERVE",
}


class AluWriter:
    """Writes ALU instructions, and keeps what the builder currently marks them with."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self._control: dict[str, str] = {}
        self._folds = needs_folding(code.shader)

    def write(self, instr: AluInstr) -> None:
        """Write one instruction."""
        code, value = self.code, instr.def_
        entry = opcode(instr.op)
        if entry is None or not any(code.api.release in form.releases for form in entry.forms()):
            code.refuse(f"the opcode {instr.op}, which Mesa {code.api.release} has not")
            return
        if value is None or instr.reg_dest is not None or any(src.def_ is None for src in instr.sources):
            code.refuse(f"{instr.op} of registers of the old form")
            return
        if "sat" in instr.flags or any(src.negate or src.abs for src in instr.sources):
            code.refuse(f"{instr.op} with a modifier of a source or result")
            return
        self.set_control(instr)
        name = def_name(value)
        if instr.op == "mov":
            code.line(f"nir_def *{name} = {self._mov(instr.sources[0])};")
        else:
            code.line(f"nir_def *{name} = {self._call(instr, entry.form_of(code.api.release))};")
        for flag in sorted(instr.flags - MATH_CONTROL_WORDS):
            if flag in _WRAP_FLAGS:
                code.line(f"{code.api.as_alu(name)}->{_WRAP_FLAGS[flag]} = true;")
            else:
                code.refuse(f"the flag {flag} of {shown(instr)}")

    def set_control(self, instr: AluInstr | None) -> None:
        """Change what the builder marks instructions with, if it is not what an instruction has."""
        wanted = self._wanted(instr)
        for member, value in wanted.items():
            if self._control.get(member, _RESET[member]) != value:
                self.code.line(f"b->{member} = {value};")
                self._control[member] = value

    def _wanted(self, instr: AluInstr | None) -> dict[str, str]:
        words = frozenset() if instr is None else instr.flags & MATH_CONTROL_WORDS
        if self.code.api.is_since_26:
            names = [name for word, name in _FINE_WORDS.items() if word in words]
            return {"fp_math_ctrl": " | ".join(names) or _RESET["fp_math_ctrl"]}
        size = 32 if instr is None or instr.def_ is None else _float_size(instr)
        kept = [f"{name}_FP{size}" for word, name in _FLOAT_CONTROLS.items() if word in words]
        return {
            "exact": "false" if words.isdisjoint(EXACT_WORDS) else "true",
            "fp_fast_math": " | ".join(kept) or _RESET["fp_fast_math"],
        }

    def _mov(self, src: AluSrc) -> str:
        """Return a `mov`; where the helper takes others into sources, it is told to leave this one."""
        made = f"nir_mov(b, {self.code.value(src)})" if _is_whole(src) else self._swizzled(src)
        if not self._folds:
            return made
        self.code.helpers.add("keep_mov")
        return f"keep_mov({made})"

    def _call(self, instr: AluInstr, entry: Opcode) -> str:
        arguments = [
            self.code.value(src) if is_direct else self._swizzled(src)
            for src, is_direct in zip(instr.sources, _direct_sources(instr, entry), strict=True)
        ]
        if "replicated" in instr.op or _is_no_conversion(instr, entry):
            return f"nir_build_alu{len(arguments)}(b, nir_op_{instr.op}, {', '.join(arguments)})"
        return f"nir_{instr.op}(b, {', '.join(arguments)})"

    def _swizzled(self, src: AluSrc) -> str:
        code, value, swizzle = self.code, self.code.value(src), src.swizzle
        if len(swizzle) == 1:
            return f"nir_channel(b, {value}, {swizzle[0]})"
        if list(swizzle) == sorted(set(swizzle)):
            mask = sum(1 << component for component in swizzle)
            return f"nir_channels(b, {value}, 0x{mask:x})"
        code.helpers.add("swizzle")
        return f"swizzle(b, {value}, {{{', '.join(map(str, swizzle))}}})"


_RESET: Final = {"exact": "false", "fp_fast_math": "0", "fp_math_ctrl": "nir_fp_fast_math"}


def needs_folding(shader: Shader) -> bool:
    """Whether an instruction has a source whose swizzle the builder makes a `mov` of."""
    return any(
        not all(_direct_sources(instr, entry))
        for instr in shader.instrs()
        if isinstance(instr, AluInstr) and instr.op != "mov" and (entry := opcode(instr.op)) is not None
    )


def _direct_sources(instr: AluInstr, entry: Opcode) -> list[bool]:
    """Return for each source whether the builder gives it its swizzle by itself.

    That is the identity, and the only component of a scalar beside a wider source.
    """
    sizes = (*entry.input_sizes, *[1] * len(instr.sources))[: len(instr.sources)]
    widest = max(
        (
            len(src.swizzle)
            for src, size in zip(instr.sources, sizes, strict=True)
            if not size and _is_whole(src)
        ),
        default=0,
    )
    return [
        _is_whole(src)
        or (not size and src.num_components == 1 and not any(src.swizzle) and widest == len(src.swizzle))
        for src, size in zip(instr.sources, sizes, strict=True)
    ]


def _is_whole(src: AluSrc) -> bool:
    return src.swizzle == IDENTITY_SWIZZLE[: src.num_components]


def _is_no_conversion(instr: AluInstr, entry: Opcode) -> bool:
    """Whether the builder would return the source, which already has the size."""
    base, size = split_type(entry.output_type)
    return entry.is_conversion and base == entry.input_types[0] and instr.sources[0].bit_size == size


def _float_size(instr: AluInstr) -> int:
    sizes = [src.bit_size for src in instr.sources if src.bit_size in (16, 32, 64)]
    size = instr.def_.bit_size if instr.def_ is not None else 32
    return size if size in (16, 32, 64) else (sizes or [32])[0]
