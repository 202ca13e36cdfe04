from __future__ import annotations

from nirls.ir.finding import Severity
from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.checks.finding_codes import problems_of_settings
from tests.passes.shader_text import ONE, ZERO, shader, store

PAIR = [shader("VERTEX", ZERO, ONE, store("VAR0")), shader("FRAGMENT", ZERO)]


def test_names_that_mean_nothing_are_told() -> None:
    settings = CheckSettings(
        {"dead-output": Severity.HINT, "dominance": Severity.HINT, "x": Severity.HINT},
        {"opt_varyings_dead_io": True, "y": True},
        {"z": {}, "opt_varyings_dead_io": {"w": 1}},
    )
    assert problems_of_settings(settings) == [
        "severity.x: there is no such finding",
        "passes.y: there is no such pass",
        "options.z: there is no such pass",
        "options.opt_varyings_dead_io: opt_varyings_dead_io has no option 'w' (it has: driver)",
    ]
