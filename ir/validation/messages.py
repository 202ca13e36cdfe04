"""What the text itself says: unreadable lines, and the errors that Mesa's validator printed into it."""

from __future__ import annotations

from nirls.ir.validation.reporter import Reporter

_LONGEST_QUOTE = 60


def check_text(reporter: Reporter) -> None:
    """Unreadable lines are syntax errors; an `error:` line is a problem of the instruction above it."""
    for line in reporter.shader.unreadable:
        text = " ".join(line.text[: 4 * _LONGEST_QUOTE].split())
        quote = text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}..."
        reporter.report(
            "syntax", f"not a NIR instruction: `{quote}`" if quote else "not a NIR instruction", line.span
        )
    for annotation in reporter.shader.annotations:
        message = annotation.message.strip().removeprefix("error:").strip() or "error"
        if annotation.instr_span is None:
            reporter.report("mesa-validation", message, annotation.span)
            continue
        related = [(annotation.span, "Mesa printed this")]
        reporter.report("mesa-validation", message, annotation.instr_span, related=related)
