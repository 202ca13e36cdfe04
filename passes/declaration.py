"""Declaration of a pass: one frozen dataclass whose fields are the options of the pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, Self

from nirls.ir.finding import Finding, FindingCode
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.verification.inputs.assumptions import Assumptions

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


@dataclass(frozen=True)
class Pass:
    """Base class of passes; an instance holds option values.

    Subclasses declare options as fields made by `option`; the first line of their docstring is the summary.
    Names are Mesa's where Mesa has the pass. A pass of scope "shader" works on one dump and implements
    `apply`; one of scope "pipeline" works on linked dumps in pipeline order and implements `run`. With
    `alone`, a pipeline pass also accepts a single unlinked dump. `stages` are those of which the pass needs
    one, None for no limit; with `needs_structure` the pass does not apply to shaders with gotos. `default`
    enables its findings without a setting. `part_of` names a pass that includes this one, and is offered
    together with the fixes of this one.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    scope: ClassVar[Literal["shader", "pipeline"]] = "shader"
    stages: ClassVar[frozenset[Stage] | None] = None
    needs_structure: ClassVar[bool] = True
    codes: ClassVar[tuple[FindingCode, ...]] = ()
    default: ClassVar[bool] = True
    alone: ClassVar[bool] = False
    part_of: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        if "summary" not in vars(cls):
            cls.summary = (cls.__doc__ or "").partition("\n")[0].rstrip(".")

    def apply(self, shader: Shader) -> bool:
        """Apply a pass of scope "shader" in place; return whether the shader changed."""
        raise NotImplementedError

    def run(self, shaders: Sequence[Shader]) -> list[Shader]:
        """Apply the pass in place to linked shaders in pipeline order, or to one; return the changed ones."""
        return [shader for shader in shaders if self.apply(shader)]

    def find(self, shaders: Sequence[Shader]) -> Iterable[Finding]:
        """Report what the pass would do; the shaders are not changed."""
        return ()

    def fix(self, shaders: Sequence[Shader], key: str) -> list[Change]:
        """Compute the fix that `find` offers under a key; empty if it is no longer offered."""
        return []

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
        from nirls.ir.validation import defect_of  # a server starts without the tables

        if not cls.applies_to_stages(shader.stage for shader in shaders):
            return False
        if any(defect_of(shader) for shader in shaders):
            return False
        return not (cls.needs_structure and any(shader.has_unstructured_control_flow for shader in shaders))

    @classmethod
    def options(cls) -> tuple[Option, ...]:
        """Return the options in order of declaration."""
        declared: list[Any] = [one for one in fields(cls) if one.metadata]
        return tuple(Option(one.name, one.default, **one.metadata) for one in declared)

    @classmethod
    def with_options(cls, given: Mapping[str, object]) -> Self:
        """Create the pass with options from text or settings. Raises OptionError."""
        known = {one.name: one for one in cls.options()}
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
