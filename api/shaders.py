"""Functions of the API on shaders: read, print, validate, analyse, change, run and compare them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from os import PathLike

from nirls.ir.analysis.divergence import DivergenceInfo, DivergenceOptions, vertex_divergence
from nirls.ir.analysis.divergence import divergence as subgroup_divergence
from nirls.ir.finding import Finding
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.text.edits import print_shader
from nirls.ir.text.log_parts import log_parts
from nirls.ir.text.parse import parse_shaders
from nirls.ir.validation import validate as findings_of_validator
from nirls.passes import registry
from nirls.passes.declaration import (
    OptionError,
    OptionValue,
    Pass,
)
from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.files.input_files import read_inputs
from nirls.server.engine.files.linked_files import LinkedFiles, project_of
from nirls.server.engine.files.located_findings import LocatedFinding, findings_of
from nirls.verification.evaluate.machine import run_shader
from nirls.verification.evaluate.pipeline import run_pipeline
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.result import ShaderResult
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Verdict
from nirls.verification.verify_shaders import verify_shaders


def parse(text: str | bytes) -> list[Shader]:
    """Parse every dump of a text, in order; text between dumps is skipped.

    Never raises: lines of a dump that cannot be read are in `Shader.unreadable`.
    """
    return parse_shaders(_bytes(text))


def print(shader: Shader) -> str:
    """Print a shader.

    For a shader that was parsed, this is its text, with changes only in the lines whose instruction was
    changed. A shader without a text is printed in the style of its dialect.
    """
    return _str(print_shader(shader))


def replace_dumps(text: str | bytes, shaders: Sequence[Shader]) -> str:
    """The text with its dumps replaced by `shaders`, in order, and everything else unchanged.

    What a logger printed before each line of a dump is kept. Raises ValueError if there are not as many
    shaders as dumps.
    """
    parts = list(log_parts(_bytes(text)))
    dumps = [part for part in parts if part.is_dump]
    if len(dumps) != len(shaders):
        raise ValueError(f"{len(shaders)} shaders for a text with {len(dumps)} dumps")
    printed = map(print_shader, shaders)
    return _str(b"".join(part.with_text(next(printed)) if part.is_dump else part.raw for part in parts))


def validate(shader: Shader) -> list[Finding]:
    """The errors and warnings about a shader, in the order of the text (Mesa: `nir_validate_shader`)."""
    return findings_of_validator(shader)


def divergence(
    shader: Shader, options: DivergenceOptions | None = None, *, vertex: bool = False
) -> DivergenceInfo:
    """Find the values that differ between the invocations of a subgroup (Mesa: `nir_divergence_analysis`).

    With `vertex`, between the vertices of a primitive (`nir_vertex_divergence_analysis`). `options` are
    the driver's; the default is a driver that guarantees nothing.
    """
    return vertex_divergence(shader, options) if vertex else subgroup_divergence(shader, options)


def run(shaders: Sequence[Shader], name: str | Pass | type[Pass], **options: OptionValue) -> list[Shader]:
    """Run a pass on copies of shaders; a shader that the pass does not change is returned itself.

    A pass of scope "shader" runs on each of the shaders that is of a stage to which it applies. None runs on
    a shader with an error (`validate`), or on one linked with it. An instance of a pass has its options, so
    none are given beside it. Raises OptionError for options that the pass does not have or that do not fit
    the shaders, and ValueError if there is no pass of that name.
    """
    ready = _ready(name, options)
    copies = [clone_shader(shader) for shader in shaders]
    units = [copies] if ready.scope == "pipeline" else [[copy] for copy in copies]
    units = [unit for unit in units if ready.applies_to(unit)]
    ready.check([copy for unit in units for copy in unit])
    changed = {id(shader) for unit in units for shader in ready.run(unit)}
    return [copy if id(copy) in changed else shader for shader, copy in zip(shaders, copies, strict=True)]


def verify(
    before: Sequence[Shader],
    after: Sequence[Shader],
    name: str | Pass | type[Pass] | None = None,
    **options: OptionValue,
) -> Verdict:
    """Run shaders before and after a pass on many inputs and compare what is visible outside of them.

    A list of one shader is run alone, a longer one as a pipeline. If the pass and its options are given, the
    inputs are those that the pass assumes, such as the values of uniforms for `inline_uniforms`. Returns
    `Equivalent`, `Different` with a counterexample, or `Unchecked` with the reason.
    """
    if name is None:
        return verify_shaders(before, after)
    ready = _ready(name, options)
    return verify_shaders(before, after, VerificationOptions(assumptions=ready.assumptions(before)))


def evaluate(shaders: Sequence[Shader], *, seed: int = 1, lanes: int = 64) -> list[ShaderResult]:
    """Run one shader on about `lanes` invocations, or linked stages on a few primitives.

    Returns a result for each shader. Inputs, uniforms and memory are computed from `seed`, the same ones for
    the same seed. Raises `Unsupported` if a shader cannot be run.
    """
    if len(shaders) == 1:
        return [run_shader(shaders[0], Environment(seed), lanes=lanes)]
    return run_pipeline(shaders, Environment(seed)).results


def check(*files: str | PathLike[str]) -> list[LocatedFinding]:
    """The findings of files and folders, as `nirls check` reports them, in the order of files and lines.

    Dumps are linked and the nearest `nirls.toml` applies as on the command line; its problems are warnings.
    Raises OSError for a file that cannot be read.
    """
    inputs = read_inputs([str(file) for file in files])
    project = project_of(inputs)
    if project is not None:
        for problem in project.problems:
            warnings.warn(f"{project.path}: {problem}", stacklevel=2)
    workspace = LinkedFiles(inputs, project, partners=True)
    return findings_of(workspace, CheckSettings.of_project(workspace.project), edits_of=("one",))


def _ready(name: str | Pass | type[Pass], options: dict[str, OptionValue]) -> Pass:
    """Return a pass with options. Raises ValueError for an unknown name, and OptionError."""
    if isinstance(name, Pass):
        if options:
            raise OptionError(f"{name.name} is an instance, which has its options: {', '.join(options)}")
        return name
    declared = registry.find(name) if isinstance(name, str) else name
    if declared is None:
        raise ValueError(f"there is no pass {name!r}; nirls.all_passes() lists them")
    return declared.with_options(options)


def _bytes(text: str | bytes) -> bytes:
    return text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text


def _str(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
