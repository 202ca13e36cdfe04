"""One body in front of another."""

from __future__ import annotations

from nirls.passes.tessellation.inline_vs_body import put_in_front
from tests.passes.tessellation.patches import control, names, vertex

BRANCH = (
    "1     %2 = flt %1, %0",
    "if %2 {",
    "    block b2:  // preds: b0",
    "    32    %3 = fneg %1",
    "} else {",
    "    block b3:  // preds: b0",
    "}",
    "block b4:  // preds: b2 b3",
    "32    %4 = phi b2: %3, b3: %1",
)


def test_numbers_are_unique_and_edges_right() -> None:
    vs, tcs = vertex(*BRANCH), control("32    %2 = iadd %1, %0")
    guest, host = vs.entrypoint, tcs.entrypoint
    assert guest is not None
    assert host is not None
    first = host.start_block.first
    joint, following = put_in_front(guest, host)
    assert following is first
    assert joint is host.blocks()[-1]
    assert names(tcs) == [
        "load_const",
        "load_input",
        "flt",
        "fneg",
        "phi",
        "load_const",
        "load_invocation_id",
        "iadd",
    ]
    numbers = [value.index for value in host.defs()]
    assert len(set(numbers)) == len(numbers)
    blocks = [block.index for block in (*host.blocks(), host.end_block)]
    assert len(set(blocks)) == len(blocks)
    assert {src.pred for phi in joint.phis() for src in phi.sources} == set(joint.predecessors)
    assert guest.body == []


def test_single_block_goes_into_the_first_one() -> None:
    vs, tcs = vertex(), control()
    guest, host = vs.entrypoint, tcs.entrypoint
    assert guest is not None
    assert host is not None
    put_in_front(guest, host)
    assert len(host.blocks()) == 1
    assert names(tcs)[0] == "load_const"
