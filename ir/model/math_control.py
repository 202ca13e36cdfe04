"""Float optimization limits of an operation, in the words of Mesa's printer (nir_fp_math_control).

Up to 2025, exact operations are marked by `!` after the opcode. Later printers append a comment to the
operation, `// exact, preserve:sz,inf,nan`, and intrinsics have the same text as an index, with `fp-fast-math`
for none.
"""

from __future__ import annotations

import re

EXACT = "exact"
NO_WORDS = "fp-fast-math"
EXACT_WORDS = frozenset((EXACT, "no-contract", "no-reassoc", "no-transform"))
"""`exact` implies the others; any of them is treated like `exact`."""
_KEPT = ("sz", "inf", "nan")
PRESERVE_WORDS = frozenset(f"preserve:{word}" for word in _KEPT)
MATH_CONTROL_WORDS = EXACT_WORDS | PRESERVE_WORDS

_PRESERVE = r"preserve:(?P<kept>(?:sz|inf|nan)(?:,(?:sz|inf|nan))*)"
_EXACT = r"(?P<exact>exact|no-contract|no-reassoc|no-transform)"
_WORDS = re.compile(rf"(?:{_EXACT}(?:, {_PRESERVE})?|{_PRESERVE.replace('<kept>', '<alone>')})(?=\s|\Z)")


def leading_words(text: str) -> tuple[frozenset[str], str]:
    """Split a text into its leading words and the rest; no words if it starts with something else."""
    match = _WORDS.match(text)
    if match is None:
        return frozenset(), text
    kept = (match["kept"] or match["alone"] or "").split(",")
    words = [f"preserve:{word}" for word in kept if word]
    if match["exact"]:
        words.append(match["exact"])
    return frozenset(words), text[match.end() :].strip()


def words_of_comment(comment: str | None) -> tuple[frozenset[str], str]:
    """Split a comment `// exact, preserve:sz` into words and the rest, without the `//`."""
    if comment is None or not comment.startswith("//"):
        return frozenset(), ""
    words, rest = leading_words(comment[2:].strip())
    return words, rest.removeprefix("//").strip()


def control_text(words: frozenset[str]) -> str:
    """Format words as Mesa does, "" for none; other words are omitted."""
    exact = next((word for word in (EXACT, *sorted(EXACT_WORDS)) if word in words), "")
    kept = [word for word in _KEPT if f"preserve:{word}" in words]
    preserve = f"preserve:{','.join(kept)}" if kept else ""
    return ", ".join(filter(None, (exact, preserve)))


def stricter(one: frozenset[str], other: frozenset[str]) -> frozenset[str]:
    """Return the union of both restrictions."""
    words = (one | other) & MATH_CONTROL_WORDS
    return words if len(words & EXACT_WORDS) < 2 else words - EXACT_WORDS | {EXACT}
