"""Parameters of nirls' own requests and commands: frozen dataclasses, structured by cattrs.

Names are in camel case in the messages. A command has its fields as arguments, in order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar

from cattrs import Converter, transform_error
from cattrs.errors import BaseValidationError
from cattrs.gen import make_dict_structure_fn, override
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from nirls.server.engine.settings.structuring import converter

MessageT = TypeVar("MessageT")
ProgressToken = int | str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRequest:
    """Parameters of a request about a document; `work_done_token` is for its progress."""

    text_document: types.TextDocumentIdentifier
    work_done_token: ProgressToken = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceRequest(DocumentRequest):
    """Parameters of a request about the dumps at a position, or about the whole document without one."""

    position: types.Position | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DumpRequest(PlaceRequest):
    """Parameters of a request about a dump: the one with a number from 0, else the one at a position."""

    dump: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DumpItem:
    """Data of an item about a dump of a document, which the client sends back."""

    uri: str
    slot: int


def plain_item(item: object) -> dict[str, Any]:
    """Return the data of an item as JSON values."""
    return asdict(item)  # type: ignore[call-overload, no-any-return]


def item_of(kind: type[MessageT], data: object) -> MessageT | None:
    """Return the data of an item from the client; None if they are others."""
    try:
        return _structured(kind, data)
    except JsonRpcInvalidParams:
        return None


def request_of(kind: type[MessageT], params: object) -> MessageT:
    """Return the parameters of a request. Raises JsonRpcInvalidParams."""
    return _structured(kind, _plain(params) or {})


def arguments_of(kind: type[MessageT], arguments: Sequence[object]) -> MessageT:
    """Return the arguments of a command. Raises JsonRpcInvalidParams, also for too many."""
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    if len(arguments) > len(names):
        raise JsonRpcInvalidParams(f"{len(arguments)} arguments for {', '.join(names)}")
    given = zip(map(_camel, names), map(_plain, arguments), strict=False)
    return _structured(kind, dict(given))


def _structured(kind: type[MessageT], plain: object) -> MessageT:
    try:
        return _converter().structure(plain, kind)
    except (BaseValidationError, KeyError, TypeError, ValueError) as error:
        raise JsonRpcInvalidParams(f"{kind.__name__}: {'; '.join(transform_error(error))}") from None


def _plain(value: Any) -> object:
    """Return the objects of pygls, for messages that it does not know, as JSON values."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.title, others))


@cache
def _converter() -> Converter:
    made = converter(forbid_extra_keys=False)
    made.register_structure_hook_factory(is_dataclass, lambda kind: _reader(kind, made))
    made.register_structure_hook(int, _whole_number)
    made.register_structure_hook_func(lambda kind: kind == ProgressToken, lambda value, _: value)
    for kind in (types.Position, types.TextDocumentIdentifier):
        made.register_structure_hook(kind, made.gen_structure_attrs_fromdict(kind))
    return made


def _reader(kind: Any, made: Converter) -> Any:
    names: dict[str, Any] = {field.name: override(rename=_camel(field.name)) for field in fields(kind)}
    return make_dict_structure_fn(kind, made, **names)


def _whole_number(value: object, _: type) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError("must be a whole number")
    return value
