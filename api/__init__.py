"""NIR, the shader IR of the Mesa graphics drivers, from Python: read, change, check and run shader dumps.

Text may be `str` or `bytes`; bytes that are not UTF-8 become surrogates, as in `os.fsdecode`. Functions on
several shaders take linked stages in pipeline order, or a list of one shader.
"""

from __future__ import annotations

# Every start of the server imports this module first. What is behind it is imported when it is used, and
# nothing is imported from the standard library while the working folder may still be on the path.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from nirls.ir.analysis.divergence import DivergenceInfo, DivergenceOptions
    from nirls.ir.finding import Finding, FindingCode, Fix, FixRequest, Place, Related, Severity
    from nirls.ir.model.shader import Shader
    from nirls.ir.model.stage import Stage
    from nirls.logs import Log, LoggedShader, LoggedSnapshot, read_log
    from nirls.passes.declaration import (
        Change,
        Option,
        OptionError,
        Pass,
        Site,
        SiteFix,
        changes,
        option,
    )
    from nirls.passes.registry import all_passes
    from nirls.server.engine.files.located_findings import LocatedFinding
    from nirls.server.engine.verification.unit import TransitionVerdict
    from nirls.shaders import check, divergence, evaluate, parse, print, replace_dumps, run, validate, verify
    from nirls.verification.evaluate.surroundings.result import ShaderResult
    from nirls.verification.evaluate.values.errors import Unsupported
    from nirls.verification.random_shaders.pipelines import random_pipeline
    from nirls.verification.random_shaders.shaders import random_shader
    from nirls.verification.verdict import Different, Equivalent, Unchecked, Verdict

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
    "nirls.verification.verdict": ("Different", "Equivalent", "Unchecked", "Verdict"),
    "nirls.server.engine.files.located_findings": ("LocatedFinding",),
    "nirls.server.engine.verification.unit": ("TransitionVerdict",),
    "nirls.verification.random_shaders.pipelines": ("random_pipeline",),
    "nirls.verification.random_shaders.shaders": ("random_shader",),
    "nirls.logs": ("Log", "LoggedShader", "LoggedSnapshot", "read_log"),
    "nirls.shaders": (
        "parse",
        "print",
        "replace_dumps",
        "validate",
        "divergence",
        "run",
        "verify",
        "evaluate",
        "check",
    ),
}
"""The names of the API by the module that defines them."""

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
    "Log",
    "LoggedShader",
    "LoggedSnapshot",
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
    "TransitionVerdict",
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
    "random_pipeline",
    "random_shader",
    "read_log",
    "replace_dumps",
    "run",
    "validate",
    "verify",
]


def __getattr__(name: str) -> object:
    import importlib  # see above

    if name == "__version__":
        from importlib.metadata import version  # see above

        return version("nirls")
    for module, names in _LAZY_NAMES.items():
        if name in names:
            return getattr(importlib.import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
