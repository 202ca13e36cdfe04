"""A whole unit test: the file that Mesa's tree takes in src/compiler/nir/tests."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from nirls.ir.mesa_test.alu import needs_folding
from nirls.ir.mesa_test.api import MesaApi
from nirls.ir.mesa_test.code import INDENT, Code, NotBuildableError
from nirls.ir.mesa_test.expected import expected_text, modern_copy
from nirls.ir.mesa_test.fixture import fixture_class
from nirls.ir.mesa_test.functions import write_functions
from nirls.ir.mesa_test.header import set_header
from nirls.ir.mesa_test.passes import pass_call
from nirls.ir.mesa_test.types import declare_structs
from nirls.ir.mesa_test.variables import declare_unprinted, declare_variables
from nirls.ir.model.instructions import DerefInstr
from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.text.printing.convert import ConversionError

_WIDTH = 100
# Up to a comma that is not in a string.
_ARGUMENT = re.compile(r'(?:"(?:\\.|[^"\\])*"|[^",])+(?:, |,|\Z)|,')
_NO_WORD = re.compile(r"\W+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a test expects after the pass: a shader, and a comment on it. `changes`: whether the pass must."""

    shader: Shader
    comment: Sequence[str] = ()
    changes: bool = True


@dataclass(frozen=True, slots=True)
class UnitTest:
    """The text of a test file, and what its author still has to look at."""

    text: str
    notes: tuple[str, ...] = ()


def unit_test(
    shader: Shader,
    pass_name: str | None,
    expectation: Expectation,
    api: MesaApi,
    test_name: str = "case",
) -> UnitTest:
    """Write the test of a pass on a shader; without a pass, the test compares the shader as it was built.

    Raises NotBuildableError, which names all that the API of the release cannot build.
    """
    subject = _NO_WORD.sub("_", pass_name or "nir_builder")
    class_name = f"{subject}_{test_name}_test"
    code = built(shader, api)
    try:
        expected = expected_text(expectation.shader, class_name, api, code.shader)
    except ConversionError as error:
        raise NotBuildableError((str(error),)) from error
    notes: list[str] = []
    if shader.dialect is not Dialect.MODERN:
        notes.append("the dump is of Mesa before 23.3: the expected text lacks what newer releases print")
    lines = [part for line in code.lines for part in wrapped(line)]
    lines += _run(pass_name, expectation, notes)
    several = sum(1 for _ in shader.impls()) > 1
    if several:
        lines += [
            "",
            f"{INDENT}nir_foreach_function_impl(impl, b->shader)",
            f"{INDENT * 2}nir_index_ssa_defs(impl);",
        ]
    lines += ["", *_comment(expectation.comment), *_check(expected)]
    stage = shader.header_value("shader") or "MESA_SHADER_COMPUTE"
    includes = ['#include "nir_test.h"', *(f'#include "{name}"' for name in sorted(code.includes))]
    body = "\n".join(lines)
    text = "\n".join(
        [
            "/* SPDX-License-Identifier: MIT */",
            "",
            *includes,
            "",
            fixture_class(class_name, stage, code.helpers, api),
            f"TEST_F({class_name}, {_NO_WORD.sub('_', test_name)})",
            "{",
            body,
            "}",
            "",
        ]
    )
    return UnitTest(text, tuple(notes))


def wrapped(line: str) -> list[str]:
    """Break a line that is too long behind arguments, as Mesa's code is."""
    opening = line.find("(") + 1
    if len(line) <= _WIDTH or not opening:
        return [line]
    margin = len(line) - len(line.lstrip())
    indent = opening if opening <= _WIDTH // 2 else margin + 2 * len(INDENT)
    lines = []
    current = ""
    for argument in _ARGUMENT.findall(line):
        if current and len(current) + len(argument.rstrip()) > _WIDTH:
            lines.append(current.rstrip())
            current = " " * indent
        current += argument
    return [*lines, current]


def built(shader: Shader, api: MesaApi) -> Code:
    """Write the lines that build a shader. Raises NotBuildableError."""
    try:
        copy = modern_copy(shader)
    except ConversionError as error:
        raise NotBuildableError((str(error),)) from error
    _refuse_broken(copy)
    entrypoint = copy.entrypoint
    if entrypoint is None:
        raise NotBuildableError(("a shader without an entry point",))
    declare_unprinted(copy)
    code = Code(copy, api)
    set_header(code)
    declare_structs(_type_names(copy), code)
    declare_variables(code)
    write_functions(code, entrypoint)
    if needs_folding(copy):
        code.helpers.add("fold_swizzles")
        code.line()
        code.line("fold_swizzles();")
    if code.reasons:
        raise NotBuildableError(tuple(code.reasons))
    while code.lines and not code.lines[-1]:
        code.lines.pop()
    return code


def _refuse_broken(shader: Shader) -> None:
    if shader.stage is None or shader.is_excerpt:
        raise NotBuildableError(("an excerpt: the dump is not whole",))
    if shader.damage is not None or shader.unreadable:
        raise NotBuildableError(("a dump that cannot be read as a whole",))


def _type_names(shader: Shader) -> list[str]:
    names = [variable.type_name for variable in shader.variables]
    for impl in shader.impls():
        names += [variable.type_name for variable in impl.locals]
    names += [instr.type_name for instr in shader.instrs() if isinstance(instr, DerefInstr)]
    return list(dict.fromkeys(names))


def _run(pass_name: str | None, expectation: Expectation, notes: list[str]) -> list[str]:
    """Return the lines that validate the shader and run the pass."""
    lines = ["", f'{INDENT}nir_validate_shader(b->shader, "after building");']
    if pass_name is None:
        return lines
    call = pass_call(pass_name)
    if not call.is_known:
        notes.append(f"{pass_name} is no pass of libnir that is known: its call and its header are guessed")
        lines += ["", f"{INDENT}/* TODO: the call and the header of this pass are guessed. */"]
    elif call.options:
        notes.append(f"{pass_name} takes {', '.join(call.options)}, which no dump has: fill in the values")
        lines += ["", *_comment([f"TODO: the options are placeholders for {', '.join(call.options)}."])]
    else:
        lines.append("")
    if call.reports_progress and expectation.changes:
        lines.append(f"{INDENT}ASSERT_TRUE({call.text});")
    elif call.reports_progress:
        lines.append(f"{INDENT}ASSERT_FALSE({call.text});")
    else:
        lines.append(f"{INDENT}{call.text};")
    return [*lines, f'{INDENT}nir_validate_shader(b->shader, "after {pass_name}");']


def _comment(paragraphs: Sequence[str]) -> list[str]:
    """Return a comment of one or more paragraphs or lines, wrapped."""
    lines = [
        part for paragraph in paragraphs for part in textwrap.wrap(_in_comment(paragraph), _WIDTH - 6) or [""]
    ]
    if not lines:
        return []
    if len(lines) == 1:
        return [f"{INDENT}/* {lines[0]} */"]
    rest = [f"{INDENT} * {line}".rstrip() for line in lines[1:]]
    return [f"{INDENT}/* {lines[0]}", *rest, f"{INDENT} */"]


def _in_comment(text: str) -> str:
    """Return text that does not end a comment or steer a terminal; names in dumps may hold anything."""
    shown = "".join(character if character.isprintable() else " " for character in text)
    return shown.replace("*/", "* /")


def _check(expected: str) -> list[str]:
    """Return the comparison with the expected text, which ignores space."""
    delimiter = ""
    while f'){delimiter}"' in expected:
        delimiter += "x"
    text = [f"{INDENT * 2}{line}".rstrip() for line in expected.rstrip("\n").split("\n")]
    return [
        f'{INDENT}check_nir_string(NIR_REFERENCE_SHADER(R"{delimiter}(',
        *text,
        f'{INDENT}){delimiter}"));',
    ]
