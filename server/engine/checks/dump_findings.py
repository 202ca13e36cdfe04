"""Findings of dumps and pipelines, as shown by the command line and the language server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from nirls.ir.finding import Finding, Place, Severity
from nirls.ir.model.shader import Shader
from nirls.ir.text.structure import shader_line
from nirls.ir.validation import validate
from nirls.passes import registry
from nirls.passes.declaration import OptionError, Pass
from nirls.server.engine.base.shown_text import trace_text
from nirls.server.engine.checks.check_settings import CheckSettings, adjusted
from nirls.server.engine.checks.finding_codes import PASS_FAILED
from nirls.server.engine.checks.finding_places import merged, narrowed
from nirls.server.engine.worker import steps

MOST_OF_ONE_CODE = 100
"""Findings of one code shown per dump; a missing brace can cause one per line."""


@dataclass(frozen=True, slots=True)
class FailedPass:
    """A pass that raised, with the exception and its traceback."""

    name: str
    detail: str
    trace: str
    is_out_of_memory: bool = False

    @classmethod
    def of(cls, name: str, error: Exception) -> FailedPass:
        """Create the failure of a pass from its exception."""
        is_out_of_memory = isinstance(error, MemoryError)
        detail = "it took too much memory" if is_out_of_memory else f"{type(error).__name__}: {error}"
        return cls(name, detail, trace_text(error), is_out_of_memory)


def text_findings(shader: Shader, settings: CheckSettings) -> list[Finding]:
    """Validation findings of one dump, including unparsable lines and errors printed by Mesa."""
    sources = [shader.source]
    return adjusted(_limited(merged(narrowed(validate(shader), sources), sources)), settings)


def is_for_unlinked(pass_name: str) -> bool:
    """Whether findings of a pass in one dump are valid only if that dump is not linked."""
    declared = registry.find(pass_name)
    return declared is not None and declared.alone


def findings_of_passes(
    shaders: Sequence[Shader], settings: CheckSettings, failed: list[FailedPass], *, is_linked: bool = False
) -> list[Finding]:
    """Findings of pipeline passes on linked dumps, or of shader passes on one dump.

    For one dump that `is_linked` with others, passes whose findings are valid for unlinked dumps only are
    not run. A pass that raises yields a `pass-failed` finding and an entry in `failed`.
    """
    scope = "shader" if len(shaders) == 1 else "pipeline"
    sources = [shader.source for shader in shaders]
    found = narrowed(_pass_findings(shaders, scope, settings, failed, is_linked), sources)
    return adjusted(merged(found, sources), settings)


def _limited(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield up to `MOST_OF_ONE_CODE` findings of each code, then one that states how many were omitted."""
    shown: Counter[str] = Counter()
    left_out: dict[str, list[Finding]] = {}
    for finding in findings:
        shown[finding.code] += 1
        if shown[finding.code] > MOST_OF_ONE_CODE:
            left_out.setdefault(finding.code, []).append(finding)
            continue
        yield finding
    for first, *others in left_out.values():
        yield replace(
            first, message=f"{first.message}; {len(others)} more of this kind are not shown", related=()
        )


def _pass_findings(
    shaders: Sequence[Shader],
    scope: str,
    settings: CheckSettings,
    failed: list[FailedPass],
    is_linked: bool,
) -> Iterator[Finding]:
    for declared in registry.all_passes():
        takes_alone = declared.alone and scope == "shader" and not is_linked
        if (declared.scope != scope and not takes_alone) or not settings.is_on(declared):
            continue
        if not declared.applies_to(shaders):
            continue
        yield from _findings_of(declared, shaders, settings, failed)


def _findings_of(
    declared: type[Pass], shaders: Sequence[Shader], settings: CheckSettings, failed: list[FailedPass]
) -> list[Finding]:
    """Run the finder of one pass; an exception becomes a finding, so that other passes still run."""
    steps.begin(declared.name)
    try:
        configured = declared.with_options(settings.options.get(declared.name, {}))
    except OptionError as error:
        message = could_not_be_run(declared.name, str(error))
        finding = failure_finding(shaders[0].source, declared.name, message)
        return [replace(finding, severity=Severity.ERROR, data={**finding.data, "trace": ""})]
    try:
        found = configured.find(shaders)
        return [replace(one, pass_name=declared.name) for one in found]
    except Exception as error:
        failed.append(FailedPass.of(declared.name, error))
        message = could_not_be_run(declared.name, failed[-1].detail)
        return [failure_finding(shaders[0].source, declared.name, message)]


def could_not_be_run(pass_name: str, detail: str) -> str:
    """Message about a pass that raised."""
    return f"{pass_name} could not be run: {detail}"


def failure_finding(text: bytes, pass_name: str, message: str) -> Finding:
    """`pass-failed` finding at the head of the dump."""
    return replace(PASS_FAILED.at(head_of(text), message), pass_name=pass_name)


def head_of(text: bytes, dump: int = 0) -> Place:
    """Return the place of the word `shader:` of a dump, which may be below `// nirls:` lines."""
    line = shader_line(text)
    return Place(dump, 0, 0) if line is None else Place(dump, line[0], line[0] + len(b"shader:"))
