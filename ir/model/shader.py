"""Shaders: header, variables, functions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from nirls.ir.model.slots import AttributeNumbers
from nirls.ir.model.span import Span
from nirls.ir.model.stage import Stage

if TYPE_CHECKING:
    from nirls.ir.model.control_flow import FunctionImpl
    from nirls.ir.model.instructions import Instr


class Dialect(Enum):
    """Printer formats of Mesa: modern since 2023-09, classic from 2021 to 2023, old before."""

    MODERN = "modern"
    CLASSIC = "classic"
    OLD = "old"


@dataclass(slots=True)
class HeaderField:
    """One `key: value` line of a dump's header. `value` is the text after the colon, stripped."""

    key: str
    value: str
    span: Span | None = None


_PRINTED_NUMBER = re.compile(r"(?<=.)[#@]\d+\Z")


def unnumbered(name: str) -> str:
    """Strip the number that printers give to variables with equal names: `color#0`, formerly `color@0`.

    A number that is all of the name, as of a variable without one, stays.
    """
    return _PRINTED_NUMBER.sub("", name)


@dataclass(slots=True, eq=False)
class Variable:
    """A `decl_var` line (Mesa: `nir_variable`).

    `mode` is the printed mode word (`shader_in`, `uniform`, `ubo`, `system`, ...), `function_temp`
    for locals of a function, whose lines print no mode. `qualifiers` are the words before the mode
    (`patch`, `centroid`, `invariant`, ...), in order; `access` the words between precision and type
    (`restrict`, `readonly`, ...). `location` is the text of the first field in the parentheses
    (`VARYING_SLOT_VAR0.xyzw`, `~0`, `2`), None where there are no parentheses. `data` holds the rest
    of the parentheses. `driver_location` is the second field as a number, None if absent.
    `initializer` is the text after `=`, `trailing` words after the parentheses (`compact`).
    """

    name: str
    mode: str
    type_name: str
    interpolation: str = "INTERP_MODE_NONE"
    precision: str | None = None
    qualifiers: tuple[str, ...] = ()
    access: tuple[str, ...] = ()
    image_format: str | None = None
    location: str | None = None
    driver_location: int | None = None
    data: tuple[str, ...] = ()
    trailing: tuple[str, ...] = ()
    initializer: str | None = None
    comment: str | None = None
    span: Span | None = None

    def __repr__(self) -> str:
        return f"<Variable {self.mode} {self.type_name} {self.name}>"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A function parameter: sizes in components and bits; `text` as printed."""

    num_components: int
    bit_size: int
    text: str


@dataclass(slots=True, eq=False)
class Function:
    """A `decl_function` line, with the body if the dump has it. `text` is the text after the name.

    `keyword` is `decl_overload` in dumps of 2015.
    """

    name: str
    params: tuple[Parameter, ...] = ()
    is_entrypoint: bool = False
    text: str = ""
    impl: FunctionImpl | None = None
    span: Span | None = None
    keyword: str = "decl_function"


@dataclass(frozen=True, slots=True)
class Annotation:
    """A line that Mesa's validator wrote into the dump: `error: ...` below an instruction.

    `instr_span` is the span of the instruction above it, None if there is none.
    """

    message: str
    span: Span
    instr_span: Span | None


@dataclass(frozen=True, slots=True)
class UnreadableLine:
    """A part of a dump that could not be parsed; it is skipped, and its text kept."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Damage:
    """The line where a dump breaks, and why; `opened` is the line of the construct that is not closed."""

    span: Span
    reason: str
    opened: Span | None = None


@dataclass(slots=True, weakref_slot=True, eq=False, repr=False)
class Shader:
    """One dump as IR (Mesa: `nir_shader`).

    `source` is the exact text of the dump it was parsed from, b"" for a shader built by hand; all
    spans are byte ranges of it. A clone shares it, so that edits against it can be made. `damage` is the
    line where a dump breaks that is cut off or mixed with another; the IR of such a dump means nothing.
    `has_early_reads` is whether an instruction other than a phi reads a value above its definition. `defect`
    is the result of `nirls.ir.validation.defect_of`, None before the first look; clones share it, since
    passes keep valid IR valid. `omitted` are the lines, like `...`, in place of others that were left out.
    `attribute_numbers` is how vertex attributes are numbered where the dump prints numbers; in the IR they
    have the numbers since 21.3.
    """

    stage: Stage | None
    dialect: Dialect = Dialect.MODERN
    header: list[HeaderField] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    annotations: list[Annotation] = field(default_factory=list)
    unreadable: list[UnreadableLine] = field(default_factory=list)
    source: bytes = b""
    damage: Damage | None = None
    has_early_reads: bool = False
    defect: str | None = None
    omitted: list[Span] = field(default_factory=list)
    attribute_numbers: AttributeNumbers = AttributeNumbers.SINCE_21_3

    def __repr__(self) -> str:
        stage = "without stage" if self.stage is None else self.stage.abbreviation
        name = self.header_value("name")
        blocks = sum(len(impl.blocks()) for impl in self.impls())
        return (
            f"<Shader {stage}{f' {name}' if name else ''}, {blocks} {'block' if blocks == 1 else 'blocks'}>"
        )

    @property
    def is_excerpt(self) -> bool:
        """Whether the dump is not whole: no header, or lines left out."""
        is_parsed = bool(self.source)
        return is_parsed and (bool(self.omitted) or not any(item.key == "shader" for item in self.header))

    def take_contents_of(self, other: Shader) -> None:
        """Replace the contents by those of a changed clone, which must not be used afterwards."""
        self.header, self.variables, self.functions = other.header, other.variables, other.functions
        self.annotations, self.unreadable = other.annotations, other.unreadable
        self.attribute_numbers = other.attribute_numbers

    def header_value(self, key: str) -> str | None:
        """Return the value of a header line, None if there is none."""
        return next((item.value for item in self.header if item.key == key), None)

    def header_number(self, key: str) -> int:
        """Return the first number of a header line; 0 if there is none."""
        match = re.search(r"\d+", self.header_value(key) or "")
        return int(match.group()) if match else 0

    @property
    def workgroup_size(self) -> tuple[int, int, int]:
        """The stated size of a workgroup along each axis; 0 if it is unknown or variable."""
        values = map(self.header_value, ("workgroup_size", "workgroup-size", "local-size"))
        numbers = [int(number) for number in re.findall(r"\d+", next(filter(None, values), ""))[:3]]
        width, height, depth = (*numbers, 1, 1, 1)[:3] if numbers else (0, 0, 0)
        return width, height, depth

    @property
    def name(self) -> str | None:
        """The `name:` of the shader."""
        return self.header_value("name")

    @property
    def first_line(self) -> Span:
        """The span of the `shader:` line, which may follow `// nirls:` comments."""
        start = self.source.find(b"shader:")
        if start < 0:
            return Span(0, 0, 0)
        end = self.source.find(b"\n", start)
        return Span(start, len(self.source) if end < 0 else end, self.source.count(b"\n", 0, start))

    @property
    def has_unstructured_control_flow(self) -> bool:
        """Whether a function has gotos in place of ifs and loops."""
        return any(impl.is_unstructured for impl in self.impls())

    def impls(self) -> Iterator[FunctionImpl]:
        """Yield the bodies of all functions that have one."""
        for function in self.functions:
            if function.impl is not None:
                yield function.impl

    def instrs(self) -> Iterator[Instr]:
        """Yield every instruction of all functions in printed order."""
        for impl in self.impls():
            yield from impl.instrs()

    @property
    def entrypoint(self) -> FunctionImpl | None:
        """The body of the entry point: the marked function, else `main`, else the only one with a body."""
        impls = list(self.impls())
        marked = [impl for impl in impls if impl.function.is_entrypoint]
        if marked:
            return marked[0]
        named = [impl for impl in impls if impl.function.name == "main"]
        if named:
            return named[0]
        return impls[0] if len(impls) == 1 else None

    def variables_of_mode(self, mode: str) -> list[Variable]:
        """Return the variables with a printed mode, in order."""
        return [variable for variable in self.variables if variable.mode == mode]


def renumber(shader: Shader) -> None:
    """Number values, blocks and registers of each function from 0 in printed order, in place.

    As Mesa does before printing (`nir_index_ssa_defs`, `nir_index_blocks`). Numbers that are used but
    defined nowhere come last.
    """
    for impl in shader.impls():
        for index, value in enumerate((*impl.defs(), *impl.undefined_references)):
            value.index = index
        for index, block in enumerate((*impl.blocks(), impl.end_block)):
            block.index = index
            block.stated_preds = block.stated_succs = None
        for index, register in enumerate(impl.registers):
            register.index = index
        impl.link_blocks()
