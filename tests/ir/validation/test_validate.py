from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from nirls.ir.finding import Severity
from nirls.ir.model.builder import Builder
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import Block, FunctionImpl, If, Loop
from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.shader import Function, Shader
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import AluSrc, Src
from nirls.ir.text.parse import parse_dump, parse_shaders
from nirls.ir.validation import defect_of, new_errors, validate
from tests.passes.shader_text import ONE, ZERO, shader_text, store
from tests.passes.shader_text import shader as shader_of


def corpus_files(corpus: Path) -> list[Path]:
    folders = ("pipelines/*/*", "old", "varyings", "logs")
    return sorted(path for folder in folders for path in corpus.glob(f"{folder}/*") if path.is_file())


@pytest.mark.sweep
def test_real_dumps_have_no_problems(corpus: Path) -> None:
    # Every ninth file; `make corpus` runs them all.
    files = [path for path in corpus_files(corpus)[::9] if path.parent.name != "logs"]
    dumps, found = 0, []
    for path in files:
        for shader in parse_shaders(path.read_bytes()):
            dumps += 1
            found += [(path.name, problem) for problem in validate(shader)]
    assert found == []
    assert dumps >= len(files) > 0


def broken_versions(text: bytes, count: int, seed: int) -> list[bytes]:
    """The text with lines dropped, repeated, swapped and cut, and numbers and names changed."""
    source = random.Random(seed)
    versions = []
    for _ in range(count):
        lines = text.splitlines(keepends=True)
        for _ in range(source.randint(1, 6)):
            position = source.randrange(len(lines))
            match source.randrange(6):
                case 0:
                    del lines[position]
                case 1:
                    lines.insert(source.randrange(len(lines)), lines[position])
                case 2:
                    other = source.randrange(len(lines))
                    lines[position], lines[other] = lines[other], lines[position]
                case 3:
                    lines[position] = lines[position][: source.randrange(len(lines[position]))] + b"\n"
                case 4:
                    words = lines[position].split(b" ")
                    source.shuffle(words)
                    lines[position] = b" ".join(words)
                case _:
                    digits = str(source.randrange(40)).encode()
                    lines[position] = lines[position].replace(str(source.randrange(10)).encode(), digits)
            if not lines:
                lines = [b"\n"]
        versions.append(b"".join(lines))
    return versions


def test_broken_dumps_are_survived(data: Path) -> None:
    files = sorted(data.glob("pipelines/**/*.nir"))
    assert files
    for seed, path in enumerate(files):
        for text in broken_versions(path.read_bytes(), 6, seed):
            shader = parse_dump(text)
            problems = validate(shader)
            assert all(0 <= problem.place.start <= problem.place.end <= len(text) for problem in problems)
            assert problems == sorted(problems, key=lambda problem: (problem.place.start, problem.place.end))


def empty_shader() -> tuple[Shader, FunctionImpl]:
    shader = Shader(Stage.FRAGMENT)
    function = Function("main", is_entrypoint=True)
    shader.functions.append(function)
    function.impl = FunctionImpl(function)
    return shader, function.impl


def test_function_without_a_block() -> None:
    shader, impl = empty_shader()
    impl.link_blocks()
    assert [problem.code for problem in validate(shader)] == ["bad-control-flow"]


def test_empty_and_adjacent_constructs() -> None:
    shader, impl = empty_shader()
    impl.body = [Loop(), If(Src())]
    impl.link_blocks()
    assert {problem.code for problem in validate(shader)} == {"bad-control-flow"}


def test_problems_of_instructions_without_text() -> None:
    shader, impl = empty_shader()
    block = Block(0)
    impl.body = [block]
    impl.end_block.index = 1
    impl.link_blocks()
    builder = Builder(impl, block)
    value = builder.load_const([1], 32)
    builder.alu("fadd", [value, AluSrc(value, (1,))], 1, 32)
    assert [problem.code for problem in validate(shader)] == ["bad-swizzle"]


def test_deep_nesting() -> None:
    shader, impl = empty_shader()
    nodes, index = impl.body, 0
    for depth in range(4_000):
        loop: If | Loop = Loop() if depth % 2 else If(Src())
        nodes += [Block(index), loop, Block(index + 1)]
        index += 2
        if isinstance(loop, If):
            loop.else_body.append(Block(index))
            index += 1
            nodes = loop.then_body
        else:
            nodes = loop.body
    nodes.append(Block(index))
    impl.end_block.index = index + 1
    impl.link_blocks()
    assert validate(shader) == []


def straight_line(count: int) -> Shader:
    shader, impl = empty_shader()
    block = Block(0)
    impl.body = [block]
    impl.end_block.index = 1
    impl.link_blocks()
    builder = Builder(impl, block)
    value = builder.load_const([0x3F800000], 32)
    for _ in range(count):
        value = builder.alu("fadd", [value, value], 1, 32)
    return shader


@pytest.mark.sweep
def test_time_grows_with_the_size_only() -> None:
    small, large = straight_line(1_000), straight_line(16_000)

    def best(shader: Shader) -> float:
        times = []
        for _ in range(5):
            start = time.process_time()
            assert validate(shader) == []
            times.append(time.process_time() - start)
        return min(times)

    assert best(large) < 16 * 3 * best(small)


def test_names_that_no_release_has_are_warnings() -> None:
    text = """shader: MESA_SHADER_VERTEX
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32    %0 = load_const (0x00000000)
    32    %1 = opcode_of_2030 %0
    32    %2 = @intrinsic_of_2030 (%1)
               // succs: b1
    block b1:
}
"""
    problems = validate(parse_dump(text.encode()))
    assert [(problem.code, problem.severity) for problem in problems] == [
        ("unknown-opcode", "warning"),
        ("unknown-intrinsic", "warning"),
    ]


def test_a_damaged_dump_has_that_problem_alone() -> None:
    shader = parse_dump(
        b"shader: MESA_SHADER_FRAGMENT\nimpl main {\n    block b0:\n    32 %1 = iadd %0, %0\n"
    )
    assert [problem.code for problem in validate(shader)] == ["damaged-dump"]


@pytest.mark.parametrize(
    ("line", "defect"),
    [
        ("32 %1 = mov %0", ""),
        ("VM_L2_PROTECTION_FAULT_STATUS:0x00000000", ""),
        ("what is %0", "a line with values cannot be read"),
        ("what is ssa_0", "a line with values cannot be read"),
        ("r0.x what", "a line with values cannot be read"),
        ("32 %1 = not_an_opcode %0", ""),
        ("32 %1 = mov %7", "%7 is not defined"),
        ("32x7 %1 = undefined", "%1 has 7 components"),
    ],
)
def test_the_first_error_is_a_defect(line: str, defect: str) -> None:
    shader = parse_dump(shader_text("VERTEX", ZERO, line).encode())
    assert defect_of(shader) == defect


def test_a_defect_is_looked_for_once_and_again_by_a_validation() -> None:
    shader = parse_dump(shader_text("VERTEX", ZERO, "32 %1 = mov %7").encode())
    assert defect_of(shader)
    wrong = next(instr for instr in shader.instrs() if isinstance(instr, AluInstr))
    wrong.remove()
    assert defect_of(shader)
    assert defect_of(clone_shader(shader))
    assert validate(shader) == []
    assert not defect_of(shader)


def test_values_that_need_each_other_where_nothing_is_reached_are_a_defect_without_an_error() -> None:
    """Each block that cannot be reached is dominated by all."""
    branches = "if %0 {{\n    block b{}:{}\n    }} else {{\n    block b{}:{}\n    }}"
    lines = (
        *(branches.format(2, "\n    return", 3, "\n    return"), "block b4:\n    32 %1 = ineg %2"),
        *(branches.format(5, "", 6, ""), "block b7:\n    32 %2 = ineg %1"),
    )
    text = shader_text("VERTEX", "1 %0 = undefined", *lines).replace("block b1:", "block b8:")
    shader = parse_dump(text.encode())
    assert [one for one in validate(shader) if one.severity is Severity.ERROR] == []
    assert defect_of(shader) == "a value is read above its definition"


RIGHT = shader_of("VERTEX", ZERO, ONE, store("VAR0"))
WRONG = shader_of("VERTEX", ZERO, ONE, store("VAR0", "%7"))
MORE_WRONG = shader_of("VERTEX", ZERO, ONE, store("VAR0", "%7"), store("VAR1", "%8"))


def test_only_what_is_new_counts() -> None:
    assert new_errors([RIGHT], [RIGHT]) == []
    assert len(new_errors([RIGHT], [WRONG])) == 1
    assert new_errors([WRONG], [WRONG]) == []
    assert new_errors([WRONG], [RIGHT]) == []
    assert len(new_errors([WRONG], [MORE_WRONG])) == 1
    assert len(new_errors([RIGHT, RIGHT], [WRONG, WRONG])) == 2


@pytest.mark.parametrize("marker", ["...", "[...]", "(snip)"])
def test_nothing_is_said_about_what_an_excerpt_leaves_out(marker: str) -> None:
    lines = ("32 %5 = mov %4", "32 %6 = deref_var &a (shader_in float)", "32 %7 = phi b8: %9")
    shader = parse_dump(shader_text("VERTEX", marker, *lines).encode())
    assert [finding.code for finding in validate(shader)] == ["omitted-lines"]
    assert defect_of(shader) == "it is an excerpt of a dump"


def test_what_stands_in_an_excerpt_is_checked() -> None:
    text = shader_text("VERTEX", "...", "32 %5 = fadd %4")
    assert [finding.code for finding in validate(parse_dump(text.encode()))] == [
        "omitted-lines",
        "bad-source-count",
    ]
