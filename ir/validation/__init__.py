"""Whether a dump is valid NIR, by the rules of Mesa's own validator."""

from nirls.ir.validation.catalogue import KINDS
from nirls.ir.validation.validate import validate

__all__ = ["KINDS", "validate"]
