from __future__ import annotations

from pathlib import Path

import pytest

from nirls.server.cli.counting import counts_of
from nirls.server.cli.errors import CommandError
from tests.passes.shader_text import ONE, ZERO, load, shader_text, store, use

VERTEX = shader_text("VERTEX", ZERO, ONE, store("VAR0"), header=("name: v",))
FRAGMENT = shader_text("FRAGMENT", ZERO, load(1, "VAR0"), use("%1"), header=("name: f",))


def titles(path: Path) -> list[str]:
    return [key.title for key in counts_of(str(path), of_first=False)]


def test_statistics_belong_to_the_last_shader_of_their_stage(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text(
        f"{VERTEX}{FRAGMENT}VS vec4 shader: 5 instructions. 0 loops.\n\n"
        "Pixel Shader:\n*** SHADER STATS ***\nSGPRs: 3\n"
    )
    assert titles(log) == ["VS v", "FS f", "VS vec4 v", "FS backend f"]
    counts = list(counts_of(str(log), of_first=False).values())
    assert counts[2] == {"backend instructions": 5, "backend loops": 0}
    assert counts[3] == {"backend sgprs": 3}


def test_statistics_without_a_stage_belong_to_the_shader_above(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text(
        f"{VERTEX}bytecode 4 dw -- 1 gprs -- 0 nstack ---\n{FRAGMENT}bytecode 2 dw -- 1 gprs -- 0 nstack\n"
    )
    assert titles(log) == ["VS v", "FS f", "VS backend v", "FS backend f"]


def test_text_without_dumps_has_statistics(tmp_path: Path) -> None:
    report = tmp_path / "a.txt"
    report.write_text("shaders/1.shader_test - FS SIMD8 shader: 39 inst, 0 loops\n")
    assert titles(report) == ["FS SIMD8 shaders/1.shader_test"]


def test_text_with_neither_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("nothing\n")
    with pytest.raises(CommandError, match="no shader dump in it"):
        counts_of(str(tmp_path / "a.txt"), of_first=False)
