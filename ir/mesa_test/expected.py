"""The text that a test expects: a shader as Mesa prints it after the pass, in the test."""

from __future__ import annotations

from dataclasses import replace

from nirls.ir.mesa_test.api import MesaApi
from nirls.ir.mesa_test.header import DROPPED, complete_header, header_after_pass, modern_header
from nirls.ir.model.shader import Dialect, HeaderField, Shader
from nirls.ir.text.printing.convert import converted
from nirls.ir.text.printing.normalize import renumbered
from nirls.ir.text.printing.printable import Printable
from nirls.ir.text.printing.render import fresh
from nirls.ir.text.printing.style import FunctionStyle


def modern_copy(shader: Shader) -> Shader:
    """Copy a shader to the modern dialect, whose instructions the builder has. Raises ConversionError."""
    copy = converted(Printable.of(shader), Dialect.MODERN).shader
    if shader.dialect is not Dialect.MODERN:
        copy.header = modern_header(copy.header)
    return copy


def expected_text(shader: Shader, name: str, api: MesaApi, before: Shader | None = None) -> str:
    """Return the text of a shader as `check_nir_string` compares it: renumbered, with the test's name.

    `before` is the shader that was built. Divergence is left out, because tests do not analyse it. Raises
    ConversionError.
    """
    printable = renumbered(converted(Printable.of(shader), Dialect.MODERN))
    copy, style = printable.shader, printable.style
    if shader.dialect is not Dialect.MODERN:
        copy.header = modern_header(copy.header)
    header = copy.header if before is None else header_after_pass(before.header, copy.header)
    kept = [item for item in header if item.key not in DROPPED]
    copy.header = [HeaderField("shader", copy.header_value("shader") or ""), HeaderField("name", name), *kept]
    if not api.is_since_26:
        copy.header = complete_header(copy.header, copy.stage)
    for impl in copy.impls():
        for block in impl.blocks():
            block.divergent = None
            for instr in block:
                for value in instr.defs():
                    value.divergent = value.name = None
    style = replace(
        style,
        newline="\n",
        functions={key: FunctionStyle(one.number_width, False) for key, one in style.functions.items()},
        exponents=api.prints_exponents,
        inline_constants=True,
        infer_types=True,
        access_word=True,
        undef_word="undefined",
        math_control_behind=api.is_since_26,
        value_mark="%",
        space_behind_edges=False,
        access_numbers=False,
    )
    return fresh(copy, style).decode("utf-8", "replace")
