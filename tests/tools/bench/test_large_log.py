from __future__ import annotations

from pathlib import Path

import pytest

from tools.bench.large_log import COMMANDS, large_log, measured, repeated_log

LOG = b"nir_opt_dce\nshader: MESA_SHADER_FRAGMENT\nimpl main {\n    block b0:\n}\n"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    for folder in ("drivers", "drivers2"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.log").write_bytes(LOG * 2)
    return tmp_path


def test_logs_are_joined_and_the_last_one_ends_at_a_dump(corpus: Path) -> None:
    assert b"".join(large_log(corpus, 10 * len(LOG))) == 2 * (2 * LOG + b"\n")
    cut = b"".join(large_log(corpus, 3 * len(LOG) + 40))
    assert cut == 2 * LOG + b"\n" + LOG + b"nir_opt_dce\n"


def test_a_repeated_log_has_nothing_twice(corpus: Path) -> None:
    log = LOG.replace(b"FRAGMENT\n", b"FRAGMENT\nsource_blake3: {0x12345678, 0x9abcdef0}\n")
    (corpus / "drivers" / "b.log").write_bytes(log)
    made = list(repeated_log(corpus, "b.log", 3 * len(log)))
    assert len(set(made)) == 3
    assert [text.replace(b"0x%08x" % number, b"0x12345678") for number, text in enumerate(made)] == 3 * [
        log + b"\n"
    ]
    with pytest.raises(ValueError, match="no c"):
        list(repeated_log(corpus, "c.log", 1))


def test_a_command_is_measured(corpus: Path) -> None:
    found = measured(["print", str(corpus / "drivers" / "a.log")])
    assert found.status == 0
    assert 0 < found.first <= found.seconds
    assert found.megabytes > 5
    assert found.cpu > 0


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_takes_a_log(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    log = tmp_path / "a.log"
    log.write_bytes(LOG.replace(b"FRAGMENT", b"VERTEX") * 2 + LOG * 2)
    assert measured([*COMMANDS[name], str(log)]).status in (0, 1)
