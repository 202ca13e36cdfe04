"""`con` and `div` as Mesa prints them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import Block, If
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump, parse_shaders
from nirls.ir.text.printing import FunctionStyle, PrintStyle, fresh, print_with_divergence


def without_divergence(shader: Shader) -> Shader:
    """The dump as it would have been without the words."""
    copy = clone_shader(shader)
    for impl in copy.impls():
        for value in impl.defs():
            value.divergent = None
        for node in impl.cf_nodes():
            if not isinstance(node, If):
                node.divergent = None
    style = PrintStyle.of(shader)
    functions = {name: FunctionStyle(one.number_width) for name, one in style.functions.items()}
    return parse_dump(fresh(copy, replace(style, functions=functions)))


@pytest.mark.parametrize("dialect", ["modern", "classic"])
def test_words_that_were_taken_out_are_put_back(corpus: Path, dialect: str) -> None:
    for path in sorted(corpus.glob(f"pipelines/*/{dialect}/*.div.nir"))[::12]:
        for shader in parse_shaders(path.read_bytes()):
            plain = without_divergence(shader)
            words: dict[object, bool] = {}
            for impl, twin in zip(shader.impls(), plain.impls(), strict=True):
                for value, value_twin in zip(impl.defs(), twin.defs(), strict=True):
                    words[value_twin] = bool(value.divergent)
                for node, node_twin in zip(impl.cf_nodes(), twin.cf_nodes(), strict=True):
                    words[node_twin] = bool(node.divergent)
            assert b" div " not in fresh(plain)
            text = print_with_divergence(plain, words.__getitem__, words.__getitem__, words.__getitem__)
            assert text == shader.source


def test_numbers_and_remarks_stay(data: Path) -> None:
    shader = parse_dump((data / "edited.frag.nir").read_bytes())
    text = print_with_divergence(shader, lambda value: True, lambda block: False, lambda loop: False).decode()
    assert "    div 32     %4 = fadd %1, %3 (1.000000)  // mine\n" in text
    assert "    con block b0:       // preds:\n" in text
    impl = shader.entrypoint
    assert impl is not None
    assert all(value.divergent is None for value in impl.defs())
    assert all(node.divergent is None for node in impl.cf_nodes() if isinstance(node, Block))
