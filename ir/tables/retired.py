"""Opcodes and intrinsics that only Mesa releases before 22.3 had, in the notation of `rows`."""

RETIRED_OPCODES = """
"""

RETIRED_INTRINSICS = """
"""
