"""Stand-ins for making an input small, as a worker process can import them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

from nirls.server.engine.checks.failure_reduction import Smallest
from nirls.server.engine.checks.pass_failures import PassFailure


def dies(failure: PassFailure, seconds: float, megabytes: int) -> NoReturn:
    Path(os.environ["TMPDIR"], "begun").touch()
    os._exit(9)


def leaves_nothing(failure: PassFailure, seconds: float, megabytes: int) -> Smallest:
    return Smallest((), 0, 500, True)
