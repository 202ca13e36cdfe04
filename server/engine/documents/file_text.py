"""Decoding of files to UTF-8 text with line feeds, and back to the encoding that they had."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

_UTF16 = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


@dataclass(frozen=True, slots=True)
class FileForm:
    """Encoding of a file: its byte order mark, its codec, and whether its lines end in a lone `\\r`."""

    mark: bytes = b""
    codec: str = "utf-8"
    has_lone_returns: bool = False

    def encode(self, text: bytes) -> bytes:
        """Return the bytes of a file of this form with a text."""
        if self.has_lone_returns:
            text = text.replace(b"\n", b"\r")
        if self.codec == "utf-8":
            return self.mark + text
        return self.mark + text.decode("utf-8", "surrogatepass").encode(self.codec, "surrogatepass")


UTF8 = FileForm()


def decode_file(raw: bytes) -> tuple[bytes, FileForm]:
    """Return the text of a file as UTF-8 without a byte order mark, and the form to write it back in.

    UTF-16 (the output of `>` in Windows PowerShell) is recognised by its byte order mark. Bytes that are
    not valid in the encoding stay as they are.
    """
    mark, codec, text = b"", "utf-8", raw
    if raw.startswith(codecs.BOM_UTF8):
        mark, text = codecs.BOM_UTF8, raw[len(codecs.BOM_UTF8) :]
    for candidate, name in _UTF16:
        if raw.startswith(candidate):
            try:
                text = raw[len(candidate) :].decode(name, "surrogatepass").encode("utf-8", "surrogatepass")
            except UnicodeDecodeError:  # cut in the middle of a unit: not text
                continue
            mark, codec = candidate, name
    has_lone_returns = b"\r" in text and b"\n" not in text
    if has_lone_returns:
        text = text.replace(b"\r", b"\n")
    return text, FileForm(mark, codec, has_lone_returns)
