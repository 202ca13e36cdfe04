"""Summary of `optimize_tcs` on a pipeline, as text and as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class TcsSummary:
    """The result of `optimize_tcs`.

    `why_not_inlined` and `why_not_restructured` are "" if the step was done. Counts are static: of the
    `instructions_total` of the control shader, `instructions_skipped` (including `loads_skipped`) execute
    only for patches that are not culled. `outputs_added` counts scalars. `system_values` are those that the
    vertex shader still passes.
    """

    why_not_inlined: str = ""
    why_not_restructured: str = ""
    instructions_skipped: int = 0
    instructions_total: int = 0
    loads_skipped: int = 0
    barriers_added: int = 0
    barriers_removed: int = 0
    outputs_added: int = 0
    system_values: tuple[str, ...] = ()

    @property
    def is_inlined(self) -> bool:
        """Whether the vertex shader was inlined in the control shader."""
        return not self.why_not_inlined

    @property
    def is_restructured(self) -> bool:
        """Whether culled patches now skip work."""
        return not self.why_not_restructured

    def as_data(self) -> dict[str, object]:
        """Return the summary as plain data for JSON."""
        data = asdict(self)
        data["system_values"] = list(self.system_values)
        return {"inlined": self.is_inlined, "restructured": self.is_restructured, **data}

    def lines(self) -> list[str]:
        """Describe each step in a line of text."""
        return [self._inlining(), self._skipping(), self._barriers()]

    def headline(self) -> str:
        """Describe the savings in a few words."""
        if not self.is_restructured:
            return f"culled patches skip nothing: {self.why_not_restructured}"
        total = _count(self.instructions_total, "instruction")
        loads = _count(self.loads_skipped, "load")
        return f"culled patches skip {self.instructions_skipped} of {total}, {loads} among them"

    def _inlining(self) -> str:
        if not self.is_inlined:
            return f"The vertex shader stays where it is: {self.why_not_inlined}."
        added = _count(self.outputs_added, "output")
        text = f"The vertex shader runs inside the control shader, with {added} more"
        if self.system_values:
            text += f"; it still passes {', '.join(self.system_values)}"
        return f"{text}."

    def _skipping(self) -> str:
        headline = self.headline()
        return f"{headline[0].upper()}{headline[1:]}."

    def _barriers(self) -> str:
        return f"Barriers: {self.barriers_added} added, {self.barriers_removed} removed."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
