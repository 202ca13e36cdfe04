from __future__ import annotations

import pytest

from tools.rule_page import Mark, RulePage, example_of, marked

PAGE = """# A title

It means this.

And that.

## Example

```toml
x = 1
```

```nir
first line
  ^^^ one thing
second line which is long enough
       ^... another
^^ a third
last
```

The quick fix *Do it* does this:

```diff
-a
```
"""
TEXT = "first line\nsecond line which is long enough\nlast\n"
MARKS = (Mark(0, 2, 5, "one thing"), Mark(1, 7, 32, "another"), Mark(1, 0, 2, "a third"))


def test_parts_of_a_page() -> None:
    page = RulePage(PAGE)
    assert page.title == "# A title"
    assert page.meaning == "It means this.\n\nAnd that."
    assert page.block("Example", "toml") == "x = 1\n"
    assert page.block("Example", "json") is None
    assert page.fix_title == "Do it"
    assert (page.example.text, page.example.marks) == (TEXT, MARKS)


def test_two_blocks_of_a_language_are_refused() -> None:
    with pytest.raises(ValueError, match="2 blocks of diff"):
        RulePage(PAGE + "\n```diff\n-b\n```\n").block("Example", "diff")


def test_marks_are_written_as_they_are_read() -> None:
    again = example_of(marked(TEXT, MARKS))
    assert again.text == TEXT
    assert sorted(again.marks) == sorted(MARKS)


def test_only_long_marks_to_the_end_are_shortened() -> None:
    line = "0123456789" * 3
    assert marked(line, [Mark(0, 2, 30, "m")]) == f"{line}\n  ^... m\n"
    assert marked(line, [Mark(0, 2, 29, "m")]) == f"{line}\n  {'^' * 27} m\n"
    assert marked(line, [Mark(0, 20, 30, "m")]) == f"{line}\n{' ' * 20}{'^' * 10} m\n"
