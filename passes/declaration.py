"""Declaration of a pass: one frozen dataclass whose fields are the options of the pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Literal, Self

from nirls.ir.analysis.analysis_cache import unchanged
from nirls.ir.analysis.assumptions import Assumptions
from nirls.ir.finding import Finding, FindingCode, Fix, FixRequest
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.ir.validation import defect_of

OptionValue = bool | int | float | str

_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0"})
_INT64 = range(-(1 << 63), 1 << 63)
_LONGEST_VALUE = 40


class OptionError(ValueError):
    """Unknown option of a pass, or invalid option value."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a pass, set by `nirls opt -o NAME=VALUE` or by an editor setting.

    `least` and `most` are inclusive limits of a number; `choices`, if any, are the allowed texts.
    """

    name: str
    default: OptionValue
    help: str
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()

    def parse(self, value: object) -> OptionValue:
        """Convert a value to the type of the default; text is parsed. Raises OptionError."""
        parsed = self._parse(value)
        if isinstance(self.default, bool) or not isinstance(parsed, int | float):
            return parsed
        if isinstance(parsed, int) and parsed not in _INT64:
            raise OptionError(f"option {self.name} takes numbers of 64 bits; {_shown(value)} is out of range")
        if self.least is not None and not parsed >= self.least:
            raise OptionError(f"option {self.name} must be at least {self.least}, not {_shown(value)}")
        if self.most is not None and not parsed <= self.most:
            raise OptionError(f"option {self.name} must be at most {self.most}, not {_shown(value)}")
        return parsed

    def _parse(self, value: object) -> OptionValue:
        if isinstance(self.default, bool):
            word = value.lower() if isinstance(value, str) else value
            if isinstance(value, bool) or (isinstance(word, str) and word in _TRUE | _FALSE):
                return word in _TRUE if isinstance(word, str) else bool(value)
            raise self._mismatch("true or false", value)
        if isinstance(self.default, int | float):
            return self._number(value)
        if not isinstance(value, str):
            raise self._mismatch("text", value)
        if self.choices and value not in ("", *self.choices):
            raise self._mismatch(f"{', '.join(self.choices)} or nothing", value)
        return value

    def _number(self, value: object) -> int | float:
        is_int = isinstance(self.default, int)
        word = "a whole number" if is_int else "a number"
        if isinstance(value, str):
            try:
                return int(value, 0) if is_int else float(value)
            except ValueError:
                raise self._mismatch(word, value) from None
        if isinstance(value, bool) or not isinstance(value, int if is_int else int | float):
            raise self._mismatch(word, value)
        try:
            return value if is_int else float(value)
        except OverflowError:
            raise self._mismatch(word, value) from None

    def _mismatch(self, takes: str, value: object) -> OptionError:
        return OptionError(f"option {self.name} takes {takes}, not {_shown(value)}")


def option(
    default: Any, help: str, *, least: int | None = None, most: int | None = None, choices: Iterable[str] = ()
) -> Any:
    """Declare a dataclass field as an option, see `Option`."""
    return field(
        default=default, metadata={"help": help, "least": least, "most": most, "choices": tuple(choices)}
    )


_NOTHING = Assumptions()


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """The effect of a fix on one dump: the shader before and after. Text edits are computed from the two."""

    before: Shader
    after: Shader
    assumptions: Assumptions = _NOTHING


@dataclass(frozen=True, slots=True, eq=False)
class SiteFix:
    """A change of the shaders that a site was found in.

    `apply` makes it in place and returns the changed shaders. `part` tells apart the fixes of several sites
    at one place, and several fixes of one site. `assumptions` are by default those of the pass.
    """

    title: str
    apply: Callable[[], Iterable[Shader]]
    part: str = ""
    preferred: bool = True
    assumptions: Assumptions | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """A finding, and the changes that mend it.

    `fixes` are alternatives for this finding, `every` is for all findings of its kind, and `whole` is the
    title of the fix that runs the whole pass; "" if that is not offered. `pair` is the position of the first
    of two stages if the kind is counted in pairs of stages. A site in code without a text is applied, but not
    reported.
    """

    finding: Finding
    fixes: tuple[SiteFix, ...] = ()
    every: SiteFix | None = None
    whole: str = ""
    pair: int | None = None


@dataclass(frozen=True)
class Pass:
    """Base class of passes; an instance holds option values.

    Subclasses declare options as fields made by `option`; the first line of their docstring is the summary.
    Names are Mesa's where Mesa has the pass. `sites` finds what the pass would do, each with its change; the
    findings, their fixes and, for a pass of scope "shader", `apply` follow from it. A pass with a faster way
    implements that too: `apply` for one dump, or `run` for linked dumps in pipeline order (scope "pipeline").
    With `alone`, a pipeline pass also accepts a single unlinked dump. A pass that only analyses sets
    `changes_shaders` to False. `stages` are those of which the pass
    needs one, None for no limit; with `needs_structure` the pass does not apply to shaders with gotos.
    `default` enables its findings without a setting. `part_of` names a pass that includes this one: it is
    offered instead of running the whole of this one.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    scope: ClassVar[Literal["shader", "pipeline"]] = "shader"
    stages: ClassVar[frozenset[Stage] | None] = None
    needs_structure: ClassVar[bool] = True
    codes: ClassVar[tuple[FindingCode, ...]] = ()
    default: ClassVar[bool] = True
    alone: ClassVar[bool] = False
    changes_shaders: ClassVar[bool] = True
    part_of: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        if "summary" not in vars(cls):
            cls.summary = (cls.__doc__ or "").partition("\n")[0].rstrip(".")

    def sites(self, shaders: Sequence[Shader]) -> Iterable[Site]:
        """Yield what the pass would do; nothing changes before a change of a site is applied.

        Only one change is applied before the sites are searched again.
        """
        return ()

    def apply(self, shader: Shader) -> bool:
        """Apply a pass of scope "shader" in place; return whether the shader changed."""
        progress = False
        while any(fix.apply() for site in self.sites([shader]) for fix in site.fixes[:1]):
            progress = True
        return progress

    def run(self, shaders: Sequence[Shader]) -> list[Shader]:
        """Apply the pass in place to linked shaders in pipeline order, or to one; return the changed ones."""
        return [shader for shader in shaders if self.apply(shader)]

    def find(self, shaders: Sequence[Shader]) -> Iterable[Finding]:
        """Report what the pass would do; the shaders are not changed."""
        sites = [site for site in self.sites(shaders) if site.finding.place.is_in_text]
        kinds = Counter(self._kind(site) for site in sites if site.fixes)
        return [replace(site.finding, fixes=tuple(self._fixes(site, kinds))) for site in sites]

    def fix(self, shaders: Sequence[Shader], request: FixRequest) -> list[Change]:
        """Compute the change that `find` offers; empty if it is no longer offered."""
        if request.pass_name != self.name:
            return []
        assumed = self.assumptions(shaders)
        if request.scope == "pass":
            return changes(shaders, self.run, assumed)
        copies = [clone_shader(shader) for shader in shaders]
        with unchanged(copies):
            wanted = self._requested(copies, request)
        if wanted is None:
            return []
        changed = {id(shader) for shader in wanted.apply()}
        if wanted.assumptions is not None:
            assumed = wanted.assumptions
        return [
            Change(before, after, assumed)
            for before, after in zip(shaders, copies, strict=True)
            if id(after) in changed
        ]

    def _requested(self, shaders: Sequence[Shader], request: FixRequest) -> SiteFix | None:
        for site in self.sites(shaders):
            if site.finding.code != request.code:
                continue
            if request.scope == "all" and site.every is not None and self._kind(site)[1] == request.dump:
                return site.every
            place = site.finding.place
            if request.scope == "one" and (place.dump, place.start) == (request.dump, request.start):
                for fix in site.fixes:
                    if fix.part == request.part:
                        return fix
        return None

    def _kind(self, site: Site) -> tuple[str, int]:
        """Return the code of a site, and the dump that its kind is counted from."""
        if self.scope == "shader":
            return site.finding.code, site.finding.place.dump
        return site.finding.code, site.pair or 0

    def _fixes(self, site: Site, kinds: Counter[tuple[str, int]]) -> Iterator[Fix]:
        place, kind = site.finding.place, self._kind(site)
        code, dump = kind
        for fix in site.fixes:
            request = FixRequest(self.name, code, "one", place.dump, place.start, fix.part)
            yield Fix(fix.title, request, fix.preferred)
        if site.every is not None and kinds[kind] > 1:
            yield Fix(site.every.title, FixRequest(self.name, code, "all", dump))
        if site.whole:
            request = FixRequest(self.part_of or self.name, "", "pass", dump if self.scope == "shader" else 0)
            yield Fix(site.whole, request, preferred=not site.fixes)

    def check(self, shaders: Sequence[Shader]) -> None:
        """Raise OptionError if the options do not fit the shaders. Called once, before anything changes."""

    def assumptions(self, shaders: Sequence[Shader]) -> Assumptions:
        """Return what `run` assumes besides the shaders."""
        return _NOTHING

    @classmethod
    def applies_to_stages(cls, stages: Iterable[Stage | None]) -> bool:
        """Whether the pass can run on shaders of these stages."""
        return cls.stages is None or not cls.stages.isdisjoint(stages)

    @classmethod
    def applies_to(cls, shaders: Sequence[Shader]) -> bool:
        """Whether the pass can run on one shader, or on linked shaders together.

        False for shaders with an error, and for gotos if the pass needs structured control flow.
        """
        if not cls.applies_to_stages(shader.stage for shader in shaders):
            return False
        if any(defect_of(shader) for shader in shaders):
            return False
        return not (cls.needs_structure and any(shader.has_unstructured_control_flow for shader in shaders))

    @classmethod
    def options(cls) -> tuple[Option, ...]:
        """Return the options in order of declaration."""
        declared: list[Any] = [option for option in fields(cls) if option.metadata]
        return tuple(Option(option.name, option.default, **option.metadata) for option in declared)

    @classmethod
    def with_options(cls, given: Mapping[str, object]) -> Self:
        """Create the pass with options from text or settings. Raises OptionError."""
        known = {option.name: option for option in cls.options()}
        for name in given:
            if name not in known:
                raise OptionError(
                    f"{cls.name} has no option {_shown(name)} (it has: {', '.join(known) or 'none'})"
                )
        return cls(**{name: known[name].parse(value) for name, value in given.items()})

    @classmethod
    def with_usable_options(cls, given: Mapping[str, object]) -> Self:
        """Like `with_options`, but with the defaults if any option in `given` is invalid."""
        try:
            return cls.with_options(given)
        except OptionError:
            return cls()


def changes(
    shaders: Sequence[Shader],
    apply: Callable[[list[Shader]], Iterable[Shader]],
    assumptions: Assumptions = _NOTHING,
) -> list[Change]:
    """Run `apply` on clones of the shaders and return its changes, made under assumptions.

    `apply` returns the clones that it changed.
    """
    clones = [clone_shader(shader) for shader in shaders]
    changed = {id(shader) for shader in apply(clones)}
    return [
        Change(before, after, assumptions)
        for before, after in zip(shaders, clones, strict=True)
        if id(after) in changed
    ]


def _shown(value: object) -> str:
    """Format a value for a message; long texts and integers beyond 64 bits are abbreviated."""
    if isinstance(value, int) and value not in _INT64:
        return f"a number of {value.bit_length()} bits"
    text = repr(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}..."
