"""Documentation of completion candidates, as Markdown."""

from __future__ import annotations

from nirls.ir.tables import describe_intrinsic, describe_opcode, intrinsic_signature, opcode_signature
from nirls.server.ide.glossary import INSTRUCTIONS, SLOT_FAMILIES


def documentation(kind: str, name: str) -> str:
    """Return the documentation for a candidate's `about` key, with its signature; "" if there is none."""
    signature = ""
    if kind == "opcode":
        signature = opcode_signature(name)
    elif kind == "intrinsic":
        signature = intrinsic_signature(name)
    shown = f"```nir\n{signature}\n```" if signature else ""
    return "\n\n".join(part for part in (shown, description(kind, name)) if part)


def description(kind: str, name: str) -> str:
    """Return the documentation without the signature."""
    if kind == "opcode":
        return describe_opcode(name)
    if kind == "intrinsic":
        return describe_intrinsic(name)
    if kind == "instruction":
        return INSTRUCTIONS.get(name, "")
    if kind == "slot":
        return next((text for prefix, text in SLOT_FAMILIES if name.startswith(prefix)), "")
    return ""
