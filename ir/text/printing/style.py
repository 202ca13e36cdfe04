"""Print style of a dump: its dialect, and variations within a dialect."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.model.values import Def

_LEADING_SPACE = re.compile(rb"[ \t]*")
_EXPONENT = re.compile(rb"\d\.\d{6}e\+\d\d")
_NO_BIT_SIZE = re.compile(rb"^[ \t]*vec\d+ ssa_\d+ = ", re.M)
_PADDED_BIT_SIZE = re.compile(rb"^[ \t]*vec\d+  \d ", re.M)
_UNPADDED_BIT_SIZE = re.compile(rb"^[ \t]*vec\d+ \d (?:con |div )?ssa_", re.M)
_RAW_VALUE = re.compile(
    r"(\b[a-z_0-9]{1,40}=[^/\n]{0,200}?|\bio location=[^/\n]{0,200}?|\bxfb2?\([^)\n]{0,200}\))"
    r" /\*(-?\d{1,20})\*/"
)
_POSITIONAL_VALUES = re.compile(r"\((-?\d{1,20}(?:, -?\d{1,20}){0,15})\)((?: /\*[^*\n]{1,200}\*/){1,16})")
_COMMENT = re.compile(r"/\*([^*]*)\*/")
_MODERN_VALUE = re.compile(rb"^[ \t]*(?:con |div )?\d+(?:x\d+)?( +)(?:%|ssa_)(\d+)", re.M)
_UNDEF_WORD = re.compile(rb"= ssa_undef\b")
_ACCESS_NUMBERS = tuple(f"{before}access={digit}".encode() for before in "( " for digit in range(10))
_MATH_CONTROL_BEHIND = (
    b" // exact",
    b" // preserve:",
    b" // no-contract",
    b" // no-reassoc",
    b" // no-transform",
)
_EXACT_MARKED = (b"! %", b"! ssa_")
# This header field was added together with the comments; a dump may have no exact instruction.
_FIELD_OF_THEIR_TIME = b"\nmax_subgroup_size: "
_INLINED_MODERN = re.compile(rb"(?:%|ssa_)\d++(?:\.[^ ,()%]{1,100})? \((?:0x|-?\d+\.|true|false|-?nan|-?inf)")
_INLINED_CLASSIC = re.compile(rb"ssa_\d+ /\*\(")


_WITHOUT_RAW_NUMBERS = re.compile(rb"\b(?:wrmask=[a-pw-z]{1,4}|(?:src|dest)_type=[a-z]{3,7}\d{0,2})[,)]")
_VARIABLE_LISTS = re.compile(rb"intrinsic \w++ \([^()]*+\) \([^()]*+\) \(")
_TEXTURE_LISTS = re.compile(rb" \(texture\)[^\s,]")


@dataclass(frozen=True, slots=True)
class FunctionStyle:
    """Print style of one function.

    `number_width` is the number of digits that modern dumps reserve (Mesa: the digits of
    `nir_function_impl::ssa_alloc`, which may be more than the highest number needs). `divergence` says
    whether `con` / `div` is printed before values, blocks and loops.
    """

    number_width: int = 1
    divergence: bool = False


@dataclass(frozen=True, slots=True)
class PrintStyle:
    """Print style of a shader; `PrintStyle.of` derives it from the original dump.

    `indent` is the text of one level. `functions` holds the style of each function by name. `exponents`:
    floats from a million on as `%e`, as Mesa does since 25.1. `bit_size_width` is the width of the bit size
    in older dialects: 2 in classic ones, 1 in old ones, 0 where it is not printed (before 2016).
    `inline_constants`: whether constants are repeated after their uses. `infer_types`: whether constants are
    shown by the type of their uses; without it all interpretations are shown. `access_word`: whether modern
    `decl_var` lines contain `none`. `math_control_behind`: exactness is printed in a comment after the
    operation (since 2026), not as `!`. `value_mark` precedes the number of a value in modern dumps, `ssa_` in
    those with debug info. `space_behind_edges` and `access_numbers` are set for the first modern printers
    (2023): a space after each block of an edge comment, `access=0` for `access=none`. `raw_values` maps the
    words of indices to the numbers that older dumps print in addition, which differ between releases;
    `raw_numbers`: whether classic dumps print them, as until 23.0. `variable_lists`: intrinsics have a list
    of variables between sources and indices, `texture_lists`: no comma is behind a texture, as until 2018.
    """

    dialect: Dialect = Dialect.MODERN
    newline: str = "\n"
    indent: str = "    "
    functions: Mapping[str, FunctionStyle] = field(default_factory=dict)
    exponents: bool = False
    bit_size_width: int = 2
    inline_constants: bool = True
    infer_types: bool = True
    access_word: bool = True
    undef_word: str = "undefined"
    math_control_behind: bool = False
    value_mark: str = "%"
    space_behind_edges: bool = False
    access_numbers: bool = False
    raw_values: Mapping[str, int] = field(default_factory=dict)
    raw_numbers: bool = True
    variable_lists: bool = False
    texture_lists: bool = False

    @classmethod
    def of(cls, shader: Shader) -> PrintStyle:
        """Return the style of the original dump of `shader`; Mesa's default for one built by hand."""
        dialect, source = shader.dialect, shader.source
        modern = dialect is Dialect.MODERN
        functions = {
            impl.function.name: FunctionStyle(_number_width(impl, source), _prints_divergence(impl))
            for impl in shader.impls()
        }
        if not source:
            return cls.default(dialect, functions)
        inlined = _INLINED_MODERN if modern else _INLINED_CLASSIC
        return cls(
            dialect=dialect,
            newline="\r\n" if source.find(b"\r\n") == source.find(b"\n") - 1 >= 0 else "\n",
            indent=_indent(shader),
            functions=functions,
            exponents=modern and _EXPONENT.search(source) is not None,
            bit_size_width=_bit_size_width(dialect, source),
            inline_constants=inlined.search(source) is not None or (modern and not _reads_constant(shader)),
            access_word=not modern or b"decl_var" not in source or b" none " in source,
            undef_word="ssa_undef" if _UNDEF_WORD.search(source) else "undefined",
            math_control_behind=modern and _math_control_behind(source),
            value_mark="%" if b"%" in source or b"ssa_" not in source else "ssa_",
            space_behind_edges=modern and b"// preds: \n" in source,
            access_numbers=modern and any(text in source for text in _ACCESS_NUMBERS),
            raw_values={} if modern else _raw_values(source, dialect),
            raw_numbers=_WITHOUT_RAW_NUMBERS.search(source) is None,
            variable_lists=_VARIABLE_LISTS.search(source) is not None,
            texture_lists=_TEXTURE_LISTS.search(source) is not None,
        )

    @classmethod
    def default(cls, dialect: Dialect, functions: Mapping[str, FunctionStyle] | None = None) -> PrintStyle:
        """Return the style of the newest known printer of a dialect."""
        modern = dialect is Dialect.MODERN
        return cls(
            dialect=dialect,
            indent="    " if modern else "\t",
            functions=functions or {},
            bit_size_width=1 if dialect is Dialect.OLD else 2,
            inline_constants=modern,
        )

    def function(self, name: str) -> FunctionStyle:
        """Return the style of a function; narrow columns for an unknown one."""
        return self.functions.get(name, _UNKNOWN_FUNCTION)


_UNKNOWN_FUNCTION = FunctionStyle()


def digits(number: int) -> int:
    """Return the number of decimal digits."""
    return len(str(number)) if number > 0 else 1


def _math_control_behind(source: bytes) -> bool:
    if any(text in source for text in _MATH_CONTROL_BEHIND):
        return True
    return _FIELD_OF_THEIR_TIME in source and not any(text in source for text in _EXACT_MARKED)


def _number_width(impl: FunctionImpl, source: bytes) -> int:
    """Return the digits that the dump reserves: measured at its first value, else by Mesa's rule."""
    for instr in impl.instrs():
        if instr.def_ is None or instr.span is None:
            continue
        start = source.rfind(b"\n", 0, instr.span.start) + 1
        match = _MODERN_VALUE.match(source, start)
        if match is None:
            continue
        value = instr.def_
        size_column = len("x4 ") - len(_size_word(value))
        return len(match.group(1)) - size_column - (value.bit_size <= 8) - 1 + len(match.group(2))
    highest = max((value.index for value in impl.defs()), default=-1)
    return digits(highest + 1)


def _size_word(value: Def) -> str:
    if value.num_components == 1:
        return ""
    return f"x{value.num_components}" if value.num_components in (2, 3, 4, 5, 8, 16) else "x??"


def _prints_divergence(impl: FunctionImpl) -> bool:
    for block in impl.blocks():
        if block.divergent is not None:
            return True
        for instr in block:
            if instr.def_ is not None:
                return instr.def_.divergent is not None
    return False


def _indent(shader: Shader) -> str:
    default = "    " if shader.dialect is Dialect.MODERN else "\t"
    for impl in shader.impls():
        span = impl.body[0].span if impl.body else None
        if span is not None:
            start = shader.source.rfind(b"\n", 0, span.start) + 1
            match = _LEADING_SPACE.match(shader.source, start)
            return match.group(0).decode() if match and match.group(0) else default
    return default


def _bit_size_width(dialect: Dialect, source: bytes) -> int:
    if dialect is Dialect.MODERN:
        return 0
    if _NO_BIT_SIZE.search(source):
        return 0
    if _PADDED_BIT_SIZE.search(source):
        return 2
    if _UNPADDED_BIT_SIZE.search(source):
        return 1
    return 1 if dialect is Dialect.OLD else 2


def _reads_constant(shader: Shader) -> bool:
    return any(
        instr.kind == "load_const" and instr.def_ is not None and instr.def_.uses for instr in shader.instrs()
    )


def _raw_values(source: bytes, dialect: Dialect) -> dict[str, int]:
    """Map the index words of the dump to the raw numbers that it prints in addition."""
    text = source.decode("utf-8", "replace")
    if dialect is Dialect.CLASSIC:
        return {match.group(1): int(match.group(2)) for match in _RAW_VALUE.finditer(text)}
    values: dict[str, int] = {}
    for match in _POSITIONAL_VALUES.finditer(text):
        numbers = match.group(1).split(",")
        shown = [comment.strip() for comment in _COMMENT.findall(match.group(2))]
        if len(numbers) <= len(shown):
            values.update(zip(shown, map(int, numbers), strict=False))
    return values
