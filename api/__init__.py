"""NIR, the shader IR of the Mesa graphics drivers, from Python: read, change, check and run shader dumps.

Text may be `str` or `bytes`; bytes that are not UTF-8 become surrogates, as in `os.fsdecode`. Functions on
several shaders take linked stages in pipeline order, or a list of one shader.
"""

from __future__ import annotations

# Every start of the server imports this module first. What is behind it is imported when it is used, and
# nothing is imported from the standard library while the working folder may still be on the path.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from nirls.ir.analysis.divergence import DivergenceInfo, DivergenceOptions
    from nirls.ir.finding import Finding, FindingCode, Fix, FixRequest, Place, Related, Severity
    from nirls.ir.model.shader import Shader
    from nirls.ir.model.stage import Stage
    from nirls.passes.declaration import (
        Change,
        Option,
        OptionError,
        OptionValue,
        Pass,
        Site,
        SiteFix,
        changes,
        option,
    )
    from nirls.passes.registry import all_passes
    from nirls.server.engine.files.located_findings import LocatedFinding
    from nirls.verification import Different, Equivalent, Unchecked, Verdict
    from nirls.verification.evaluate.surroundings.result import ShaderResult
    from nirls.verification.evaluate.values.errors import Unsupported

    __version__: str

_LAZY_NAMES = {
    "nirls.ir.analysis.divergence": ("DivergenceInfo", "DivergenceOptions"),
    "nirls.verification.evaluate.values.errors": ("Unsupported",),
    "nirls.verification.evaluate.surroundings.result": ("ShaderResult",),
    "nirls.ir.finding": ("Finding", "FindingCode", "Fix", "FixRequest", "Place", "Related", "Severity"),
    "nirls.ir.model.shader": ("Shader",),
    "nirls.ir.model.stage": ("Stage",),
    "nirls.passes.declaration": (
        *("Change", "Option", "OptionError", "Pass", "Site", "SiteFix"),
        *("changes", "option"),
    ),
    "nirls.passes.registry": ("all_passes",),
    "nirls.verification": ("Different", "Equivalent", "Unchecked", "Verdict"),
    "nirls.server.engine.files.located_findings": ("LocatedFinding",),
}
"""The classes of the API by the module that defines them."""

__all__ = [
    "Change",
    "Different",
    "DivergenceInfo",
    "DivergenceOptions",
    "Equivalent",
    "Finding",
    "FindingCode",
    "Fix",
    "FixRequest",
    "LocatedFinding",
    "Option",
    "OptionError",
    "Pass",
    "Place",
    "Related",
    "Severity",
    "Shader",
    "ShaderResult",
    "Site",
    "SiteFix",
    "Stage",
    "Unchecked",
    "Unsupported",
    "Verdict",
    "__version__",
    "all_passes",
    "changes",
    "check",
    "divergence",
    "evaluate",
    "option",
    "parse",
    "print",
    "replace_dumps",
    "run",
    "validate",
    "verify",
]


def __getattr__(name: str) -> object:
    import importlib

    if name == "__version__":
        from importlib.metadata import version

        return version("nirls")
    for module, names in _LAZY_NAMES.items():
        if name in names:
            return getattr(importlib.import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__


def parse(text: str | bytes) -> list[Shader]:
    """Parse every dump of a text, in order; text between dumps is skipped.

    Never raises: lines of a dump that cannot be read are in `Shader.unreadable`.
    """
    from nirls.ir.text.parse import parse_shaders

    return parse_shaders(_bytes(text))


def print(shader: Shader) -> str:
    """Print a shader.

    For a shader that was parsed, this is its text, with changes only in the lines whose instruction was
    changed. A shader without a text is printed in the style of its dialect.
    """
    from nirls.ir.text.printing.print_shader import print_shader

    return _str(print_shader(shader))


def replace_dumps(text: str | bytes, shaders: Sequence[Shader]) -> str:
    """The text with its dumps replaced by `shaders`, in order, and everything else unchanged.

    What a logger printed before each line of a dump is kept. Raises ValueError if there are not as many
    shaders as dumps.
    """
    from nirls.ir.text.log_parts import log_parts
    from nirls.ir.text.printing.print_shader import print_shader

    parts = list(log_parts(_bytes(text)))
    dumps = [part for part in parts if part.is_dump]
    if len(dumps) != len(shaders):
        raise ValueError(f"{len(shaders)} shaders for a text with {len(dumps)} dumps")
    printed = map(print_shader, shaders)
    return _str(b"".join(part.with_text(next(printed)) if part.is_dump else part.raw for part in parts))


def validate(shader: Shader) -> list[Finding]:
    """The errors and warnings about a shader, in the order of the text (Mesa: `nir_validate_shader`)."""
    from nirls.ir.validation import validate

    return validate(shader)


def divergence(
    shader: Shader, options: DivergenceOptions | None = None, *, vertex: bool = False
) -> DivergenceInfo:
    """Find the values that differ between the invocations of a subgroup (Mesa: `nir_divergence_analysis`).

    With `vertex`, between the vertices of a primitive (`nir_vertex_divergence_analysis`). `options` are
    the driver's; the default is a driver that guarantees nothing.
    """
    from nirls.ir.analysis.divergence import divergence, vertex_divergence

    return vertex_divergence(shader, options) if vertex else divergence(shader, options)


def run(shaders: Sequence[Shader], name: str | Pass | type[Pass], **options: OptionValue) -> list[Shader]:
    """Run a pass on copies of shaders; a shader that the pass does not change is returned itself.

    A pass of scope "shader" runs on each of the shaders that is of a stage to which it applies. None runs on
    a shader with an error (`validate`), or on one linked with it. An instance of a pass has its options, so
    none are given beside it. Raises OptionError for options that the pass does not have or that do not fit
    the shaders, and ValueError if there is no pass of that name.
    """
    from nirls.ir.model.clone import clone_shader

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
    from nirls.verification import VerificationOptions, verify_shaders

    if name is None:
        return verify_shaders(before, after)
    ready = _ready(name, options)
    return verify_shaders(before, after, VerificationOptions(assumptions=ready.assumptions(before)))


def evaluate(shaders: Sequence[Shader], *, seed: int = 1, lanes: int = 64) -> list[ShaderResult]:
    """Run one shader on about `lanes` invocations, or linked stages on a few primitives.

    Returns a result for each shader. Inputs, uniforms and memory are computed from `seed`, the same ones for
    the same seed. Raises `Unsupported` if a shader cannot be run.
    """
    from nirls.verification.evaluate.machine import run_shader
    from nirls.verification.evaluate.pipeline import run_pipeline
    from nirls.verification.evaluate.surroundings.environment import Environment

    if len(shaders) == 1:
        return [run_shader(shaders[0], Environment(seed), lanes=lanes)]
    return run_pipeline(shaders, Environment(seed)).results


def check(*files: str | PathLike[str]) -> list[LocatedFinding]:
    """The findings of files and folders, as `nirls check` reports them, in the order of files and lines.

    Dumps are linked and the nearest `nirls.toml` applies as on the command line; its problems are warnings.
    Raises OSError for a file that cannot be read.
    """
    import warnings

    from nirls.server.engine.checks.check_settings import CheckSettings
    from nirls.server.engine.files.input_files import read_inputs
    from nirls.server.engine.files.linked_files import LinkedFiles, project_of
    from nirls.server.engine.files.located_findings import findings_of

    inputs = read_inputs([str(file) for file in files])
    project = project_of(inputs)
    if project is not None:
        for problem in project.problems:
            warnings.warn(f"{project.path}: {problem}", stacklevel=2)
    workspace = LinkedFiles(inputs, project, partners=True)
    return findings_of(workspace, CheckSettings.of_project(workspace.project), edits_of=("one",))


def _ready(name: str | Pass | type[Pass], options: dict[str, OptionValue]) -> Pass:
    """Return a pass with options. Raises ValueError for an unknown name, and OptionError."""
    from nirls.passes import registry
    from nirls.passes.declaration import OptionError, Pass

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
