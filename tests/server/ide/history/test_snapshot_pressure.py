from __future__ import annotations

from nirls.ir.analysis.liveness import register_pressure
from nirls.server.ide.history.snapshot_pressure import pressures_of
from tests.passes.shader_text import ONE, ZERO, shader, shader_text, use

LINES = (ZERO, ONE, "32x4  %2 = @load_frag_coord", use("%1"), use("%2"))


def test_the_pressure_of_each_dump() -> None:
    (impl,) = shader("FRAGMENT", *LINES).impls()
    texts = [shader_text("FRAGMENT", *lines).encode() for lines in (LINES, (ZERO,))]
    assert pressures_of(texts) == [register_pressure(impl), 0]
    assert pressures_of([b"shader: MESA_SHADER_VERTEX\n"]) == [0]
