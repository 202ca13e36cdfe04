"""The public API, `import nirls`."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import nirls
from nirls.ir.model.shader import Shader
from nirls.passes.uniforms.inline_uniforms import InlineUniforms

PROJECT = Path(__file__).resolve().parents[2]
PIPELINE = PROJECT / "tests" / "data" / "pipelines"
VERT = (PIPELINE / "tinted.vert.nir").read_bytes()
FRAG = (PIPELINE / "tinted.frag.nir").read_bytes()
DEAD_CODE = """\
shader: MESA_SHADER_FRAGMENT
impl main {
    block b0:  // preds:
    32  %0 = load_const (0x00000000 = 0.000000)
    32  %1 = fadd %0 (0.000000), %0 (0.000000)
                // succs: b1
    block b1:
}
"""


def pipeline() -> list[Shader]:
    return nirls.parse(VERT + FRAG)


def test_everything_of_the_api_is_there() -> None:
    for name in nirls.__all__:
        assert getattr(nirls, name) is not None
    assert dir(nirls) == sorted(nirls.__all__)
    with pytest.raises(AttributeError, match="nothing_of_that_name"):
        _ = nirls.nothing_of_that_name  # type: ignore[attr-defined]


def test_version_is_that_of_the_package() -> None:
    assert nirls.__version__ == version("nirls")


def test_importing_nirls_imports_nothing_else(tmp_path: Path) -> None:
    """Modules of the standard library could come from the working folder (`python -m nirls`)."""
    (tmp_path / "nirls").symlink_to(PROJECT / "api")
    code = (
        f"import __future__, sys; sys.path.append({str(tmp_path)!r}); old = set(sys.modules); import nirls; "
    )
    code += "print(*set(sys.modules) - old)"
    ran = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "nirls\n"


@pytest.mark.parametrize("text", [VERT, VERT.decode(), b"log\xff\n" + VERT + b"\xfe between\n" + FRAG])
def test_dumps_are_replaced_by_themselves_without_a_change(text: str | bytes) -> None:
    replaced = nirls.replace_dumps(text, nirls.parse(text))
    assert replaced == (text if isinstance(text, str) else text.decode("utf-8", "surrogateescape"))


def test_log_prefixes_are_kept() -> None:
    log = "".join(f"MESA: info: {line}" for line in DEAD_CODE.splitlines(keepends=True))
    after = nirls.run(nirls.parse(log), "opt_dce")
    replaced = nirls.replace_dumps(log, after)
    assert "fadd" not in replaced
    assert all(line.startswith("MESA: info: ") for line in replaced.splitlines())


def test_as_many_shaders_as_dumps_are_needed() -> None:
    with pytest.raises(ValueError, match="1 shaders for a text with 2 dumps"):
        nirls.replace_dumps(VERT + FRAG, nirls.parse(VERT))


def test_a_pass_runs_on_copies() -> None:
    [shader] = nirls.parse(DEAD_CODE)
    [after] = nirls.run([shader], "opt_dce")
    assert nirls.print(shader) == DEAD_CODE
    assert "fadd" not in nirls.print(after)
    assert isinstance(nirls.verify([shader], [after]), nirls.Equivalent)


def test_a_shader_that_a_pass_leaves_alone_is_itself() -> None:
    [shader] = nirls.run(nirls.parse(DEAD_CODE), "opt_dce")
    assert nirls.run([shader], "opt_dce") == [shader]
    assert nirls.run([shader], "restructure_tcs_flow") == [shader]


def test_a_link_time_pass_runs_on_linked_stages() -> None:
    before = pipeline()
    after = nirls.run(before, "opt_varyings")
    assert after[0] is not before[0]
    assert isinstance(nirls.verify(before, after, "opt_varyings"), nirls.Equivalent)


def test_a_wrong_result_is_told_from_a_right_one() -> None:
    wrong = FRAG.replace(b"@store_output (%7,", b"@store_output (%8,")
    assert isinstance(nirls.verify(pipeline(), nirls.parse(VERT + wrong)), nirls.Different)


def test_verification_assumes_what_the_pass_assumes() -> None:
    [shader] = nirls.parse((PROJECT / "tests/data/ubo_array.frag.nir").read_bytes())
    [after] = nirls.run([shader], "inline_uniforms", set="0:0=1")
    assert after is not shader
    assert isinstance(nirls.verify([shader], [after], "inline_uniforms", set="0:0=1"), nirls.Equivalent)


def test_an_instance_keeps_its_options() -> None:
    [shader] = nirls.parse((PROJECT / "tests/data/ubo_array.frag.nir").read_bytes())
    [expected] = nirls.run([shader], InlineUniforms, set="0:0=1")
    inlining = InlineUniforms(set="0:0=1")
    [after] = nirls.run([shader], inlining)
    assert nirls.print(after) == nirls.print(expected) != nirls.print(shader)
    assert isinstance(nirls.verify([shader], [after], inlining), nirls.Equivalent)
    with pytest.raises(nirls.OptionError, match="inline_uniforms is an instance, which has its options: set"):
        nirls.run([shader], inlining, set="0:0=2")


def test_wrong_names_are_refused() -> None:
    with pytest.raises(ValueError, match="no_such_pass"):
        nirls.run(pipeline(), "no_such_pass")
    with pytest.raises(nirls.OptionError, match="no option 'wings'"):
        nirls.run(pipeline(), "opt_varyings", wings=2)


def test_problems_and_divergence() -> None:
    vert, frag = pipeline()
    assert nirls.validate(vert) == []
    [broken] = nirls.parse(DEAD_CODE.replace("fadd %0 (0.000000)", "fadd %7"))
    assert [problem.code for problem in nirls.validate(broken)] == ["undefined-value"]
    assert any(nirls.divergence(frag).divergent_values())
    assert nirls.divergence(vert, vertex=True).options.vertex


def test_shaders_alone_and_pipelines_are_evaluated() -> None:
    vert, frag = pipeline()
    [alone] = nirls.evaluate([vert], lanes=16)
    assert alone.launch.lanes == 16
    assert [result.stage for result in nirls.evaluate([vert, frag])] == [vert.stage, frag.stage]


def test_files_are_checked_with_their_partners(tmp_path: Path) -> None:
    codes = {found.finding.code for found in nirls.check(PIPELINE / "tinted.vert.nir")}
    assert "dead-output" in codes
    with pytest.raises(OSError, match="no such file"):
        nirls.check(tmp_path / "missing.nir")
