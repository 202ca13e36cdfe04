"""Random single shaders as text, awkward for the passes that clean up, move discards or handle registers.

Every opcode of the tables at every size, on constants that are NaN, infinite, -0, denormal or the extremes of
their type; nested ifs and loops with breaks, continues, returns and halts; phis of undefined values; discards
of each kind between derivatives, texture fetches, subgroup operations and stores; registers with and without
arrays.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

from nirls.ir.model.shader import Shader
from nirls.ir.tables import Opcode, opcodes
from nirls.verification.evaluate.supported import supported_alu_opcodes
from nirls.verification.random_shaders.body import parsed

_SIZES = (1, 8, 16, 32, 32, 32, 64)
_SPECIAL = {
    1: (0, 1),
    8: (0, 1, 0x7F, 0x80, 0xFF, 3),
    16: (0, 0x8000, 0x3C00, 0x7C00, 0xFE00, 1, 0x7FFF, 0xFFFF, 0x0400, 17),
    32: (
        *(0, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 1, 2, 31, 32, 33),
        *(0x7FFFFFFF, 0xFFFFFFFF, 0x00000001, 0x00800000, 0x7F7FFFFF, 0x3F000000, 0x4B000000),
    ),
    64: (
        *(0, 1, 63, 64, 0x8000000000000000, 0x3FF0000000000000, 0x7FF0000000000000, 0x7FF8000000000000),
        *(0x7FFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF, 0x0000000000000001),
    ),
}
_EFFECTS = (
    *("store", "store", "store", "atomic", "register", "register", "discard", "helper", "lanes", "texture"),
    *("load", "undef", "copy", "copy", "variable", "variable", "block", "output"),
)
_VARIABLES = (("t0", "float[3]", 32, 1, 3), ("t1", "vec4", 32, 4, 0), ("t2", "uint16_t[2]", 16, 1, 2))
"""Name, type, bits, components and elements (0 for no array) of temporaries."""
_LOCALS = "".join(f"    decl_var  INTERP_MODE_NONE none {type_} {name}\n" for name, type_, *_ in _VARIABLES)
_BLOCKS = "".join(f"decl_var ubo INTERP_MODE_NONE none vec4[4] b{n} (0, 0, {n})\n" for n in range(3))
_MOST_VALUES = 90


def random_shader(number: int) -> Shader:
    """The shader of that number: two of three are fragment shaders, the others compute shaders."""
    return parsed([random_text(number)])[0]


def random_text(number: int) -> str:
    """Its text."""
    return _Writer(random.Random(number), is_fragment=number % 3 != 2).text()


@dataclass(frozen=True, slots=True)
class _Value:
    number: int
    bits: int
    width: int


@cache
def _operations() -> tuple[Opcode, ...]:
    """Opcodes of the newest release that can be run, without derivatives and those with constant operands."""
    able = supported_alu_opcodes()
    return tuple(
        entry
        for name, entry in opcodes().items()
        if name in able and "25.0" in entry.releases and not name.startswith(("fdd", "extract_"))
    )


class _Writer:
    """Lines of a function body. `scope` are the values that dominate the place where it writes."""

    def __init__(self, seed: random.Random, *, is_fragment: bool) -> None:
        self.random = seed
        self.is_fragment = is_fragment
        self.lines: list[str] = []
        self.scope: list[_Value] = []
        self.number = 0
        self.block = 0
        self.depth = 1
        self.loops: list[_Loop] = []
        self.registers: list[tuple[_Value, int, int, int]] = []
        self.has_ended = False
        self.inputs: list[_Value] = []
        self.lane = 0

    def text(self) -> str:
        self._open_block()
        self._inputs()
        self._code(3)
        self._store_everything()
        stage = "FRAGMENT" if self.is_fragment else "COMPUTE"
        head = "" if self.is_fragment else "workgroup_size: 8, 1, 1\n"
        body = "\n".join(self.lines)
        return (
            f"shader: MESA_SHADER_{stage}\n{head}num_ubos: 3\n{_BLOCKS}decl_function main () (entrypoint)\n\n"
            f"impl main {{\n{_LOCALS}{body}\n    block b{self.block}:\n}}\n"
        )

    # Lines

    def _line(self, text: str) -> None:
        self.lines.append(f"{'    ' * self.depth}{text}")

    def _define(self, bits: int, width: int, text: str) -> _Value:
        value = _Value(self.number, bits, width)
        self.number += 1
        self._line(f"{bits}{'' if width == 1 else f'x{width}'} %{value.number} = {text}")
        self.scope.append(value)
        return value

    def _open_block(self) -> int:
        self._line(f"block b{self.block}:")
        self.block += 1
        self.has_ended = False
        return self.block - 1

    # Values

    def _constant(self, bits: int, width: int = 1) -> _Value:
        picks = [self.random.choice(_SPECIAL[bits]) for _ in range(width)]
        if self.random.random() < 0.3:
            picks = [self.random.getrandbits(bits) for _ in range(width)]
        return self._literal(bits, picks)

    def _literal(self, bits: int, numbers: list[int]) -> _Value:
        if bits == 1:
            shown = ", ".join("true" if number else "false" for number in numbers)
        else:
            shown = ", ".join(f"0x{number:0{bits // 4}x}" for number in numbers)
        return self._define(bits, len(numbers), f"load_const ({shown})")

    def _int(self, number: int) -> _Value:
        return self._literal(32, [number])

    def _value(self, bits: int, width: int | None = 1) -> _Value:
        """A value of that size that can be read here; None for any width."""
        fitting = [value for value in self.scope if value.bits == bits and width in (None, value.width)]
        if not fitting or self.random.random() < 0.12:
            return self._constant(bits, width or self.random.choice((1, 2, 3, 4)))
        # Mostly what is near, so that long chains of operations come about.
        return fitting[-1 - min(int(self.random.expovariate(0.25)), len(fitting) - 1)]

    def _condition(self) -> _Value:
        """A boolean, mostly one that differs between invocations."""
        if self.random.random() < 0.35:
            return self._value(1)
        if self.is_fragment and self.random.random() < 0.5:
            word, what = self.random.choice(("flt", "fge", "flt!")), self._outer_value(self.inputs[0])
            if self.random.random() < 0.5:
                what = self.random.choice(self.inputs)
            threshold = self._literal(32, [self.random.choice((0x3F000000, 0x3F400000, 0, 0xBF000000))])
            return self._define(1, 1, f"{word} %{what.number}, %{threshold.number}")
        border = self._int(self.random.randrange(1, 12))
        return self._define(
            1, 1, f"{self.random.choice(('ult', 'uge', 'ieq'))} %{self.lane}, %{border.number}"
        )

    def _source(self, bits: int, width: int) -> str:
        """An ALU source with a swizzle."""
        value = self._value(bits, None)
        letters = "abcdefghijklmnop" if value.width > 4 else "xyzw"
        swizzle = [self.random.randrange(value.width) for _ in range(width)]
        if swizzle == list(range(value.width)):
            return f"%{value.number}"
        return f"%{value.number}.{''.join(letters[lane] for lane in swizzle)}"

    def _inputs(self) -> None:
        zero = self._int(0)
        for base in range(3):
            self._define(32, 1, f"@load_ubo (%{zero.number}, %{zero.number}) ({_RANGE.format(base * 4)})")
        if self.is_fragment:
            corner = self._define(32, 2, "@load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)")
            for component in range(3):
                varying = self._define(
                    *(32, 1),
                    f"@load_interpolated_input (%{corner.number}, %{zero.number}) (base=0,"
                    f" component={component}, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)",
                )
                self.inputs.append(varying)
        self.lane = self._define(32, 1, "@load_subgroup_invocation").number
        for _ in range(self.random.randrange(3)):
            width, bits = self.random.choice((1, 2, 4)), self.random.choice((16, 32, 32))
            elements = self.random.choice((0, 0, 3))
            register = self._define(
                *(32, 1),
                f"@decl_reg () (num_components={width}, bit_size={bits}, num_array_elems={elements},"
                " divergent=1)",
            )
            self.scope.remove(register)
            self.registers.append((register, width, bits, elements))

    # Code

    def _code(self, depth: int) -> None:
        """Some instructions and, while `depth` allows, control flow between them."""
        for _ in range(self.random.randrange(1, 4)):
            if self.has_ended:
                return
            self._instructions()
            if depth == 0 or self.number > _MOST_VALUES:
                return
            self.random.choice((self._if, self._if, self._loop, self._discarding_if))(depth)

    def _instructions(self) -> None:
        for _ in range(self.random.randrange(1, 8)):
            if self.random.random() < 0.72:
                self._operation()
            else:
                getattr(self, f"_{self.random.choice(_EFFECTS)}")()

    def _operation(self) -> None:
        entry = self.random.choice(_operations())
        bits = self.random.choice(_allowed_sizes(entry))
        width = entry.output_size or self.random.choice((1, 1, 1, 2, 3, 4))
        sources = [
            self._source(_bits_of(type_, bits), size or width)
            for type_, size in zip(entry.input_types, entry.input_sizes, strict=True)
        ]
        flag = "!" if entry.output_type.startswith("float") and self.random.random() < 0.25 else ""
        self._define(_bits_of(entry.output_type, bits), width, f"{entry.name}{flag} {', '.join(sources)}")

    def _store(self) -> None:
        value, place = self._value(32), self._int(4 * self.random.randrange(6))
        self._store_word(value, self._int(0), place)

    def _store_word(self, value: _Value, buffer: _Value, place: _Value) -> None:
        self._line(
            f"@store_ssbo (%{value.number}, %{buffer.number}, %{self._address(place)}) (wrmask=x,"
            " access=none, align_mul=4, align_offset=0)"
        )

    def _address(self, place: _Value) -> int:
        """The own words of each invocation, so that no two race."""
        scaled = self._define(32, 1, f"imul %{self.lane}, %{self._int(64).number}")
        return self._define(32, 1, f"iadd %{scaled.number}, %{place.number}").number

    def _load(self) -> None:
        place, zero = self._int(4 * self.random.randrange(6)), self._int(0)
        access = self.random.choice(("none", "none", "readonly|reorderable"))
        buffer = zero if access == "none" else self._int(1)
        self._define(
            *(32, 1),
            f"@load_ssbo (%{buffer.number}, %{self._address(place)}) (access={access}, align_mul=4,"
            " align_offset=0)",
        )

    def _atomic(self) -> None:
        data, zero = self._value(32), self._int(2)
        self._define(
            *(32, 1),
            f"@ssbo_atomic (%{zero.number}, %{self._address(self._int(0))}, %{data.number}) (access=none,"
            " atomic_op=iadd)",
        )

    def _variable(self) -> None:
        """A load, store or copy of a temporary, or of an element by a constant or a number that varies."""
        name, type_, bits, width, elements = self.random.choice(_VARIABLES)
        whole = self._deref(f"deref_var &{name} (function_temp {type_})")
        kind = self.random.random()
        if kind < 0.08:
            other = self._deref(f"deref_var &{name} (function_temp {type_})")
            self._line(f"@copy_deref (%{whole}, %{other}) (dst_access=none, src_access=none)")
            return
        if elements:
            scalar = type_.partition("[")[0]
            index = str(self.random.randrange(elements))
            if self.random.random() < 0.3:
                low = self._define(32, 1, f"iand %{self._value(32).number}, %{self._int(1).number}")
                index = f"%{low.number}"
            whole = self._deref(f"deref_array &(*%{whole})[{index}] (function_temp {scalar})")
        if kind < 0.55:
            self._define(bits, width, f"@load_deref (%{whole}) (access=none)")
            return
        mask = "".join(letter for letter in "xyzw"[:width] if self.random.random() < 0.7) or "x"
        self._line(
            f"@store_deref (%{whole}, %{self._value(bits, width).number}) (wrmask={mask}, access=none)"
        )

    def _deref(self, text: str) -> int:
        pointer = self._define(32, 1, text)
        self.scope.remove(pointer)
        return pointer.number

    def _block(self) -> None:
        """A uniform block by a number that varies."""
        low = self._define(32, 1, f"iand %{self._value(32).number}, %{self._int(1).number}")
        place = self._int(4 * self.random.randrange(4))
        self._define(32, 1, f"@load_ubo (%{low.number}, %{place.number}) ({_RANGE.format(0)})")

    def _output(self) -> None:
        """A vector of outputs at once, some of them."""
        if not self.is_fragment:
            return
        width = self.random.randrange(1, 5)
        mask = "".join(letter for letter in "xyzw"[:width] if self.random.random() < 0.7) or "x"
        value, zero = self._value(32, width), self._int(0)
        self._line(
            f"@store_output (%{value.number}, %{zero.number}) (base=0, range=0, wrmask={mask}, component=0,"
            " src_type=uint32, io location=FRAG_RESULT_DATA2 slots=1, xfb(), xfb2())"
        )

    def _undef(self) -> None:
        self._define(self.random.choice(_SIZES), self.random.choice((1, 1, 4)), "undefined")

    def _copy(self) -> None:
        """A move or a vector of what is there already."""
        bits, width = self.random.choice((1, 16, 32, 32, 64)), self.random.randrange(1, 5)
        self._vector(bits, width)

    def _vector(self, bits: int, width: int) -> _Value:
        if width == 1 or self.random.random() < 0.3:
            return self._define(bits, width, f"mov {self._source(bits, width)}")
        sources = ", ".join(self._source(bits, 1) for _ in range(width))
        return self._define(bits, width, f"vec{width} {sources}")

    def _register(self) -> None:
        if not self.registers:
            return
        register, width, bits, elements = self.random.choice(self.registers)
        stores = self.random.random() < 0.6
        value = None
        if stores:
            value = self._vector(bits, width) if self.random.random() < 0.5 else self._value(bits, width)
        index, indirect = "", ""
        if elements:
            low = self._define(32, 1, f"iand %{self._value(32).number}, %{self._int(1).number}")
            index, indirect = f", %{low.number}", "_indirect"
        base = self.random.randrange(elements - 1) if elements else 0
        if value is None:
            self._define(
                *(bits, width),
                f"@load_reg{indirect} (%{register.number}{index}) (base={base}, legacy_fabs=0,"
                " legacy_fneg=0)",
            )
            return
        mask = "".join(letter for letter in "xyzw"[:width] if self.random.random() < 0.8) or "x"
        self._line(
            f"@store_reg{indirect} (%{value.number}, %{register.number}{index}) (base={base}, wrmask={mask},"
            " legacy_fsat=0)"
        )

    def _discard(self) -> None:
        if self.is_fragment:
            word = self.random.choice(("terminate_if", "demote_if"))
            self._line(f"@{word} (%{self._condition().number})")

    def _helper(self) -> None:
        if self.is_fragment:
            self._define(1, 1, f"@{self.random.choice(('is_helper_invocation', 'load_helper_invocation'))}")

    def _lanes(self) -> None:
        kind = self.random.choice(
            ("vote_any", "read_first_invocation", "reduce", "ddx", "quad_swap_horizontal", "elect")
        )
        if kind == "elect":
            self._define(1, 1, "@elect")
        elif kind == "vote_any":
            self._define(1, 1, f"@vote_any (%{self._value(1).number})")
        elif kind == "reduce":
            self._define(32, 1, f"@reduce (%{self._value(32).number}) (reduction_op=iadd, cluster_size=0)")
        elif self.is_fragment or kind == "read_first_invocation":
            self._define(32, 1, f"@{kind} (%{self._value(32).number})")

    def _texture(self) -> None:
        if self.is_fragment:
            place = self._value(32, 2)
            self._define(32, 4, f"(float32)tex %{place.number} (coord), 0 (texture), 0 (sampler)")

    # Control flow

    @contextmanager
    def _nested(self) -> Iterator[None]:
        outside = list(self.scope)
        self.depth += 1
        yield
        self.depth -= 1
        self.scope = outside

    def _discarding_if(self, depth: int) -> None:
        """An if with nothing but a discard in one branch, and sometimes a phi that does not care."""
        before = self._value(32)
        condition, in_else = self._condition(), self.random.random() < 0.4
        word = self.random.choice(("@terminate", "@demote")) if self.is_fragment else None
        self._line(f"if %{condition.number} {{")
        for position in range(2):
            if position:
                self._line("} else {")
            with self._nested():
                self._open_block()
                if word is not None and bool(position) is in_else:
                    self._line(word)
        self._line("}")
        block = self._open_block()
        if self.random.random() < 0.5:
            other = before if self.random.random() < 0.5 else self._outer_value(before)
            self._define(32, 1, f"phi b{block - 2}: %{before.number}, b{block - 1}: %{other.number}")

    def _outer_value(self, like: _Value) -> _Value:
        return self.random.choice(
            [value for value in self.scope if (value.bits, value.width) == (like.bits, like.width)]
        )

    def _if(self, depth: int) -> None:
        condition = self._condition()
        self._line(f"if %{condition.number} {{")
        ends: list[tuple[int, list[_Value]]] = []
        for position in range(2):
            if position:
                self._line("} else {")
            with self._nested():
                self._open_block()
                if self.random.random() < 0.8:
                    self._code(depth - 1)
                if not self.has_ended and self.random.random() < 0.25:
                    self._jump()
                if not self.has_ended:
                    ends.append((self.block - 1, list(self.scope)))
        self._line("}")
        self._open_block()
        if not ends:
            # Nobody comes here: Mesa has such blocks too, right behind a jump in both branches.
            self.has_ended = False
            return
        for _ in range(self.random.randrange(3)):
            self._phi(ends)

    def _phi(self, ends: list[tuple[int, list[_Value]]]) -> None:
        bits, width = self.random.choice(((32, 1), (32, 1), (1, 1), (32, 4), (16, 1), (64, 1)))
        choices = [
            [value for value in scope if (value.bits, value.width) == (bits, width)] for _, scope in ends
        ]
        if not all(choices):
            return
        reads = ", ".join(
            f"b{block}: %{self.random.choice(values).number}"
            for (block, _), values in zip(ends, choices, strict=True)
        )
        self._define(bits, width, f"phi {reads}")

    def _jump(self) -> None:
        kinds: list[Callable[[], None]] = [lambda: self._line("return"), lambda: self._line("halt")]
        if self.is_fragment:
            kinds = [lambda: self._line("@terminate"), lambda: self._line("@demote"), *kinds]
        if self.loops:
            kinds = [self.loops[-1].breaks, self.loops[-1].continues, *kinds]
        jump = self.random.choice(kinds)
        jump()
        self.has_ended = not self.lines[-1].lstrip().startswith("@")

    def _loop(self, depth: int) -> None:
        start = self.block - 1
        carried = [
            self._value(bits, width) for bits, width in ((32, 1), (self.random.choice((1, 16, 32)), 1))
        ]
        zero, one, bound = self._int(0), self._int(1), self._int(self.random.randrange(1, 5))
        self._line("loop {")
        loop = _Loop(self, carried)
        with self._nested():
            header = self._open_block()
            place = len(self.lines)
            counter = self._define(32, 1, "")
            phis = [self._define(value.bits, value.width, "") for value in carried]
            following = self._define(32, 1, f"iadd %{counter.number}, %{one.number}")
            done = self._define(1, 1, f"uge %{counter.number}, %{bound.number}")
            self._line(f"if %{done.number} {{")
            with self._nested():
                self._open_block()
                loop.breaks()
            self._line("} else {")
            with self._nested():
                self._open_block()
            self._line("}")
            self._open_block()
            self.loops.append(loop)
            self._code(depth - 1)
            self.loops.pop()
            if not self.has_ended:
                loop.rounds.append((self.block - 1, loop.choices()))
            rounds = [(start, [zero, *carried])] + [
                (block, [following, *values]) for block, values in loop.rounds
            ]
            for row in range(1 + len(phis)):
                reads = ", ".join(f"b{block}: %{values[row].number}" for block, values in rounds)
                self.lines[place + row] += f"phi {reads}"
            assert header == rounds[0][0] + 1
        self._line("}")
        self._open_block()
        if not loop.ends:
            return
        for _ in range(self.random.randrange(3)):
            self._phi(loop.ends)

    def _store_everything(self) -> None:
        """Store the values that were computed, at the end of the shader."""
        if self.has_ended:
            return
        zero = self._int(0)
        scalars = [value for value in self.scope if value.width == 1]
        for place, value in enumerate(self.random.sample(scalars, min(8, len(scalars)))):
            word = self._as_word(value)
            if self.is_fragment:
                self._line(
                    f"@store_output (%{word.number}, %{zero.number}) (base=0, range=0, wrmask=x,"
                    f" component={place % 4}, src_type=uint32,"
                    f" io location=FRAG_RESULT_DATA{place // 4} slots=1, xfb(), xfb2())"
                )
            else:
                self._store_word(word, zero, self._int(4 * place + 32))

    def _as_word(self, value: _Value) -> _Value:
        if value.bits == 32:
            return value
        return self._define(32, 1, f"{'b2i32' if value.bits == 1 else 'u2u32'} %{value.number}")


class _Loop:
    """A loop that is being written: where it is left from, and from where it goes round with which values."""

    def __init__(self, writer: _Writer, carried: list[_Value]) -> None:
        self.writer = writer
        self.carried = carried
        self.ends: list[tuple[int, list[_Value]]] = []
        self.rounds: list[tuple[int, list[_Value]]] = []

    def choices(self) -> list[_Value]:
        """For each value that goes round one of its size that can be read here."""
        return [
            self.writer.random.choice(
                [v for v in self.writer.scope if (v.bits, v.width) == (old.bits, old.width)]
            )
            for old in self.carried
        ]

    def breaks(self) -> None:
        self.ends.append((self.writer.block - 1, list(self.writer.scope)))
        self.writer._line("break")

    def continues(self) -> None:
        self.rounds.append((self.writer.block - 1, self.choices()))
        self.writer._line("continue")


_RANGE = "access=none, align_mul=4, align_offset=0, range_base={}, range=4"


def _bits_of(type_: str, free: int) -> int:
    """The bits of `float32`; `free` where the type leaves them open."""
    digits = type_.lstrip("abcdefghijklmnopqrstuvwxyz")
    return int(digits) if digits else free


def _allowed_sizes(entry: Opcode) -> list[int]:
    """The sizes that a type of the opcode without one may have."""
    free = [type_ for type_ in (*entry.input_types, entry.output_type) if not type_[-1].isdigit()]
    if any(type_ == "float" for type_ in free):
        return [16, 32, 32, 64]
    if any(type_ == "bool" for type_ in free):
        return [1]
    return list(_SIZES) if free else [32]
