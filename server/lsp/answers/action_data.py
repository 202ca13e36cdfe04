"""Data of code actions: what an action is to do, when the client resolves it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from cattrs import Converter
from cattrs.errors import BaseValidationError
from cattrs.strategies import configure_tagged_union
from pygls.exceptions import JsonRpcInvalidParams

from nirls.ir.finding import FixRequest
from nirls.server.engine.settings.structuring import converter


@dataclass(frozen=True, slots=True)
class ApplyFix:
    """Apply a fix that is offered for a dump; the dumps of the request are slots.

    `tried` is what was tried to validate it, see docs/verification.md. An action has it when it is resolved.
    """

    uri: str
    slot: int
    request: FixRequest
    tried: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class ApplyEveryFix:
    """Apply all fixes that change a document, and with `whole_pipeline` those linked with it."""

    uri: str
    on_save: bool = False
    whole_pipeline: bool = False


@dataclass(frozen=True, slots=True)
class Allow:
    """Switch off the findings of a code: on the line at byte `start` of a dump, or in more."""

    uri: str
    slot: int
    where: Literal["here", "file", "workspace"]
    code: str
    start: int


ActionData = ApplyFix | ApplyEveryFix | Allow


def plain_action(data: ActionData) -> dict[str, Any]:
    """Return the data of an action as JSON values."""
    plain: dict[str, Any] = _converter().unstructure(data, ActionData)
    return plain


def action_of(data: object) -> ActionData:
    """Return the data of an action from the client. Raises JsonRpcInvalidParams if they are none."""
    try:
        action: ActionData = _converter().structure(data, ActionData)  # type: ignore[arg-type]
    except (BaseValidationError, KeyError, TypeError, ValueError) as error:
        raise JsonRpcInvalidParams(f"this is no action of nirls: {error}") from None
    return action


@cache
def _converter() -> Converter:
    made = converter(forbid_extra_keys=False)
    configure_tagged_union(ActionData, made, tag_name="do")
    return made
