"""Regular expressions take linear time on hostile text.

Every pattern in the sources is attacked with texts that repeat what one of its quantifiers takes, and with
texts that repeat the beginning of a match: the shapes that make backtracking exponential or quadratic.
"""

from __future__ import annotations

import ast
import importlib
import re
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from re import _constants as constants  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import SimpleNamespace
from typing import Any

import pytest

PROJECT = Path(__file__).resolve().parents[2]
FOLDERS = ("api", "ir", "verification", "passes", "server")
FUNCTIONS = ("compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer")
ANCHORED = frozenset(("match", "fullmatch"))

RETURNED = {"ir/text/log_prefix.py": {"match"}}
"""How patterns that functions return are applied, where that is not by a search."""

LOCALS: dict[str, object] = {
    "code": "dead-value",
    "key": "load_*",
    "name": "VAR1",
    "number": 3,
    "pattern": rb"x[ \t]*[0-9]+",
    "prefix": b"\x1b[1m[12:34:56 +3] a: ",
    "found": SimpleNamespace(pattern=rb"x[ \t]*[0-9]+"),
    "table": "alu",
    "value": SimpleNamespace(index=3),
    "reg": SimpleNamespace(index=3),
    "block": SimpleNamespace(index=3),
    "variable": SimpleNamespace(name="VAR1"),
    "function": SimpleNamespace(name="main"),
    "slot": SimpleNamespace(name="VAR1"),
}
"""Samples of the local names that occur in patterns."""

SIZE = 1 << 13
SECONDS = 0.002
"""For `SIZE` characters; a pattern that takes longer is measured with four times as many."""

KINDS = {"ASCII": "", "BYTES": b""}
CHARACTERS = " \t\r\n0a_AzZx.,:;=-+*/\\()[]{}<>|#@%&$\"'`~!\x1b\x00\x7f"


@dataclass
class Use:
    """A pattern, where it stands, and how it is applied."""

    pattern: str | bytes
    flags: int
    place: str
    methods: set[str] = field(default_factory=set)


def sources() -> Iterator[tuple[Path, str]]:
    for folder in FOLDERS:
        for path in sorted((PROJECT / folder).rglob("*.py")):
            parts = path.relative_to(PROJECT).with_suffix("").parts
            parts = parts[1:] if parts[0] == "api" else parts
            yield path, ".".join(("nirls", *parts)).removesuffix(".__init__")


@cache
def all_text() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path, _ in sources())


def methods_of(name: str, text: str) -> set[str]:
    """How the pattern of this name in a module `text` is applied; by a search if that cannot be seen."""
    text = all_text() if name.isupper() and not name.startswith("_") else text
    used = set(re.findall(rf"\b{re.escape(name)}\.(\w+)\b", text)) & set(FUNCTIONS)
    is_passed_on = re.search(rf"(?<![\w.]){re.escape(name)}\b(?!\s*[.=:\w])", text)
    return used | {"search"} if is_passed_on or not used else used


def patterns() -> list[Use]:
    uses, missing = [], []
    for path, module_name in sources():
        text = path.read_text(encoding="utf-8")
        if "re." not in text or "import re" not in text:
            continue
        tree = ast.parse(text)
        names = {
            id(node.value): ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        }
        calls = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.func.attr in FUNCTIONS
        ]
        module = importlib.import_module(module_name)
        for call in calls:
            place = f"{path.relative_to(PROJECT)}:{call.lineno}"
            assert isinstance(call.func, ast.Attribute)
            flags = next((word.value for word in call.keywords if word.arg == "flags"), None)
            if flags is None and call.func.attr == "compile" and len(call.args) > 1:
                flags = call.args[1]
            used = {call.func.attr}
            if id(call) in names:
                used = methods_of(names[id(call)], text)
            elif call.func.attr == "compile":
                used = RETURNED.get(str(path.relative_to(PROJECT)), {"search"})
            for pattern in evaluated(call.args[0], module, place, missing):
                number = int(next(evaluated(flags, module, place, missing))) if flags is not None else 0
                uses.append(Use(pattern, number, place, used))
    assert not missing, f"LOCALS needs samples of names in patterns: {missing}"
    return uses


def evaluated(node: ast.expr, module: Any, place: str, missing: list[str]) -> Iterator[Any]:
    namespace = {**LOCALS, **vars(module)}
    for names in ({}, {"name": b"VAR1"}, {"value": 3}):
        try:
            yield eval(compile(ast.Expression(node), place, "eval"), {**namespace, **names})
            return
        except (TypeError, AttributeError):
            continue
        except NameError as error:
            missing.append(f"{place}: {error.name}")
            return
    missing.append(place)


# Texts that are hard to match


def sample(items: Any) -> str:
    """A short text that the items take."""
    return "".join(sample_of(item) for item in items)


def sample_of(item: Any) -> str:
    op, value = item
    if op is constants.LITERAL:
        return chr(value)
    if op in (constants.IN, constants.NOT_LITERAL, constants.ANY):
        return next((one for one in "a0_ A" + CHARACTERS if takes_one(item, one)), "a")
    if op in (constants.MAX_REPEAT, constants.MIN_REPEAT, constants.POSSESSIVE_REPEAT):
        return sample(value[2]) * value[0]
    if op is constants.SUBPATTERN:
        return sample(value[-1])
    if op is constants.ATOMIC_GROUP:
        return sample(value)
    if op is constants.BRANCH:
        return sample(value[1][0])
    return ""


@cache
def class_pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)


def takes_one(item: Any, character: str) -> bool:
    op, value = item
    if op is constants.LITERAL:
        return bool(character == chr(value))
    if op is constants.NOT_LITERAL:
        return bool(character != chr(value))
    if op is constants.ANY:
        return character != "\n"
    if op is constants.IN:
        negated = value[0][0] is constants.NEGATE
        return negated != any(in_class(part, character) for part in value)
    return False


def in_class(part: Any, character: str) -> bool:
    op, value = part
    if op is constants.LITERAL:
        return bool(ord(character) == value)
    if op is constants.RANGE:
        return bool(value[0] <= ord(character) <= value[1])
    if op is constants.CATEGORY:
        name = str(value).rpartition("_")[2].lower()
        letter = {"digit": "d", "space": "s", "word": "w"}[name]
        return (
            class_pattern(rf"\{letter.upper() if 'NOT' in str(value) else letter}").match(character)
            is not None
        )
    return False


def pumps(items: Any, characters: Sequence[str], before: str = "") -> Iterator[tuple[str, str]]:
    """Yield a text and what to repeat behind it, for every quantifier."""
    for item in items:
        op, value = item
        if op in (constants.MAX_REPEAT, constants.MIN_REPEAT, constants.POSSESSIVE_REPEAT):
            body = value[2]
            if value[1] > 8:
                unit = sample(body)
                if unit:
                    yield before, unit
                    yield "", before + unit
                    yield "", "\n" + before + unit
                    yield "", before
                if len(body) == 1 and body[0][0] is not constants.LITERAL:
                    for character in [one for one in characters if takes_one(body[0], one)]:
                        yield before, character
                        yield "", before + character
            yield from pumps(body, characters, before)
        elif op is constants.SUBPATTERN:
            yield from pumps(value[-1], characters, before)
        elif op is constants.ATOMIC_GROUP:
            yield from pumps(value, characters, before)
        elif op is constants.BRANCH:
            for branch in value[1]:
                yield from pumps(branch, characters, before)
        before += sample_of(item)


class TookTooLongError(Exception):
    pass


def seconds(pattern: re.Pattern[Any], method: str, text: Any) -> float:
    """CPU time of applying a pattern; raises TookTooLongError after 0.3 seconds."""

    def stop(*_: object) -> None:
        raise TookTooLongError

    old = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.3)
    start = time.thread_time()
    try:
        if method in ANCHORED:
            getattr(pattern, method)(text)
        else:
            for _ in pattern.finditer(text):
                pass
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, old)
    return time.thread_time() - start


def hard_texts(pattern: re.Pattern[Any], size: int) -> Iterator[Any]:
    is_bytes = isinstance(pattern.pattern, bytes)
    parsed = parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE if is_bytes else pattern.flags)
    written = pattern.pattern.decode("latin-1") if is_bytes else pattern.pattern
    characters = [one for one in CHARACTERS if one in written or one in " \ta0\n"]
    for before, unit in dict.fromkeys(pumps(parsed, characters)):
        if unit:
            text = before + unit * (size // len(unit)) + "\x00\n!"
            yield text.encode("latin-1") if is_bytes else text


def attack(pattern: re.Pattern[Any], method: str) -> str | None:
    """Return how a pattern can be attacked; None if no text was found that does."""
    sizes = (40, SIZE, 4 * SIZE)
    for small, text, large in zip(*(hard_texts(pattern, size) for size in sizes), strict=True):
        try:
            seconds(pattern, method, small)
            took = seconds(pattern, method, text)
            if took < SECONDS:
                continue
            took = min(took, seconds(pattern, method, text))
            growth = min(seconds(pattern, method, large) for _ in range(2)) / took
            if growth > 8:
                return f"{growth:.1f} times as long for 4 times as much of {text[:60]!r}"
        except TookTooLongError:
            return f"endless for {text[:60]!r}"
    return None


def test_every_pattern_is_linear() -> None:
    uses = patterns()
    assert len(uses) > 180, "patterns are looked for in the wrong place"
    slow = []
    for use in uses:
        pattern = re.compile(use.pattern, use.flags)
        for method in sorted({method if method in ANCHORED else "search" for method in use.methods}):
            how = attack(pattern, method)
            if how is not None:
                slow.append(f"{use.place}: {method} with {use.pattern!r}: {how}")
    assert not slow, "\n" + "\n".join(slow)


@pytest.mark.parametrize(
    "text", [r"(a+)+b", r"\s*(?:x)?\s*y", r"a (\w+) [^)]*\)", r"(?:\d+,?)*z", r"^[ \t]*(x)?[ \t]*$"]
)
def test_slow_patterns_are_noticed(text: str) -> None:
    assert attack(re.compile(text), "search") is not None
