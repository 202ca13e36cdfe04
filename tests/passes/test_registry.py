from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from nirls.passes import registry
from nirls.passes.declaration import Pass
from nirls.passes.registry import read_entry_points

PASSES = registry.all_passes()


@dataclass
class FakeEntryPoint:
    name: str
    target: Callable[[], object]
    value: str = "package.module:thing"

    def load(self) -> object:
        return self.target()


def declared(pass_name: str) -> type[Pass]:
    class Declared(Pass):
        """Do something."""

        name = pass_name

    return Declared


def test_built_in_passes_are_found() -> None:
    assert registry.find("opt_varyings_dead_io") in PASSES
    assert registry.find("opt_nothing") is None
    assert registry.broken_passes() == ()


def test_names_and_codes_are_unique() -> None:
    names = Counter(one.name for one in PASSES)
    codes = Counter(code.code for one in PASSES for code in one.codes)
    assert max(names.values()) == 1
    assert max(codes.values()) == 1
    assert all(one.part_of in names for one in PASSES if one.part_of)


@pytest.mark.parametrize("one", PASSES, ids=lambda one: one.name)
def test_every_built_in_pass_keeps_its_promises(one: type[Pass]) -> None:
    assert one.__module__.rpartition(".")[2] == one.name
    assert one.scope in ("shader", "pipeline")
    assert (one.sites is not Pass.sites) == bool(one.codes)
    assert one.find is Pass.find
    assert one.fix is Pass.fix
    assert one.summary[0].isupper()
    assert not one.summary.endswith(".")
    assert all(option.help for option in one.options())


def test_looking_up_a_pass_imports_no_other() -> None:
    program = (
        "import sys; from nirls.passes import registry; registry.find('opt_dce');"
        " print(sorted(name for name in sys.modules if name.startswith('nirls.passes.')"
        f" and name.rpartition('.')[2] in {[one.name for one in PASSES]!r}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['nirls.passes.cleanup.opt_dce']"


@pytest.mark.parametrize(
    "loaded", [declared("x"), [declared("x")], lambda: declared("x"), lambda: iter([declared("x")])]
)
def test_forms_of_an_entry_point(loaded: object) -> None:
    (found,), broken = read_entry_points([FakeEntryPoint("x", lambda: loaded)])
    assert found.name == "x"
    assert broken == ()


def raises() -> object:
    raise ImportError("no module named package")


class Nameless(Pass):
    """Do nothing."""


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        (raises, "ImportError: no module named package"),
        (lambda: 3, "TypeError: expected a subclass of Pass or a sequence of them, not int"),
        (lambda: ["x"], "TypeError: expected a subclass of Pass, not str"),
        (lambda: int, "TypeError: expected a subclass of Pass, not int"),
        (lambda: Nameless, "TypeError: Nameless needs a name and a summary"),
        (lambda: raises, "ImportError: no module named package"),
        (lambda: declared(PASSES[0].name), f"there is already a pass named '{PASSES[0].name}'"),
        (lambda: [declared("x"), declared("x")], "there is already a pass named 'x'"),
    ],
)
def test_broken_declaration_is_reported_and_the_rest_works(target: Callable[[], object], reason: str) -> None:
    passes, broken = read_entry_points(
        [FakeEntryPoint("bad", target), FakeEntryPoint("good", lambda: declared("good"))]
    )
    assert [(one.source, one.reason) for one in broken] == [("bad = package.module:thing", reason)]
    assert passes[-1].name == "good"
