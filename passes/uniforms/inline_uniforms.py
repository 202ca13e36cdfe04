"""The pass `inline_uniforms`: replacement of uniforms by known values (Mesa: nir_inline_uniforms).

Its findings are the uniforms worth inlining, with the savings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from nirls.ir.analysis.assumptions import Assumptions, KnownMemory
from nirls.ir.finding import FindingCode, Place, Related, Severity, counted, severity_of_gain
from nirls.ir.model.builder import Builder
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import AluSrc
from nirls.passes.cleanup.constants import become_constant
from nirls.passes.declaration import OptionError, Pass, Site, SiteFix, option
from nirls.passes.uniforms.deciders import (
    DEFAULT_BUFFER,
    Deciding,
    Uniform,
    find_deciding,
    loads_into_registers,
    uniform_loads,
)
from nirls.passes.uniforms.effect import Effect, at_least, contents, in_words, saved, tidy, unrollable
from nirls.passes.uniforms.places import PUSH, UniformLoad, UniformWord, uniform_load
from nirls.passes.uniforms.values import (
    Words,
    check_against,
    commented_values,
    given_values,
    known_component,
    known_values,
)

INLINABLE_UNIFORM = FindingCode(
    "inlinable-uniform", "Uniform that determines control flow or selections", Severity.INFORMATION
)

_MOST_RELATED = 5
_TRIED = (0, 1)
"""Values tried for an unknown uniform; the reported saving is the minimum over them."""


@dataclass(frozen=True)
class InlineUniforms(Pass):
    """Replace uniforms by known constant values, and fold what depends on them."""

    name = "inline_uniforms"
    codes = (INLINABLE_UNIFORM,)

    buffers: str = option(
        f"{DEFAULT_BUFFER},{PUSH}",
        "buffers to search: UBO numbers, `push`, SET.BINDING of descriptors, `all`, or `default`: UBO 0, or"
        " UBO 1 if the shader loads nothing from UBO 0",
    )
    limit: int = option(
        4, "maximum number of 32-bit values inlined in one shader (MAX_INLINABLE_UNIFORMS)", least=0
    )
    set: str = option("", "32-bit values to inline, as comma-separated BUFFER:BYTE=VALUE")

    def apply(self, shader: Shader) -> bool:
        """Inline the values of the option `set` and of comments.

        Raises OptionError for values that cannot be read.
        """
        return inline_uniforms(shader, known_values(shader, self.set))

    def check(self, shaders: Sequence[Shader]) -> None:
        """Raise OptionError if no shader loads a value of the option, or a shader not one of its comments."""
        for shader in shaders:
            check_against(uniform_loads(shader), commented_values(shader))
        given = given_values(self.set)
        if not given:
            return
        try:
            check_against((load for shader in shaders for load in uniform_loads(shader)), given)
        except OptionError as error:
            if any(map(loads_into_registers, shaders)):
                message = f"{error} (some are in register form: run lower_regs_to_ssa first)"
                raise OptionError(message) from None
            raise

    def known_memory(self, shaders: Sequence[Shader]) -> KnownMemory:
        """Return the words of memory with the values that `set` gives."""
        words: dict[tuple[str, int, int], int] = {}
        for shader in shaders:
            words.update(_memory(known_values(shader, self.set)))
        return words

    def assumptions(self, shaders: Sequence[Shader]) -> Assumptions:
        return Assumptions(self.known_memory(shaders))

    def sites(self, shaders: Sequence[Shader]) -> Iterable[Site]:
        """Yield a site for each uniform worth inlining, at its first load."""
        for dump, shader in enumerate(shaders):
            yield from _Reporter(shader, dump, self).sites()

    @property
    def buffer_names(self) -> frozenset[str]:
        """The buffers of the option `buffers`."""
        return frozenset(word.strip() for word in self.buffers.split(",") if word.strip())


def inline_uniforms(shader: Shader, words: Words) -> bool:
    """Replace loads of known words by constants, then fold and clean up.

    A load with some known components keeps the others. A shader that loads none of the words is not
    changed. Loops that a known word bounds are unrolled, not those that could be unrolled without it.
    Returns whether the shader changed.
    """
    leave = unrollable(shader) if words else set()
    if not words or not _substitute(shader, words):
        return False
    tidy(shader, leave)
    return True


def _substitute(shader: Shader, words: Words) -> bool:
    progress = False
    for impl in shader.impls():
        builder: Builder | None = None
        for instr in list(impl.instrs()):
            load = uniform_load(instr)
            if load is None:
                continue
            known = [known_component(load, part, words) for part in range(load.value.num_components)]
            if all(bits is None for bits in known):
                continue
            progress = True
            whole = [bits for bits in known if bits is not None]
            if len(whole) == len(known):
                become_constant(instr, whole)
            else:
                builder = builder or Builder(impl, impl.start_block)
                _in_part(load, known, builder)
    return progress


def _in_part(load: UniformLoad, known: Sequence[int | None], builder: Builder) -> None:
    """Replace uses of a partially known load by a `vecN` of constants and remaining components."""
    readers = list(load.value.uses)
    builder.after_instr(load.instr)
    parts = []
    for component, bits in enumerate(known):
        if bits is None:
            parts.append(AluSrc(load.value, (component,)))
        else:
            parts.append(AluSrc(builder.load_const([bits], load.value.bit_size), (0,)))
    whole = builder.alu(f"vec{len(parts)}", parts, len(parts), load.value.bit_size)
    for src in readers:
        src.set_def(whole)


def _memory(words: Words) -> dict[tuple[str, int, int], int]:
    memory: dict[tuple[str, int, int], int] = {}
    for place, bits in words.items():
        number = place.offset // 4
        if place.buffer == PUSH:
            memory["push_const", 0, number] = bits
            continue
        descriptor_set, dot, binding = place.buffer.partition(".")
        buffer = int(descriptor_set)
        if dot:
            buffer = (buffer << 8 | int(binding)) << 12
        memory["ubo", buffer, number] = bits
    return memory


class _Reporter:
    """Builder of the sites of one shader."""

    def __init__(self, shader: Shader, dump: int, options: InlineUniforms) -> None:
        self.shader = shader
        self.dump = dump
        self.known: Mapping[UniformWord, int] = {}
        self.problem: str | None = None
        try:
            self.known = known_values(shader, options.set)
        except OptionError as error:
            self.problem = str(error)
        self.deciding: Deciding = find_deciding(shader, options.buffer_names, options.limit)
        self.before: Counter[str] | None = None

    def sites(self) -> Iterable[Site]:
        effects: dict[tuple[UniformWord, ...], tuple[Effect, bool]] = {}
        for uniform in self.deciding.uniforms:
            place = uniform[0]
            spans = [load.span for load in self.deciding.loads[place] if load.span is not None]
            if not spans:
                continue
            together = self.deciding.needed_with(place)
            if together not in effects:
                effects[together] = self._effect(together)
            effect, is_exact = effects[together]
            related = [
                Related(Place.of(decision.at.span, self.dump), f"it determines {decision.kind} here")
                for decision in self.deciding.decided_by(place)
                if decision.at.span is not None
            ]
            finding = INLINABLE_UNIFORM.at(
                Place.of(spans[0], self.dump),
                self._message(uniform, together, effect, is_exact),
                related=related[:_MOST_RELATED],
                data={
                    "uniform": str(place),
                    "bits": 32 * len(uniform),
                    "together": [str(other) for other in together],
                    "value": self._value(uniform),
                    "decides": sorted({decision.kind for decision in self.deciding.decided_by(place)}),
                    "effect": dict(effect),
                },
                severity=severity_of_gain(max(effect.values(), default=0)),
                gain=max(effect.values(), default=0),
            )
            whole = "Inline all uniforms with known values" if len(self.known) > len(uniform) else ""
            yield Site(finding, tuple(self._fixes(uniform)), whole=whole)

    def _value(self, uniform: Uniform) -> int | None:
        """Return the known bits of a uniform, None if not all of them are known."""
        words = [self.known.get(place) for place in uniform]
        if any(word is None for word in words):
            return None
        return sum((word or 0) << 32 * number for number, word in enumerate(words))

    def _message(
        self, uniform: Uniform, together: Sequence[UniformWord], effect: Effect, is_exact: bool
    ) -> str:
        place = uniform[0]
        kinds = {decision.kind for decision in self.deciding.decided_by(place)}
        name = f"uniform {place}" if len(uniform) == 1 else f"{32 * len(uniform)}-bit uniform {place}"
        message = f"{name} determines {' and '.join(sorted(kinds))}: inlining "
        others = [str(other) for other in together if other not in uniform]
        if not others:
            message += f"this value ({self._value(uniform):#x})" if is_exact else "this value"
        else:
            message += f"it together with {', '.join(others)}"
        words = in_words(effect)
        if not words:
            return f"{message} makes it constant"
        message += f" removes {words}" if is_exact else f" removes at least {words}"
        if is_exact and effect.get("instruction", 0) < 0:
            message += f" and adds {counted(-effect['instruction'], 'instruction')}"
        return f"{message} (its comment was not read: {self.problem})" if self.problem else message

    def _effect(self, places: Sequence[UniformWord]) -> tuple[Effect, bool]:
        """Measure the savings on clones; return them, and whether they are for the known values."""
        if self.before is None:
            cleaned = clone_shader(self.shader)
            tidy(cleaned, unrollable(cleaned))
            self.before = contents(cleaned)
        if all(place in self.known for place in places):
            return self._saved({place: self.known[place] for place in places}), True
        return at_least(self._saved(dict.fromkeys(places, value)) for value in _TRIED), False

    def _saved(self, words: Words) -> Effect:
        assert self.before is not None
        after = clone_shader(self.shader)
        inline_uniforms(after, words)
        return saved(self.before, contents(after))

    def _fixes(self, uniform: Uniform) -> Iterable[SiteFix]:
        value = self._value(uniform)
        for bits in _TRIED if value is None else (value,):
            words = {word: bits >> 32 * number & 0xFFFFFFFF for number, word in enumerate(uniform)}
            shown = f"{bits:#x}" if value is not None else str(bits)
            title = f"Inline {uniform[0]} = {shown}"
            if value is None:
                title = f"Inline a value of {uniform[0]} (for example {bits})"
            yield SiteFix(
                title,
                partial(self._inline, words),
                part=shown,
                preferred=False,
                assumptions=Assumptions(_memory(words)),
            )

    def _inline(self, words: Words) -> list[Shader]:
        return [self.shader] if inline_uniforms(self.shader, words) else []
