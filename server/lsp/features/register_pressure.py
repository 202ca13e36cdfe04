"""The request `nirls/registerPressure`: peak register pressure of snapshots, for timelines."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from nirls.server.engine.documents.text_document import Document
from nirls.server.ide.history.snapshot_pressure import pressures_of
from nirls.server.lsp.nirls_server import NirlsServer
from nirls.server.lsp.own_messages import DocumentRequest

REGISTER_PRESSURE = "nirls/registerPressure"

_KEY = "register pressure"
_MOST_DUMPS = 32
"""Dumps measured for one request; clients ask for the visible ones first."""
_LONGEST = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterPressureRequest(DocumentRequest):
    """Parameters: the numbers of `dumps` from 0."""

    dumps: tuple[int, ...]


def register(server: NirlsServer) -> None:
    @server.on_document(
        REGISTER_PRESSURE, otherwise={"pressures": {}}, takes=RegisterPressureRequest, reads_text=True
    )
    async def register_pressure(
        document: Document, params: RegisterPressureRequest
    ) -> dict[str, dict[str, int]]:
        """Return the peak register pressure of dumps in SSA form, in 32-bit registers.

        Parameters: `textDocument`, and `dumps`: numbers from 0. Result: `pressures` by dump number, of the
        first 32 dumps that were asked for.
        """
        dumps = document.snapshot.dumps()
        wanted = dict.fromkeys(params.dumps)
        numbers = [number for number in wanted if 0 <= number < len(dumps)][:_MOST_DUMPS]
        if not numbers:
            return {"pressures": {}}

        states = [document.state(dumps[number].piece) for number in numbers]
        missing = list({state.text: state for state in states if not state.has(_KEY)}.values())
        if missing:
            found = await server.in_worker(_LONGEST, pressures_of, [state.text for state in missing])
            for state, pressure in zip(missing, found, strict=True):
                state.cached(_KEY, partial(int, pressure))
        return {
            "pressures": {
                str(number): state.cached(_KEY, int) for number, state in zip(numbers, states, strict=True)
            }
        }
