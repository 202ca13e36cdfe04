"""Derefs of variables that cannot be stored to."""

from __future__ import annotations

import pytest

from nirls.verification.evaluate.values.errors import Unsupported
from tests.verification.evaluate.steps.deref_lines import run_lines


def test_uniforms_cannot_be_stored_to() -> None:
    with pytest.raises(Unsupported, match="store_deref to uniform"):
        run_lines(
            "    32     %3 = deref_var &a (uniform uint)",
            "                @store_deref (%3, %0 (0x0)) (wrmask=x, access=none)",
            head="decl_var uniform INTERP_MODE_NONE none uint a (0, 0, 0)\n",
        )
