"""Who writes and who reads which scalar."""

from __future__ import annotations

from nirls.passes.tessellation.inline_vs.interface import IoPart, mixed_sizes, read_interface
from tests.passes.tessellation.patches import control, load, out, store, vertex

VAR0 = 32


def test_parts_of_accesses() -> None:
    vs = vertex(store("%1", "VAR0", 2), store("%1", "VAR4", offset="%1", slots=2))
    tcs = control(load(3, "VAR0", component=2), load(4, "VAR0", "%0"), out("%3", "VAR1"))
    interface = read_interface(vs, tcs, 3)
    direct, indirect = interface.stores
    assert direct.parts == {0: IoPart(VAR0, 2, False)}
    assert (direct.offset, indirect.offset) == (0, None)
    assert list(indirect.all_parts()) == [IoPart(VAR0 + 4, 0, False), IoPart(VAR0 + 5, 0, False)]
    assert [read.own for read in interface.loads] == [True, False]
    assert interface.sizes[IoPart(VAR0, 2, False)] == 32
    assert len(interface.written()) == 3


def test_masked_vectors_leave_scalars_out() -> None:
    wide = store("%2", "VAR0").replace("wrmask=x", "wrmask=xz")
    interface = read_interface(vertex("32x3  %2 = vec3 %1, %1, %1", wide), control(), 3)
    assert interface.stores[0].parts == {0: IoPart(VAR0, 0, False), 2: IoPart(VAR0, 2, False)}


def test_halves_of_a_component() -> None:
    assert IoPart(1, 0, True).halves(16) == (9,)
    assert IoPart(1, 0, False).halves(32) == (8, 9)
    assert IoPart(1, 2, False).halves(64) == (12, 13, 14, 15)


def test_sizes_that_disagree() -> None:
    double = store("%2", "VAR0").replace("float32", "float64")
    vs = vertex("64    %2 = f2f64 %1", double)
    mixed = mixed_sizes(read_interface(vs, control(load(3, "VAR0", component=1), out("%3", "VAR1")), 3))
    assert mixed is not None
    assert mixed_sizes(read_interface(vs, control(load(3, "VAR0", component=2)), 3)) is None
