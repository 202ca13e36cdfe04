from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.conftest import Run
from tests.server.engine.verification.test_mesa_test import BEFORE, RIGHT, WRONG


@pytest.fixture
def logs(workdir: Path) -> Path:
    """`wrong.log` with a wrong and a right change, `one.nir` and `right.nir` with one dump."""
    middle = BEFORE.replace(b"%2", b"%3")
    steps = (
        b"nir_lower_returns",
        BEFORE,
        b"nir_copy_prop",
        middle.replace(b"fneg", b"fabs"),
        b"nir_opt_cse",
        RIGHT,
    )
    (workdir / "wrong.log").write_bytes(b"\n".join(steps))
    (workdir / "one.nir").write_bytes(BEFORE)
    (workdir / "right.nir").write_bytes(RIGHT)
    return workdir


def test_the_first_change_of_a_log(run: Run, logs: Path) -> None:
    result = run("testcase", "wrong.log")
    assert result.status == 0
    assert "TEST_F(nir_copy_prop_vertex_shader_test, vertex_shader)" in result.text
    assert "ASSERT_FALSE(nir_copy_prop(b->shader));" in result.text
    assert "must not change" in result.text


def test_the_change_by_a_pass_expects_what_it_did(run: Run, logs: Path) -> None:
    result = run("testcase", "wrong.log", "--pass", "nir_opt_cse", "--no-verify", "-o", "test.cpp")
    assert (result.status, result.text) == (0, "")
    text = (logs / "test.cpp").read_text()
    assert "ASSERT_TRUE(nir_opt_cse(b->shader));" in text
    assert "nir_fabs(b, ssa_1)" in text
    missing = run("testcase", "wrong.log", "--pass", "nir_opt_dce")
    assert missing.status == 2
    assert "there are changes by nir_copy_prop, nir_opt_cse" in missing.err


def test_one_dump_and_a_pass(run: Run, logs: Path) -> None:
    assert run("testcase", "one.nir").status == 2
    result = run("testcase", "one.nir", "--pass", "nir_opt_dce")
    assert "the test expects that the pass changes nothing" in result.err
    assert "ASSERT_FALSE(nir_opt_dce(b->shader));" in result.text
    wanted = ("--expected", "right.nir", "--no-verify")
    result = run("testcase", "one.nir", "--pass", "nir_opt_dce", *wanted)
    assert result.err == ""
    assert "ASSERT_TRUE(nir_opt_dce(b->shader));" in result.text
    assert "0x3f800000" in result.text


def test_an_expected_dump_that_computes_something_else_is_told(run: Run, logs: Path) -> None:
    (logs / "right.nir").write_bytes(WRONG)
    result = run("testcase", "one.nir", "--pass", "nir_opt_dce", "--expected", "right.nir")
    assert result.status == 0
    assert "right.nir computes something else than the shader that is built" in result.err
    wanted = ("--expected", "right.nir", "--no-verify")
    assert run("testcase", "one.nir", "--pass", "nir_opt_dce", *wanted).err == ""


def test_what_cannot_be_built_is_named_and_nothing_written(run: Run, logs: Path) -> None:
    (logs / "one.nir").write_bytes(BEFORE.replace(b"fneg", b"fnot"))
    result = run("testcase", "one.nir", "--pass", "nir_opt_dce", "-o", "test.cpp")
    assert result.status == 2
    assert "nir_builder of Mesa 25.0 cannot build this shader:\n  | the opcode fnot, which" in result.err
    assert not (logs / "test.cpp").exists()


def test_the_version(run: Run, logs: Path) -> None:
    assert run("testcase", "one.nir", "--pass", "nir_opt_dce", "--mesa", "22.3").status == 2
    assert run("testcase", "one.nir", "--pass", "nir_opt_dce", "--mesa", "26").status == 0


def test_verify_writes_the_first_difference_as_a_test(run: Run, logs: Path) -> None:
    result = run("verify", "wrong.log", "--no-cache", "-j", 1, "--testcase", "test.cpp")
    assert (result.status, "1 different" in result.text) == (1, True)
    assert "must not change" in (logs / "test.cpp").read_text()
    result = run(
        "verify", "wrong.log", "--no-cache", "-j", 1, "--reduce", "--testcase", "small.cpp", "-o", "small.log"
    )
    assert result.status == 1
    assert "reduced" in result.err
    assert "must not change" in (logs / "small.cpp").read_text()
    assert (logs / "small.log").read_text().count("shader:") == 2


def test_a_version_without_a_test_is_wrong_usage(run: Run, logs: Path) -> None:
    result = run("verify", "wrong.log", "--mesa", "26")
    assert (result.status, result.err) == (2, "nirls: --mesa is for --testcase\n")


def test_verify_without_a_difference_writes_none(run: Run, logs: Path) -> None:
    (logs / "fine.log").write_bytes(BEFORE + b"nir_copy_prop\n" + BEFORE.replace(b"%2", b"%4"))
    result = run("verify", "fine.log", "--no-cache", "-j", 1, "--testcase", "test.cpp")
    assert (result.status, (logs / "test.cpp").exists()) == (2, False)
    assert WRONG != BEFORE
