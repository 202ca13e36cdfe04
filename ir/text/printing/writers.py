"""Printing of single instructions, without indentation, in each dialect (Mesa: nir_print.c)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from nirls.ir.model.instructions import (
    AluInstr,
    CallInstr,
    DerefInstr,
    IndexValue,
    Instr,
    IntrinsicInstr,
    JumpInstr,
    LoadConstInstr,
    ParallelCopyInstr,
    PhiInstr,
    TexInstr,
    UndefInstr,
)
from nirls.ir.model.math_control import MATH_CONTROL_WORDS, control_text
from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.model.slots import number_of_attribute
from nirls.ir.model.values import IDENTITY_SWIZZLE, AluSrc, Def, PhiSrc, RegDest, Register, Src
from nirls.ir.model.variable_path import PATH_SOURCES, count_values, filled_path, is_path, paths_of
from nirls.ir.text.attribute_numbers import attribute_semantics
from nirls.ir.text.printing.constants import FLOAT, definition_text, inlined_text, signed
from nirls.ir.text.printing.indices import (
    component_letters,
    index_text,
    is_shown_as_word,
    is_unnamed,
    older_index_text,
    raw_number,
)
from nirls.ir.text.printing.source_types import alu_types, intrinsic_src_type, tex_src_type
from nirls.ir.text.printing.style import FunctionStyle, PrintStyle
from nirls.ir.text.printing.type_inference import ConstantTypes
from nirls.ir.text.printing.variable_names import VariableNames, is_named_access

_MODERN_SIZES = {1: "   ", 2: "x2 ", 3: "x3 ", 4: "x4 ", 5: "x5 ", 8: "x8 ", 16: "x16"}
_OLDER_SIZES = {1: "vec1", 2: "vec2", 3: "vec3", 4: "vec4", 5: "vec5", 8: "vec8", 16: "vec16"}
_DIVERGENCE = {True: "div ", False: "con ", None: ""}
_TEX_FLAG_ORDER = (
    "texture non-uniform",
    "texture 2 non-uniform",
    "sampler non-uniform",
    "sampler 2 non-uniform",
    "offset non-uniform",
    "sparse",
    "skip_helpers",
)
_CAST_FACT = re.compile(r"\b(ptr_stride|align_mul|align_offset)=(\d+)")
_FLAG_ORDER = ("sat", "nsw", "nuw")


class InstrWriter:
    """Writes the instructions of one function; the dialects differ in the subclasses."""

    __slots__ = ("_chains", "_names", "function", "shader", "style", "types")

    def __init__(
        self, shader: Shader, style: PrintStyle, function: FunctionStyle, names: VariableNames
    ) -> None:
        self.shader = shader
        self.style = style
        self.function = function
        self.types = ConstantTypes()
        self._names = names
        self._chains: dict[DerefInstr, str] = {}

    def text(self, instr: Instr) -> str:
        """Return the text of an instruction, without its comment."""
        match instr:
            case AluInstr():
                return self._alu(instr)
            case IntrinsicInstr():
                return self._intrinsic(instr)
            case LoadConstInstr():
                return self._load_const(instr)
            case DerefInstr():
                return self._deref(instr)
            case TexInstr():
                return self._tex(instr)
            case PhiInstr():
                return f"{self._dest(instr)} = phi {', '.join(map(self._phi_src, instr.sources))}"
            case JumpInstr():
                return self._jump(instr)
            case UndefInstr():
                return f"{self._dest(instr)} = {self.style.undef_word}"
            case CallInstr():
                return self._call(instr)
            case ParallelCopyInstr():
                return "; ".join(
                    f"{self.def_text(dest) if isinstance(dest, Def) else self._reg_dest(dest)}"
                    f" = {self.src(src)}"
                    for dest, src in zip(instr.dests, instr.sources, strict=False)
                )
        raise TypeError(f"unknown instruction class {type(instr).__name__}")

    def comment(self, instr: Instr) -> str:
        """Return Mesa's comment after an instruction, with the space before it; or ""."""
        if isinstance(instr, IntrinsicInstr):
            name = self.access_name(instr)
            return "" if name is None else self._name_comment(name)
        if isinstance(instr, DerefInstr) and instr.deref_kind not in ("var", "cast"):
            return self._chain_comment(self._chain(instr))
        if isinstance(instr, AluInstr) and self.style.math_control_behind:
            words = control_text(instr.flags)
            return f" // {words}" if words else ""
        return ""

    def src(self, src: Src, base_type: str = "") -> str:
        """Return the text of a source; `base_type` is the type that is read, "" if undefined."""
        raise NotImplementedError

    def def_text(self, value: Def) -> str:
        """Return the text of a def at its definition: sizes and number."""
        raise NotImplementedError

    def block_name(self, index: int) -> str:
        """Return the name of a block: `b3`, `block_3`."""
        raise NotImplementedError

    def _intrinsic(self, instr: IntrinsicInstr) -> str:
        raise NotImplementedError

    def access_name(self, instr: IntrinsicInstr) -> str | None:
        """Return the variable name of an I/O access; None for other intrinsics."""
        return self._names.by_driver_location(instr)

    def _name_comment(self, name: str) -> str:
        raise NotImplementedError

    def _chain_comment(self, chain: str) -> str:
        raise NotImplementedError

    def _dest(self, instr: Instr) -> str:
        if instr.def_ is not None:
            return self.def_text(instr.def_)
        return "" if instr.reg_dest is None else self._reg_dest(instr.reg_dest)

    def _alu(self, instr: AluInstr) -> str:
        op = instr.op
        types = alu_types(op)
        inputs = () if types is None else types[0]
        srcs = [
            self._alu_src(src, inputs[position] if position < len(inputs) else "")
            for position, src in enumerate(instr.sources)
        ]
        dest = self.def_text(instr.def_) if instr.def_ is not None else self._alu_reg_dest(instr)
        if instr.flags:
            return f"{dest} = {op}{self._alu_flags(instr)} {', '.join(srcs)}"
        return f"{dest} = {op} {', '.join(srcs)}"

    def _alu_flags(self, instr: AluInstr) -> str:
        """Return the flags after the opcode: older printers mark exactness without finer words."""
        mark = "!" if instr.exact and not self.style.math_control_behind else ""
        flags = instr.flags - MATH_CONTROL_WORDS
        ordered = [flag for flag in _FLAG_ORDER if flag in flags] + sorted(flags.difference(_FLAG_ORDER))
        return "".join([mark, *[f".{flag}" for flag in ordered]])

    def _alu_reg_dest(self, instr: AluInstr) -> str:
        dest = instr.reg_dest
        if dest is None:
            return ""
        text = self._reg_dest(dest)
        if dest.write_mask == (1 << dest.reg.num_components) - 1:
            return text
        letters = component_letters(dest.reg.num_components)
        return f"{text}.{''.join([letters[i] for i in range(len(letters)) if dest.write_mask >> i & 1])}"

    def _alu_src(self, src: AluSrc, base_type: str) -> str:
        text = self.src(src, base_type)
        value = src.def_ if src.def_ is not None else src.reg
        width = 0 if value is None else value.num_components
        swizzle = src.swizzle
        if len(swizzle) != width or swizzle != IDENTITY_SWIZZLE[:width]:
            letters = component_letters(width)
            text = f"{text}.{''.join([letters[i % len(letters)] for i in swizzle])}"
        if src.abs:
            text = f"abs({text})"
        return f"-{text}" if src.negate else text

    def _load_const(self, instr: LoadConstInstr) -> str:
        value = instr.def_
        bit_size = 32 if value is None else value.bit_size
        style = self.style
        used_as = 0
        if style.dialect is Dialect.MODERN and style.infer_types and value is not None and bit_size > 1:
            used_as = self.types.of(value)
        constant = definition_text(instr.values, bit_size, style.dialect, used_as, exponent=style.exponents)
        return f"{self._dest(instr)} = load_const {constant}"

    def _deref(self, instr: DerefInstr) -> str:
        kind = instr.deref_kind
        word = "array" if kind == "array_wildcard" else kind
        if kind == "cast":
            link = self._cast(instr)
        elif kind == "var":
            link = f"&{_variable_name(instr)}"
        else:
            parent = "" if instr.parent is None else self.src(instr.parent)
            link = f"&{self._link(instr, parent, is_pointer=True, is_cast=False)}"
        return f"{self._dest(instr)} = deref_{word} {link} ({instr.mode} {instr.type_name})"

    def _cast(self, instr: DerefInstr) -> str:
        parent = "" if instr.parent is None else self.src(instr.parent)
        return f"({instr.type_name} *){parent}"

    def _link(self, instr: DerefInstr, parent: str, *, is_pointer: bool, is_cast: bool) -> str:
        """Return a deref step appended to the text of its parent."""
        is_struct = instr.deref_kind == "struct"
        if is_cast or (is_pointer and not is_struct):
            parent = f"({parent})" if is_struct else f"(*{parent})"
        if is_struct:
            return f"{parent}{'->' if is_pointer else '.'}{instr.field or ''}"
        if instr.deref_kind == "array_wildcard":
            return f"{parent}[*]"
        return f"{parent}[{self._array_index(instr)}]"

    def _array_index(self, instr: DerefInstr) -> str:
        index = instr.index
        if index is None:
            return str(instr.const_index or 0)
        value = index.def_
        if value is not None and isinstance(value.instr, LoadConstInstr) and value.instr.values:
            bits = value.instr.values[0]
            return str(bits if value.bit_size == 1 else signed(bits, value.bit_size))
        return self.src(index)

    def _chain(self, instr: DerefInstr) -> str:
        """Return the whole path of a deref, starting at its variable or cast."""
        known = self._chains
        path: list[DerefInstr] = []
        on_path: set[DerefInstr] = set()
        link: DerefInstr | None = instr
        while link is not None and link not in known and link not in on_path:
            path.append(link)
            on_path.add(link)
            link = link.parent_deref
        for link in reversed(path):
            parent = link.parent_deref
            if link.deref_kind == "var":
                known[link] = _variable_name(link)
            elif link.deref_kind == "cast":
                known[link] = self._cast(link)
            elif parent is None or parent not in known:
                text = "" if link.parent is None else self.src(link.parent)
                known[link] = self._link(link, text, is_pointer=True, is_cast=False)
            else:
                below_cast = parent.deref_kind == "cast"
                known[link] = self._link(link, known[parent], is_pointer=below_cast, is_cast=below_cast)
        return known[instr]

    def _tex(self, instr: TexInstr) -> str:
        paths = {flag for flag in instr.flags if flag.endswith(tuple(PATH_SOURCES))}
        in_paths = frozenset(PATH_SOURCES.values()) if paths else frozenset()
        parts = [
            f"{self.src(src, tex_src_type(instr, src.kind))} ({src.kind})"
            for src in instr.sources
            if src.kind not in in_paths
        ]
        flags = instr.flags - paths
        if "implicit lod" in flags:
            parts.append("implicit lod")
        if instr.component is not None:
            parts.append(f"{instr.component} (gather_component)")
        if instr.offsets:
            parts.append(f"{{ {', '.join([f'({x}, {y})' for x, y in instr.offsets])} }} (offsets)")
        if instr.texture_index is not None:
            parts.append(f"{instr.texture_index} (texture)")
        if instr.sampler_index is not None:
            parts.append(f"{instr.sampler_index} (sampler)")
        for word, kind in PATH_SOURCES.items():
            values = iter([self.src(src) for src in instr.sources if src.kind == kind])
            parts += [filled_path(path, values) for path in sorted(paths) if path.endswith(word)]
        if self.style.texture_lists:
            texture = next(
                (place for place, part in enumerate(parts) if part.endswith("(texture)")), len(parts)
            )
            parts[texture : texture + 2] = ["".join(parts[texture : texture + 2])]
        if flags:
            parts += [flag for flag in _TEX_FLAG_ORDER if flag in flags]
            # The dimension is last, and begins with a digit or a capital.
            parts += sorted(
                flags - {"implicit lod", *_TEX_FLAG_ORDER}, key=lambda flag: not flag[:1].islower()
            )
        dest_type = f"({instr.dest_type})" if instr.dest_type else ""
        return f"{self._dest(instr)} = {dest_type}{instr.op} {', '.join(parts)}"

    def _phi_src(self, src: PhiSrc) -> str:
        return f"{self.block_name(src.pred.index)}: {self.src(src)}"

    def _jump(self, instr: JumpInstr) -> str:
        targets = [self.block_name(target) for target in instr.targets]
        if instr.jump_kind == "goto_if" and instr.sources and len(targets) == 2:
            return f"goto {targets[0]} if {self.src(instr.sources[0])} else {targets[1]}"
        return " ".join([instr.jump_kind, *targets])

    def _call(self, instr: CallInstr) -> str:
        pointer = f"(indirect {self.src(instr.sources[0])}) " if instr.is_indirect else ""
        return f"{instr.op} {instr.callee_name} {pointer}{', '.join(self._call_arguments(instr))}"

    def _call_arguments(self, instr: CallInstr) -> list[str]:
        return [self.src(src) for src in instr.arguments]

    def _reg_src(self, src: Src) -> str:
        if src.reg is None:
            return ""
        return self._register(src.reg, src.reg_offset, src.reg_indirect)

    def _reg_dest(self, dest: RegDest) -> str:
        return self._register(dest.reg, dest.offset, dest.indirect)

    def _register(self, reg: Register, offset: int, indirect: Src | None) -> str:
        name = register_name(reg)
        if not reg.num_array_elems and not offset and indirect is None:
            return name
        return f"{name}[{offset}{'' if indirect is None else f' + {self.src(indirect)}'}]"


class ModernWriter(InstrWriter):
    """Since 2023: `32x4  %3 = @load_deref (%2) (access=none)`."""

    __slots__ = ("_prefixes",)

    def __init__(
        self, shader: Shader, style: PrintStyle, function: FunctionStyle, names: VariableNames
    ) -> None:
        super().__init__(shader, style, function, names)
        self._prefixes: dict[tuple[int, int, bool | None], str] = {}

    def block_name(self, index: int) -> str:
        return f"b{index}"

    def def_text(self, value: Def) -> str:
        key = (value.num_components, value.bit_size, value.divergent)
        prefix = self._prefixes.get(key)
        if prefix is None:
            prefix = self._prefixes[key] = self._prefix(*key)
        number = str(value.index)
        pad = " " * (self.function.number_width - len(number))
        return f"{prefix}{pad}{self._name(value)}"

    def _name(self, value: Def) -> str:
        name = f"{self.style.value_mark}{value.index}"
        return name if value.name is None else f"{name}.{value.name}"

    def _prefix(self, num_components: int, bit_size: int, divergent: bool | None) -> str:
        word = ""
        if self.function.divergence:
            # A value without known divergence leaves the column blank.
            word = _DIVERGENCE[divergent] or "    "
        # One digit less in the bit size is one space more; 1-bit and 8-bit values stay in the column.
        pad = " " * (1 + (bit_size <= 8))
        return f"{word}{bit_size}{_MODERN_SIZES.get(num_components, 'x??')}{pad}"

    def src(self, src: Src, base_type: str = "") -> str:
        value = src.def_
        if value is None:
            return self._reg_src(src)
        producer = value.instr
        if type(producer) is not LoadConstInstr or not self.style.inline_constants:
            return self._name(value)
        if not base_type and self.style.infer_types and self.types.of(value) == FLOAT:
            base_type = "float"
        text = inlined_text(producer.values, value.bit_size, base_type, self.style.exponents)
        return f"{self._name(value)} {text}"

    def _intrinsic(self, instr: IntrinsicInstr) -> str:
        text = f"@{instr.name}"
        if instr.def_ is not None:
            text = f"{self.def_text(instr.def_)} = {text}"
        if instr.sources:
            srcs = [
                self.src(src, intrinsic_src_type(instr, position))
                if src.def_ is not None and type(src.def_.instr) is LoadConstInstr
                else self.src(src)
                for position, src in enumerate(instr.sources)
            ]
            text = f"{text} ({', '.join(srcs)})"
        if instr.indices:
            stage = self.shader.stage
            indices = [
                f"access={value}"
                if name == "access" and self.style.access_numbers
                else index_text(instr, name, value, stage)
                for name, value in instr.indices.items()
            ]
            text = f"{text} ({', '.join(indices)})"
        return text

    def _deref(self, instr: DerefInstr) -> str:
        text = super()._deref(instr)
        facts = cast_facts(instr)
        return f"{text}  ({', '.join([f'{key}={value}' for key, value in facts])})" if facts else text

    def _call_arguments(self, instr: CallInstr) -> list[str]:
        callee = instr.callee
        if callee is None:
            callee = next((item for item in self.shader.functions if item.name == instr.callee_name), None)
        names = [] if callee is None else [param.text.partition(" ")[2] for param in callee.params]
        return [
            f"{names[position]} {self.src(src)}"
            if position < len(names) and names[position] not in ("", "return")
            else self.src(src)
            for position, src in enumerate(instr.arguments)
        ]

    def access_name(self, instr: IntrinsicInstr) -> str | None:
        if not is_named_access(instr):
            return None
        if instr.comment is not None:
            return comment_words(instr.comment)
        # An access in the dump without a name was printed without one.
        return self._names.by_slot(instr) if instr.span is None else None

    def _name_comment(self, name: str) -> str:
        return f"  // {name}"

    def _chain_comment(self, chain: str) -> str:
        return f"  // &{chain}"


class ClassicWriter(InstrWriter):
    """2021 to 2023: `vec4 32 div ssa_3 = intrinsic load_deref (ssa_2) (access=0)`."""

    __slots__ = ()

    def block_name(self, index: int) -> str:
        return f"block_{index}"

    def def_text(self, value: Def) -> str:
        size = _OLDER_SIZES.get(value.num_components, "error")
        width = self.style.bit_size_width
        bits = "" if width == 0 else f" {value.bit_size:{width}}"
        word = _DIVERGENCE[value.divergent] if self.function.divergence else ""
        return f"{size}{bits} {word}ssa_{value.index}"

    def src(self, src: Src, base_type: str = "") -> str:
        value = src.def_
        if value is None:
            return self._reg_src(src)
        if self.style.inline_constants and isinstance(value.instr, LoadConstInstr):
            constant = definition_text(value.instr.values, value.bit_size, Dialect.CLASSIC)
            return f"ssa_{value.index} /*{constant}*/"
        return f"ssa_{value.index}"

    def _intrinsic(self, instr: IntrinsicInstr) -> str:
        dest = "" if instr.def_ is None and instr.reg_dest is None else f"{self._dest(instr)} = "
        paths = paths_of(instr)
        listed = len(instr.sources) - count_values(paths)
        srcs = [self.src(src) for src in instr.sources]
        lists = [", ".join(srcs[:listed]), self._indices(instr)]
        if paths or self.style.variable_lists:
            values = iter(srcs[listed:])
            lists.insert(1, ", ".join([filled_path(path, values) for path in paths]))
        return f"{dest}intrinsic {instr.name} {' '.join([f'({words})' for words in lists])}"

    def _indices(self, instr: IntrinsicInstr) -> str:
        indices = []
        for name, value in instr.indices.items():
            if is_path(name):
                continue
            text = older_index_text(instr, name, value, Dialect.CLASSIC)
            if is_shown_as_word(name) and self.style.raw_numbers:
                number = raw_number(name, value)
                if isinstance(value, str | tuple):
                    number = self.style.raw_values.get(text, number)
                if number is not None:
                    text = f"{text} /*{number}*/"
            indices.append(text)
        return ", ".join(indices)

    def _deref(self, instr: DerefInstr) -> str:
        text = f"{super()._deref(instr)} "
        facts = cast_facts(instr)
        return f"{text} /* {', '.join([f'{key}={value}' for key, value in facts])} */" if facts else text

    def _name_comment(self, name: str) -> str:
        return f"\t/* {name} */"

    def _chain_comment(self, chain: str) -> str:
        return f"/* &{chain} */"


class OldWriter(ClassicWriter):
    """2015 to 2020: `intrinsic load_ubo (ssa_1, ssa_4) (0, 16, 0) /* access=0 */ /* align_mul=16 */ ...`."""

    __slots__ = ()

    def comment(self, instr: Instr) -> str:
        named = super().comment(instr)
        if not isinstance(instr, IntrinsicInstr):
            return named
        indices = [
            f" /* {older_index_text(instr, name, value, Dialect.OLD, self.shader.stage)} */"
            for name, value in self._printed_indices(instr)
            if not is_path(name) and not is_unnamed(name)
        ]
        return f"{''.join(indices)}{named}"

    def _indices(self, instr: IntrinsicInstr) -> str:
        numbers = []
        for name, value in self._printed_indices(instr):
            if is_path(name):
                continue
            number = raw_number(name, value)
            if isinstance(value, str | tuple):
                shown = older_index_text(instr, name, value, Dialect.OLD, self.shader.stage).strip()
                number = self.style.raw_values.get(shown, number)
            numbers.append(str(value) if number is None else str(number))
        return ", ".join(numbers)

    def _printed_indices(self, instr: IntrinsicInstr) -> Iterable[tuple[str, IndexValue]]:
        """Return the indices, with vertex attributes as the dump numbers them."""
        semantics = attribute_semantics(instr, self.shader.stage)
        if semantics is None:
            return instr.indices.items()
        number = number_of_attribute(semantics.location, self.shader.attribute_numbers)
        return (instr.indices | {"io_semantics": replace(semantics, location=number)}).items()


def writer_for(
    shader: Shader, style: PrintStyle, function: FunctionStyle, names: VariableNames
) -> InstrWriter:
    """Return the writer of the style's dialect."""
    writers: dict[Dialect, type[InstrWriter]] = {
        Dialect.MODERN: ModernWriter,
        Dialect.CLASSIC: ClassicWriter,
        Dialect.OLD: OldWriter,
    }
    return writers[style.dialect](shader, style, function, names)


def register_name(reg: Register) -> str:
    """`r4`; the global registers of the first years, kept with negative numbers, are `gr0`, `gr1`."""
    return f"r{reg.index}" if reg.index >= 0 else f"gr{-1 - reg.index}"


def comment_words(comment: str) -> str:
    """Strip the delimiters of a comment."""
    return comment.strip().removeprefix("//").removeprefix("/*").removesuffix("*/").strip()


def cast_facts(instr: DerefInstr) -> tuple[tuple[str, int], ...]:
    """Return stride and alignment of a cast; older dumps print them in a comment."""
    if instr.deref_kind != "cast" or instr.cast_info or instr.comment is None:
        return instr.cast_info
    return tuple((key, int(number)) for key, number in _CAST_FACT.findall(instr.comment))


def _variable_name(instr: DerefInstr) -> str:
    return instr.var_name if instr.var is None else instr.var.name
