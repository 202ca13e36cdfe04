"""The worked example in the README is what the passes do."""

from __future__ import annotations

import re
from pathlib import Path

from nirls.ir.model.clone import clone_shader
from nirls.ir.text.edits import apply_edits, text_edits
from nirls.ir.text.parse import parse_dump
from nirls.passes.buffers.lower_dynamic_bo_access import lower_dynamic_bo_access
from nirls.passes.uniforms.inline_uniforms import InlineUniforms

README = Path(__file__).parents[3] / "passes" / "buffers" / "README.md"


def test_each_step_is_as_printed(data: Path) -> None:
    text = README.read_text()
    before, lowered, inlined = re.findall(r"```nir\n(.*?)```", text, re.DOTALL)
    source = (data / "ubo_array.frag.nir").read_bytes()
    assert source.decode() == before
    shader = parse_dump(source)
    result = clone_shader(shader)
    assert lower_dynamic_bo_access(result)
    middle = apply_edits(source, text_edits(shader, result))
    assert lowered in middle.decode()
    (finding,) = InlineUniforms().find([parse_dump(middle)])
    assert finding.message in " ".join(text.split())
    assert InlineUniforms().run([result]) == [result]
    assert inlined in apply_edits(source, text_edits(shader, result)).decode()
