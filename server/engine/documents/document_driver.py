"""The Mesa driver that a document gives away, by the text between its dumps or by a dump of a backend."""

from __future__ import annotations

from collections.abc import Mapping
from weakref import WeakKeyDictionary

from nirls.passes.varyings.interface.driver_profiles import (
    DETECT,
    GENERIC,
    NAMES,
    Detected,
    detect_in_log,
    profile_named,
)
from nirls.server.engine.documents.document import Snapshot
from nirls.server.engine.documents.text_document import Document

_WORDS = 1 << 16
"""Bytes of the text between dumps that are searched; drivers name themselves when they start."""

_DUMPS = 1 << 20
"""Bytes of dumps that are searched."""

_found: WeakKeyDictionary[Snapshot, Detected | None] = WeakKeyDictionary()


def document_driver(document: Document) -> Detected | None:
    """Return the driver profile that a document gives away; None if nothing names a driver."""
    snapshot = document.snapshot
    if snapshot not in _found:
        _found[snapshot] = _search(snapshot)
    return _found[snapshot]


def _search(snapshot: Snapshot) -> Detected | None:
    words: list[bytes] = []
    dumps: list[bytes] = []
    words_left, dumps_left = _WORDS, _DUMPS
    for piece in snapshot.pieces:
        if piece.is_dump and dumps_left > 0:
            dumps.append(piece.text)
            dumps_left -= len(piece.text)
        elif not piece.is_dump and words_left > 0:
            words.append(piece.text[:words_left])
            words_left -= len(words[-1])
        if words_left <= 0 and dumps_left <= 0:
            break
    return detect_in_log(b"\n".join(words), dumps)


def driver_of(document: Document, options: Mapping[str, object]) -> Detected:
    """Return the driver profile of a document, and why, under these options of `opt_varyings`."""
    found, name = document_driver(document), options.get("driver", DETECT)
    if name in NAMES and (found is None or found.profile.name != name):
        return Detected(profile_named(str(name)), "set")
    return found or Detected(profile_named(GENERIC), "nothing in the document names a driver")
