"""Validation of NIR by the rules of Mesa's nir_validate.c."""

from nirls.ir.validation.catalogue import KINDS
from nirls.ir.validation.validate import defect_of, errors_of, new_errors, validate

__all__ = ["KINDS", "defect_of", "errors_of", "new_errors", "validate"]
