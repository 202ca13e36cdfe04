from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import pytest

from nirls.ir.analysis.assumptions import Assumptions
from nirls.ir.finding import Finding, FindingCode, FixRequest, Place, Severity
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.shader import Damage, Shader
from nirls.ir.model.span import Span
from nirls.ir.model.stage import Stage
from nirls.ir.text.parse import parse_dump
from nirls.passes.declaration import OptionError, OptionValue, Pass, Site, SiteFix, option


@dataclass(frozen=True)
class SomePass(Pass):
    """Do something.

    And more.
    """

    name = "some_pass"

    flag: bool = option(True, "")
    count: int = option(3, "a number", least=-1, most=8)
    cost: float = option(0.5, "")
    word: str = option("", "", choices=("equal", "odd"))


def test_declaration() -> None:
    assert SomePass.summary == "Do something"
    assert [one.name for one in SomePass.options()] == ["flag", "count", "cost", "word"]
    assert SomePass.options()[1].help == "a number"
    assert SomePass() == SomePass.with_options({})


def test_defaults_of_what_a_pass_need_not_have() -> None:
    assert list(SomePass().find([])) == []
    assert SomePass().fix([], FixRequest("some_pass", "some-code")) == []
    assert SomePass().assumptions([]) == Assumptions()
    SomePass().check([])


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("flag", "off", False),
        ("flag", "Yes", True),
        ("flag", False, False),
        ("count", "0x7", 7),
        ("count", -1, -1),
        ("cost", "1e3", 1000.0),
        ("cost", 2, 2.0),
        ("word", "odd", "odd"),
        ("word", "", ""),
    ],
)
def test_values_take_the_type_of_the_default(name: str, given: object, expected: OptionValue) -> None:
    value = getattr(SomePass.with_options({name: given}), name)
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize(
    ("name", "given", "complaint"),
    [
        ("flag", "maybe", "option flag takes true or false, not 'maybe'"),
        ("flag", 1, "option flag takes true or false, not 1"),
        ("count", "many", "option count takes a whole number, not 'many'"),
        ("count", 1.5, "option count takes a whole number, not 1.5"),
        ("count", True, "option count takes a whole number, not True"),
        ("count", "9", "option count must be at most 8, not '9'"),
        ("count", -2, "option count must be at least -1, not -2"),
        ("count", "9" * 5000, f"option count takes a whole number, not '{'9' * 39}..."),
        ("cost", "high", "option cost takes a number, not 'high'"),
        ("word", 3, "option word takes text, not 3"),
        ("word", "even", "option word takes equal, odd or nothing, not 'even'"),
        ("size", "1", "some_pass has no option 'size' (it has: flag, count, cost, word)"),
    ],
)
def test_wrong_values(name: str, given: object, complaint: str) -> None:
    with pytest.raises(OptionError) as error:
        SomePass.with_options({name: given})
    assert str(error.value) == complaint


def test_wrong_values_leave_the_defaults() -> None:
    assert SomePass.with_usable_options({"count": 7}) == SomePass(count=7)
    assert SomePass.with_usable_options({"count": 7, "size": 1}) == SomePass()


def test_stages_limit_a_pass() -> None:
    class OfFragments(SomePass):
        stages = frozenset({Stage.FRAGMENT})

    assert OfFragments.applies_to([Shader(Stage.FRAGMENT)])
    assert not OfFragments.applies_to([Shader(Stage.VERTEX)])
    assert not OfFragments.applies_to([Shader(None)])
    assert OfFragments.applies_to([Shader(Stage.VERTEX), Shader(Stage.FRAGMENT)])
    assert not OfFragments.applies_to([Shader(Stage.VERTEX), Shader(Stage.GEOMETRY)])
    assert SomePass.applies_to([Shader(None)])


def test_no_pass_runs_on_a_damaged_dump() -> None:
    damage = Damage(Span(0, 1, 0), "x")
    assert not SomePass.applies_to([Shader(Stage.VERTEX), Shader(Stage.FRAGMENT, damage=damage)])


@pytest.mark.parametrize(
    ("line", "applies"),
    [
        ("32x4 %0 = undefined", True),
        ("32x?? %0 = undefined", True),
        ("32x7 %0 = undefined", False),
        ("17 %0 = undefined", False),
        ("32 %0 = @decl_reg () (num_components=4, num_array_elems=0, bit_size=32, divergent=1)", True),
        ("32 %0 = @decl_reg () (num_components=255, num_array_elems=0, bit_size=32, divergent=1)", False),
    ],
)
def test_no_pass_runs_on_sizes_that_do_not_exist(line: str, applies: bool) -> None:
    shader = parse_dump(
        f"shader: MESA_SHADER_VERTEX\nimpl main {{\n    block b0:  // preds:, succs: b1\n    {line}\n"
        "    block b1:\n}\n".encode()
    )
    assert SomePass.applies_to([Shader(Stage.FRAGMENT), clone_shader(shader)]) is applies


@pytest.mark.parametrize(
    ("body", "applies"),
    [
        ("block b0:  // preds:\n32 %0 = undefined\n// succs: b1\nblock b1:", True),
        ("32 %0 = undefined", False),
        ("32 %0 = undefined\nblock b0:\n32 %1 = undefined\nblock b1:", False),
        ("block b0:  // preds:\nloop {\n32 %0 = undefined\nbreak\n}\nblock b1:", False),
    ],
)
def test_no_pass_runs_on_code_outside_of_blocks(body: str, applies: bool) -> None:
    shader = parse_dump(f"shader: MESA_SHADER_VERTEX\nimpl main {{\n{body}\n}}\n".encode())
    assert SomePass.applies_to([Shader(Stage.FRAGMENT), shader]) is applies


@pytest.mark.parametrize(
    ("code", "applies"),
    [
        ("32 %1 = undefined\n32 %2 = ineg %1", True),
        ("32 %1 = ineg %1", False),
        ("32 %1 = ineg %2\n32 %2 = undefined", False),
        ("32 %1 = ineg %2", False),
    ],
)
def test_no_pass_runs_on_reads_above_the_definition(code: str, applies: bool) -> None:
    body = f"block b0:  // preds:\n{code}\n// succs: b1\nblock b1:\n"
    shader = parse_dump(f"shader: MESA_SHADER_VERTEX\nimpl main {{\n{body}}}\n".encode())
    assert SomePass.applies_to([Shader(Stage.FRAGMENT), clone_shader(shader)]) is applies


def test_a_pass_that_needs_structure_declines_gotos() -> None:
    class OfBlocks(SomePass):
        needs_structure = False

    shader = parse_dump(
        b"shader: MESA_SHADER_VERTEX\nimpl main {\n    block b0:  // preds:\n    goto b1\n    block b1:\n}\n"
    )
    assert OfBlocks.applies_to([shader])
    assert not SomePass.applies_to([shader])


def test_numbers_too_large_to_print() -> None:
    with pytest.raises(OptionError, match=r"^option count takes numbers of 64 bits; a number of 20001 bits"):
        SomePass.with_options({"count": 1 << 20_000})
    with pytest.raises(OptionError, match=r"^option cost takes a number, not a number of 20001 bits$"):
        SomePass.with_options({"cost": 1 << 20_000})


ABS, NEGATION = (FindingCode(f"an-{name}", name, Severity.HINT) for name in ("abs", "negation"))


@dataclass(frozen=True)
class DropSigns(Pass):
    """Replace `fneg` by its source, and report `fabs`."""

    name = "drop_signs"
    codes = (NEGATION, ABS)

    def sites(self, shaders: Sequence[Shader]) -> Iterable[Site]:
        for dump, shader in enumerate(shaders):
            for instr in list(shader.instrs()):
                if not isinstance(instr, AluInstr):
                    continue
                place = Place.of(instr.span, dump)
                if instr.op == "fneg":
                    fix = SiteFix("Drop it", partial(self._drop, shader, [instr]), part="plain")
                    every = SiteFix("Drop all", partial(self._drop_all, shader))
                    yield Site(NEGATION.at(place, "a sign"), (fix,), every, "Run drop_signs")
                elif instr.op == "fabs":
                    yield Site(ABS.at(place, "no sign"))

    def _drop(self, shader: Shader, instrs: Iterable[AluInstr]) -> list[Shader]:
        for instr in instrs:
            assert instr.def_ is not None
            instr.def_.replace_all_uses_with(instr.sources[0].ssa)
            instr.remove()
        return [shader]

    def _drop_all(self, shader: Shader) -> list[Shader]:
        negations = [one for one in shader.instrs() if isinstance(one, AluInstr) and one.op == "fneg"]
        return self._drop(shader, negations)


SIGNS = b"""\
shader: MESA_SHADER_FRAGMENT
impl main {
    block b0:  // preds:
    32    %0 = load_const (0x3f800000 = 1.000000)
    32    %1 = fneg %0 (1.000000)
    32    %2 = fneg %1
    32    %3 = fabs %2
                // succs: b1
    block b1:
}
"""


def operations(shader: Shader) -> list[str]:
    return [instr.op for instr in shader.instrs() if isinstance(instr, AluInstr)]


def reported(*shaders: Shader) -> list[Finding]:
    return list(DropSigns().find(shaders))


def test_findings_and_fixes_follow_from_sites() -> None:
    shader = parse_dump(SIGNS)
    first, second, abs_ = reported(shader)
    assert abs_.fixes == ()
    assert [(fix.title, fix.request.scope, fix.preferred) for fix in first.fixes] == [
        ("Drop it", "one", True),
        ("Drop all", "all", False),
        ("Run drop_signs", "pass", False),
    ]
    assert first.fixes[1:] == second.fixes[1:]
    assert first.fixes[0].request == FixRequest(
        "drop_signs", "an-negation", "one", 0, first.place.start, "plain"
    )
    for fix, left in zip(first.fixes, (["fneg", "fabs"], ["fabs"], ["fabs"]), strict=True):
        (change,) = DropSigns().fix([shader], fix.request)
        assert change.before is shader
        assert operations(change.after) == left
    assert operations(shader) == ["fneg", "fneg", "fabs"]


def test_fix_for_all_is_offered_where_there_are_several() -> None:
    (found,) = reported(parse_dump(SIGNS.replace(b"fneg %1", b"fcos %1").replace(b"fabs", b"fsin")))
    assert [fix.request.scope for fix in found.fixes] == ["one", "pass"]


def test_request_names_the_dump() -> None:
    shaders = [parse_dump(SIGNS), parse_dump(SIGNS)]
    found = [finding for finding in reported(*shaders) if finding.fixes]
    for finding in found:
        for fix in finding.fixes[:2]:
            (change,) = DropSigns().fix(shaders, fix.request)
            assert change.before is shaders[finding.place.dump]


@pytest.mark.parametrize(
    "other",
    [
        {"pass_name": "x"},
        {"code": "an-abs"},
        {"start": 3},
        {"dump": 1},
        {"part": ""},
        {"scope": "all", "dump": 1},
    ],
)
def test_request_that_is_not_offered(other: dict[str, str]) -> None:
    shader = parse_dump(SIGNS)
    request = reported(shader)[0].fixes[0].request
    assert DropSigns().fix([shader], replace(request, **other)) == []  # type: ignore[arg-type]


def test_a_pass_with_sites_applies_all_of_them() -> None:
    shader = parse_dump(SIGNS)
    for instr in shader.instrs():
        instr.span = None
    assert reported(shader) == [], "there is no place to report"
    assert DropSigns().apply(shader)
    assert operations(shader) == ["fabs"]
    assert not DropSigns().apply(shader)
