"""Every form of an opcode or intrinsic that a release had is valid in the dialects of its releases."""

from __future__ import annotations

from collections import Counter

import pytest

from nirls.ir.finding import Severity
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Dialect
from nirls.ir.model.values import VALID_COMPONENT_COUNTS
from nirls.ir.tables import Intrinsic, Opcode, intrinsics, opcodes
from nirls.ir.tables.entries import split_type
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.release import RELEASES_OF_DIALECT
from nirls.ir.validation import validate

VALUES = {
    "io_semantics": "io location=0 slots=1",
    "align_mul": "align_mul=4",
    "range": "range=16",
    "write_mask": "wrmask=x",
    "io_xfb": "xfb()",
    "io_xfb2": "xfb2()",
    "memory_modes": "mem_modes=ssbo",
    "src_type": "src_type=float32",
    "num_components": "num_components=1",
    "bit_size": "bit_size=32",
    "interp_mode": "interp_mode=INTERP_MODE_SMOOTH",
}
# Their operands are derefs or registers, or they stand in other places.
SPECIAL = ("deref", "_reg", "load_param", "var_")


def width(components: int) -> int:
    return max(components, 1)


def instruction(form: Intrinsic, dialect: Dialect, number: int) -> str:
    """An instruction of a form, whose sources are the values 1 to 16 by their widths."""
    bits = 32 if 32 in form.bit_sizes or not form.bit_sizes else form.bit_sizes[-1]
    is_modern = dialect is Dialect.MODERN
    names = [f"{'%' if is_modern else 'ssa_'}{width(components)}" for components in form.src_components]
    sources = ", ".join(names)
    indices = ", ".join(VALUES.get(name, f"{name}=0") for name in form.indices)
    if dialect is Dialect.OLD:
        indices = ", ".join("15" if name == "align_mul" else "1" for name in form.indices)
    dest = ""
    if form.has_dest:
        count = width(form.dest_components)
        if is_modern:
            dest = f"{bits}{f'x{count}' if count > 1 else ''} %{number} = "
        else:
            dest = f"vec{count} {bits} ssa_{number} = "
    call = f"@{form.name} ({sources})" if is_modern else f"intrinsic {form.name} ({sources})"
    return f"{dest}{call} ({indices})"


def dump(lines: list[str], dialect: Dialect) -> str:
    if dialect is Dialect.MODERN:
        values = "\n".join(f"32x{n} %{n} = undefined" for n in VALID_COMPONENT_COUNTS)
        body = "\n".join(lines)
        return (
            "shader: MESA_SHADER_COMPUTE\ndecl_function main () (entrypoint)\n\nimpl main {\n"
            f"block b0:  // preds:\n{values}\n{body}\n// succs: b1\nblock b1:\n}}\n"
        )
    constant = "(0x0 = 0.0)" if dialect is Dialect.CLASSIC else "(0x00000000 /* 0.000000 */)"
    values = "\n".join(f"vec{n} 32 ssa_{n} = undefined" for n in VALID_COMPONENT_COUNTS)
    body = "\n".join([f"vec1 32 ssa_17 = load_const {constant}", values, *lines])
    return (
        "shader: MESA_SHADER_COMPUTE\ndecl_function main (0 params)\n\nimpl main {\nblock block_0:\n"
        f"/* preds: */\n{body}\n/* succs: block_1 */\nblock block_1:\n}}\n"
    )


@pytest.mark.parametrize("dialect", list(Dialect))
def test_every_form_of_an_intrinsic_is_valid(dialect: Dialect) -> None:
    forms = [
        form
        for entry in intrinsics().values()
        for form in entry.forms()
        if not RELEASES_OF_DIALECT[dialect].isdisjoint(form.releases)
        and not any(word in form.name for word in SPECIAL)
    ]
    lines = [instruction(form, dialect, 100 + number) for number, form in enumerate(forms)]
    shader = parse_dump(dump(lines, dialect).encode())
    assert shader.dialect is dialect
    assert not shader.unreadable
    names = [instr.name for instr in shader.instrs() if isinstance(instr, IntrinsicInstr)]
    assert names == [form.name for form in forms]
    problems = [
        problem
        for problem in validate(shader)
        # The stage of a form is not in the tables.
        if problem.code != "wrong-stage" or problem.severity is Severity.ERROR
    ]
    by_message = Counter(f"{problem.code}: {problem.message}" for problem in problems)
    assert not by_message


def operation(form: Opcode, dialect: Dialect, number: int, values: dict[tuple[int, int], int]) -> str:
    """An ALU instruction of a form; `values` numbers the sources by bits and width."""

    def bits(type_name: str) -> int:
        base, size = split_type(type_name)
        # Mesa had no other booleans before 2019.
        return 32 if base == "bool" and size in (0, 1) and dialect is Dialect.OLD else size or 32

    width = form.output_size or 1
    sources = [
        values.setdefault((bits(type_name), size or width), 1000 + len(values))
        for type_name, size in zip(form.input_types, form.input_sizes, strict=True)
    ]
    size = bits(form.output_type)
    if dialect is Dialect.MODERN:
        operands = ", ".join(f"%{source}" for source in sources)
        return f"{size}{f'x{width}' if width > 1 else ''} %{number} = {form.name} {operands}"
    operands = ", ".join(f"ssa_{source}" for source in sources)
    return f"vec{width} {size} ssa_{number} = {form.name} {operands}"


@pytest.mark.parametrize("dialect", list(Dialect))
def test_every_form_of_an_opcode_is_valid(dialect: Dialect) -> None:
    forms = [
        form
        for entry in opcodes().values()
        for form in entry.forms()
        if not RELEASES_OF_DIALECT[dialect].isdisjoint(form.releases)
    ]
    values: dict[tuple[int, int], int] = {}
    lines = [operation(form, dialect, 2000 + number, values) for number, form in enumerate(forms)]
    defined = [
        f"{bits}{f'x{width}' if width > 1 else ''} %{number} = undefined"
        if dialect is Dialect.MODERN
        else f"vec{width} {bits} ssa_{number} = undefined"
        for (bits, width), number in values.items()
    ]
    shader = parse_dump(dump([*defined, *lines], dialect).encode())
    assert not shader.unreadable
    problems = [problem for problem in validate(shader) if problem.code != "constant-required"]
    assert not Counter(f"{problem.code}: {problem.message}" for problem in problems)
