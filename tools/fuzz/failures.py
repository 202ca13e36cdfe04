"""Failures on disk: everything to see one again, in one file."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from tools.fuzz.notes import Wrong


@dataclass(frozen=True, slots=True)
class Failure:
    """A seed, the input that it made (as small as it could be made), and what went wrong with it.

    `kind` is `text`, with bytes as input, or `session`, whose input is the seed and the number of its moves.
    """

    kind: str
    seed: int
    wrong: Wrong
    text: bytes = b""
    moves: int = 0

    def write(self, folder: Path) -> Path:
        """Write the failure into the folder; returns the file, for `python -m tools.fuzz --replay FILE`."""
        folder.mkdir(parents=True, exist_ok=True)
        number = next(number for number in count(1) if not _path(folder, self, number).exists())
        path = _path(folder, self, number)
        plain: dict[str, Any] = {
            "kind": self.kind,
            "seed": self.seed,
            "moves": self.moves,
            "step": self.wrong.step,
            "detail": self.wrong.detail,
            "trace": self.wrong.trace.splitlines(),
            "text": self.text.decode("utf-8", "backslashreplace").splitlines(),
            "base64": base64.b64encode(self.text).decode(),
        }
        path.write_text(json.dumps(plain, indent=1) + "\n", encoding="utf-8")
        return path

    @classmethod
    def read(cls, path: Path) -> Failure:
        """A failure that was written. Raises OSError, ValueError and KeyError."""
        plain = json.loads(path.read_text(encoding="utf-8"))
        wrong = Wrong(plain["step"], plain["detail"], "\n".join(plain["trace"]))
        return cls(plain["kind"], plain["seed"], wrong, base64.b64decode(plain["base64"]), plain["moves"])


def _path(folder: Path, failure: Failure, number: int) -> Path:
    return folder / f"{failure.kind}-{failure.seed}-{number}.json"
