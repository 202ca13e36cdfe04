"""Passes tested by what they make of a body: the text before and the text expected after."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

from nirls.ir.analysis.compare import difference
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import If
from nirls.ir.model.shader import Shader
from nirls.ir.text.edits import apply_edits, text_edits
from nirls.ir.text.parse import parse_dump
from nirls.ir.validation import validate

ShaderPass = Callable[[Shader], bool]


def parse_body(body: str, stage: str = "FRAGMENT", declarations: str = "", valid: bool = True) -> Shader:
    """A modern dump around the body of its main function; every line must be readable and valid."""
    text = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    declared = textwrap.dedent(declarations).strip("\n")
    head = f"shader: MESA_SHADER_{stage}\n{declared + chr(10) if declared else ''}"
    shader = parse_dump(f"{head}decl_function main () (entrypoint)\n\nimpl main {{\n{text}\n}}\n".encode())
    assert not shader.unreadable, shader.unreadable
    if valid:
        assert_valid(shader)
    return shader


def assert_valid(shader: Shader) -> None:
    errors = [problem for problem in validate(shader) if problem.severity == "error"]
    assert not errors, errors


def assert_uses(shader: Shader) -> None:
    """The use lists contain exactly the sources that stand in the shader."""
    for impl in shader.impls():
        srcs = [src for instr in impl.instrs() for src in instr.all_srcs()]
        srcs += [node.condition for node in impl.cf_nodes() if isinstance(node, If)]
        for value in impl.defs():
            assert set(value.uses) == {src for src in srcs if src.def_ is value}, value
        for src in srcs:
            assert src.def_ is None or src in src.def_.uses


def assert_becomes(
    shader_pass: ShaderPass, before: str, after: str, stage: str = "FRAGMENT", declarations: str = ""
) -> Shader:
    """Run a pass on one body and compare with another, up to numbering; also through the text edits.

    Returns what the pass made.
    """
    shader = parse_body(before, stage, declarations)
    result = clone_shader(shader)
    assert shader_pass(result)
    expected = parse_body(after, stage, declarations)
    assert difference(result, expected) is None, difference(result, expected)
    assert_valid(result)
    assert_uses(result)
    edited = parse_dump(apply_edits(shader.source, text_edits(shader, result)))
    assert not edited.unreadable
    assert difference(edited, expected) is None, difference(edited, expected)
    assert not shader_pass(result), "the pass makes progress on its own result"
    return result


def assert_unchanged(
    shader_pass: ShaderPass, body: str, stage: str = "FRAGMENT", declarations: str = ""
) -> None:
    """Run a pass that must leave a body alone and say so."""
    shader = parse_body(body, stage, declarations)
    result = clone_shader(shader)
    assert not shader_pass(result)
    assert difference(shader, result) is None
