"""IR that was taken apart leaves nothing to the garbage collector."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from nirls.ir.model.control_flow import Block, FunctionImpl, If, Loop
from nirls.ir.model.disposal import take_apart
from nirls.ir.model.instructions import Instr, ParallelCopyInstr
from nirls.ir.model.shader import Function, Shader
from nirls.ir.model.values import Def, RegDest, Register, Src
from nirls.ir.text.log_parts import dump_texts
from nirls.ir.text.parse import parse_dump
from tests.conftest import DATA
from tools.synthetic import vertex_dump

KINDS = (Instr, Def, Src, RegDest, Register, Block, If, Loop, FunctionImpl, Function, Shader)
SAMPLES = sorted(DATA.glob("**/*.nir"))


def living() -> int:
    """How many objects of IR there are."""
    return sum(isinstance(one, KINDS) for one in gc.get_objects())


@pytest.fixture(autouse=True)
def no_collection() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_every_kind_of_ir_is_freed(sample: Path) -> None:
    texts = dump_texts(sample.read_bytes())
    shaders = [parse_dump(text) for text in texts]  # fills the caches of lines
    before = living()
    shaders += [parse_dump(text) for text in texts]
    shader: Shader | None = None
    for shader in shaders:
        take_apart(shader.functions)
    shaders.clear()
    shader = None
    assert living() <= before
    assert gc.collect() < 1000
    assert living() <= before


def test_parallel_copies_are_freed() -> None:
    before = living()
    register, value = Register(0, 1, 32), Def(1, 1, 32)
    copy = ParallelCopyInstr([Def(2, 1, 32), RegDest(register, 1)], [Src(value), Src(register)])
    function = Function("main")
    function.impl = FunctionImpl(function)
    function.impl.registers.append(register)
    function.impl.undefined_references.append(value)
    block = Block(0)
    block.parent = function.impl
    block.append(copy)
    function.impl.body.append(block)
    take_apart([function])
    del register, value, copy, function, block
    assert living() == before


def test_a_large_block_is_freed_piece_by_piece() -> None:
    """So that other threads run meanwhile: few objects live on when the first instruction is gone."""
    others = living()
    shader = parse_dump(vertex_dump(2000).encode())
    impl = shader.entrypoint
    assert impl is not None
    middle = list(impl.instrs())[1000]
    seen: list[int] = []

    class Watched(dict):  # type: ignore[type-arg]
        def clear(self) -> None:
            seen.append(living() - others)

    assert middle.def_ is not None
    middle.def_.uses = Watched()
    del middle
    all_of_it = living() - others
    take_apart(shader.functions)
    assert seen[0] < all_of_it * 0.6
