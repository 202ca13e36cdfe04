"""Barriers as the dump's Mesa writes them."""

from __future__ import annotations

import pytest

from nirls.ir.model.builder import Builder
from nirls.ir.text.parse import parse_dump
from nirls.passes.tessellation.barrier_builder import build_output_barrier
from tests.passes.tessellation.patches import control, names

CLASSIC = (
    "shader: MESA_SHADER_TESS_CTRL\ndecl_function main (0 params)\n\nimpl main {{\n"
    "\tblock block_0:\n\t/* preds: */\n"
    "{}\t/* succs: block_1 */\n\tblock block_1:\n}}\n"
)


def test_modern_dumps_have_one_instruction() -> None:
    tcs = control()
    impl = tcs.entrypoint
    assert impl is not None
    (barrier,) = build_output_barrier(Builder(impl, impl.start_block), tcs)
    assert barrier.indices["memory_modes"] == ("shader_out",)
    assert names(tcs)[-1] == "barrier"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", ["memory_barrier_tcs_patch", "control_barrier"]),
        (
            "\tintrinsic scoped_barrier () (exec_scope=WORKGROUP /*4*/, mem_scope=WORKGROUP /*4*/,"
            " mem_semantics=ACQ|REL /*3*/, mem_modes=shader_out /*8*/)\n",
            ["scoped_barrier"],
        ),
    ],
)
def test_older_dumps_keep_to_what_they_have(line: str, expected: list[str]) -> None:
    tcs = parse_dump(CLASSIC.format(line).encode())
    assert not tcs.unreadable
    impl = tcs.entrypoint
    assert impl is not None
    assert [one.name for one in build_output_barrier(Builder(impl, impl.start_block), tcs)] == expected
