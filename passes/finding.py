"""A finding: the one object that `nirls check`, the LSP diagnostics and the code actions all read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from nirls.ir.analysis.tessellation import CullingRule
from nirls.ir.model.shader import Shader
from nirls.ir.model.span import Span


class Severity(Enum):
    """How much a finding matters, from most to least; `OFF` findings are not made at all."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"
    OFF = "off"

    @property
    def rank(self) -> int:
        """0 for the most severe."""
        return list(Severity).index(self)


@dataclass(frozen=True, slots=True)
class FindingCode:
    """A kind of finding. `code` is its stable name (`dead-output`) and the name of its documentation page."""

    code: str
    title: str
    severity: Severity
    unnecessary: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A piece of text of one dump: the shader object stands for the dump, the span lies within it."""

    shader: Shader
    span: Span


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that explains a finding, such as the store that feeds a dead load."""

    place: Place
    message: str


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """What a fix does to one dump: the shader as it is and as it would be. Text edits come from the two.

    `known_memory` is what the change takes for granted, for a fix that is right only then: 32-bit words by
    (space, buffer, word number), as the evaluator names them. `culling` is which patches it takes to be
    culled, where the shaders do not say it.
    """

    before: Shader
    after: Shader
    known_memory: Mapping[tuple[str, int, int], int] = field(default_factory=dict)
    culling: CullingRule | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Fix:
    """A quick fix. `compute` is run only when somebody asks for the fix; it returns the changed dumps.

    `kind` names what it does beyond this finding: "one" fixes only it, "all" all of its code in the
    pipeline, "pass" runs the whole pass. `key` is stable between runs on the same text, so that an
    editor can ask for it again later.
    """

    title: str
    key: str
    compute: Callable[[], list[Change]]
    kind: str = "one"
    preferred: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """Something that the text shows or that a pass could do.

    `pass_name` is the pass that reports it, "" for syntax and validation. `data` is plain JSON-able data
    for other programs.
    """

    code: FindingCode
    place: Place
    message: str
    pass_name: str = ""
    severity: Severity | None = None
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
    data: dict[str, object] = field(default_factory=dict)

    @property
    def effective_severity(self) -> Severity:
        """The severity set for this finding, else that of its code."""
        return self.severity if self.severity is not None else self.code.severity
