"""The pass `inline_uniforms`: uniforms whose values are known become constants (Mesa: nir_inline_uniforms).

Its findings are the uniforms for which that is worth while, with what it saves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from nirls.ir.model.builder import Builder
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.shader import Shader
from nirls.ir.model.span import Span
from nirls.ir.model.values import AluSrc
from nirls.passes.cleanup.constants import become_constant
from nirls.passes.finding import Change, Finding, Fix, Place, Related
from nirls.passes.options import OptionError
from nirls.passes.registry import Options
from nirls.passes.uniforms.codes import BUFFERS, INLINABLE_UNIFORM, LIMIT, NAME
from nirls.passes.uniforms.deciders import Deciding, find_deciding, loads_into_registers, uniform_loads
from nirls.passes.uniforms.effect import Effect, at_least, contents, in_words, saved
from nirls.passes.uniforms.places import PUSH, UniformLoad, uniform_load
from nirls.passes.uniforms.places import Place as UniformPlace
from nirls.passes.uniforms.tidy import tidy
from nirls.passes.uniforms.values import (
    Words,
    check_against,
    commented_values,
    given_values,
    known_component,
    known_values,
)

_MOST_RELATED = 5
_TRIED = (0, 1)
"""The values that stand for all where none is known: what is saved with each of them is what counts."""


def run(shaders: Sequence[Shader], options: Options) -> list[Shader]:
    """Inline the values of the option `set` and of comments, in place; returns the shaders that changed.

    Raises OptionError for values that cannot be read.
    """
    return [shader for shader in shaders if inline_uniforms(shader, known_values(shader, options))]


def check(shaders: Sequence[Shader], options: Options) -> None:
    """Raise OptionError if the values do not fit the shaders that the pass is to run on.

    A value of the option must be read by at least one shader, one of a comment by the shader it is in.
    """
    for shader in shaders:
        check_against(uniform_loads(shader), commented_values(shader))
    given = given_values(options)
    if not given:
        return
    try:
        check_against((load for shader in shaders for load in uniform_loads(shader)), given)
    except OptionError as error:
        if any(map(loads_into_registers, shaders)):
            raise OptionError(f"{error} (some are in register form: run lower_regs_to_ssa first)") from None
        raise


def known_memory(shaders: Sequence[Shader], options: Options) -> dict[tuple[str, int, int], int]:
    """What the pass takes for granted, as words of the evaluator: (space, buffer, word number) -> bits."""
    words: dict[tuple[str, int, int], int] = {}
    for shader in shaders:
        words.update(_memory(known_values(shader, options)))
    return words


def inline_uniforms(shader: Shader, words: Words) -> bool:
    """Replace what is loaded from known words by constants, and fold and clean up what follows from that.

    A load of which some components are known keeps the others. Nothing at all is done to a shader that
    loads none of the words.
    """
    if not words or not _substitute(shader, words):
        return False
    tidy(shader)
    return True


def find(shaders: Sequence[Shader], options: Options) -> Iterable[Finding]:
    """One finding for each uniform word that is worth inlining, on the first load of it."""
    for shader in shaders:
        yield from _Reporter(shader, options).findings()


def buffers_of(options: Options) -> frozenset[str]:
    """The buffers of the option `buffers`."""
    text = str(options.get(BUFFERS.name, BUFFERS.default))
    return frozenset(word.strip() for word in text.split(",") if word.strip())


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
                builder = _in_part(load, known, builder or _builder(impl))
    return progress


def _builder(impl: FunctionImpl) -> Builder:
    return Builder(impl, impl.start_block)


def _in_part(load: UniformLoad, known: Sequence[int | None], builder: Builder) -> Builder:
    """Let readers read the constants and what is left of a load, put together again."""
    block = load.instr.block
    assert block is not None
    readers = list(load.value.uses)
    builder.block, builder.before = block, load.instr.next
    parts = []
    for component, bits in enumerate(known):
        if bits is None:
            parts.append(AluSrc(load.value, (component,)))
        else:
            parts.append(AluSrc(builder.load_const([bits], load.value.bit_size), (0,)))
    whole = builder.alu(f"vec{len(parts)}", parts, len(parts), load.value.bit_size)
    for src in readers:
        src.set_def(whole)
    return builder


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
    """Words what is worth inlining in one shader as findings."""

    def __init__(self, shader: Shader, options: Options) -> None:
        self.shader = shader
        self.known: Mapping[UniformPlace, int] = {}
        self.problem: str | None = None
        try:
            self.known = known_values(shader, options)
        except OptionError as error:
            self.problem = str(error)
        limit = int(options.get(LIMIT.name, LIMIT.default))
        self.deciding: Deciding = find_deciding(shader, buffers_of(options), limit)
        self.before: Counter[str] | None = None

    def findings(self) -> Iterable[Finding]:
        effects: dict[tuple[UniformPlace, ...], tuple[Effect, bool]] = {}
        for place in self.deciding.places:
            spans = [load.span for load in self.deciding.loads[place] if load.span is not None]
            if not spans:
                continue
            together = self.deciding.needed_with(place)
            if together not in effects:
                effects[together] = self._effect(together)
            effect, is_exact = effects[together]
            related = [
                Related(self._place(decision.at.span), f"it decides {decision.kind} here")
                for decision in self.deciding.decided_by(place)
                if decision.at.span is not None
            ]
            yield Finding(
                INLINABLE_UNIFORM,
                self._place(spans[0]),
                self._message(place, together, effect, is_exact),
                NAME,
                related=tuple(related[:_MOST_RELATED]),
                fixes=tuple(self._fixes(place)),
                data={
                    "uniform": str(place),
                    "together": [str(other) for other in together],
                    "value": self.known.get(place),
                    "decides": sorted({decision.kind for decision in self.deciding.decided_by(place)}),
                    "effect": dict(effect),
                },
            )

    def _place(self, span: Span) -> Place:
        return Place(self.shader, span)

    def _message(
        self, place: UniformPlace, together: Sequence[UniformPlace], effect: Effect, is_exact: bool
    ) -> str:
        kinds = {decision.kind for decision in self.deciding.decided_by(place)}
        message = f"uniform {place} decides {' and '.join(sorted(kinds))}: inlining "
        if len(together) == 1:
            message += f"this value ({self.known[place]:#x})" if is_exact else "this value"
        else:
            others = [str(other) for other in together if other != place]
            message += f"it together with {', '.join(others)}"
        words = in_words(effect)
        if not words:
            return f"{message} makes it constant"
        message += f" removes {words}" if is_exact else f" removes at least {words}"
        return f"{message} (its comment was not read: {self.problem})" if self.problem else message

    def _effect(self, places: Sequence[UniformPlace]) -> tuple[Effect, bool]:
        """What is saved, by doing it on copies; and whether that is for the values that are known."""
        if self.before is None:
            cleaned = clone_shader(self.shader)
            tidy(cleaned)
            self.before = contents(cleaned)
        if all(place in self.known for place in places):
            return self._saved({place: self.known[place] for place in places}), True
        return at_least(self._saved(dict.fromkeys(places, value)) for value in _TRIED), False

    def _saved(self, words: Words) -> Effect:
        assert self.before is not None
        after = clone_shader(self.shader)
        inline_uniforms(after, words)
        return saved(self.before, contents(after))

    def _fixes(self, place: UniformPlace) -> Iterable[Fix]:
        if place in self.known:
            words = {place: self.known[place]}
            yield Fix(f"Inline {place} = {self.known[place]:#x}", f"{NAME}:{place}", self._inlining(words))
        else:
            for value in _TRIED:
                yield Fix(
                    f"Inline {place} = {value}",
                    f"{NAME}:{place}={value}",
                    self._inlining({place: value}),
                )
        if len(self.known) > 1:
            yield Fix("Inline all uniforms with known values", NAME, self._inlining(self.known), "pass")

    def _inlining(self, words: Words) -> Callable[[], list[Change]]:
        def compute() -> list[Change]:
            after = clone_shader(self.shader)
            changed = inline_uniforms(after, words)
            return [Change(self.shader, after, _memory(words))] if changed else []

        return compute
