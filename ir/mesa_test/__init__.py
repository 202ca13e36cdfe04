"""Unit tests for Mesa: C++ that builds a shader with `nir_builder`, runs a pass and compares the result."""

from __future__ import annotations

from nirls.ir.mesa_test.api import OLDEST, MesaApi, mesa_api
from nirls.ir.mesa_test.code import NotBuildableError
from nirls.ir.mesa_test.unit_test import Expectation, UnitTest, unit_test

__all__ = ["OLDEST", "Expectation", "MesaApi", "NotBuildableError", "UnitTest", "mesa_api", "unit_test"]
