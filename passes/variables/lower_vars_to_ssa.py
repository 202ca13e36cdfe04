"""The pass `lower_vars_to_ssa`: function temporaries to SSA values (Mesa: nir_lower_vars_to_ssa)."""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import Block, FunctionImpl
from nirls.ir.model.instructions import DerefInstr, IntrinsicInstr
from nirls.ir.model.merged_channels import merged_channels
from nirls.ir.model.phi_builder import PhiBuilder, PhiValue
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def, Src
from nirls.passes.dead_code import remove_unread
from nirls.passes.declaration import Pass
from nirls.passes.variables.temporaries import Part, parts_of_temporaries


@dataclass(frozen=True)
class LowerVarsToSsa(Pass):
    """Make temporaries of functions SSA values, with phis where control flow joins."""

    name = "lower_vars_to_ssa"

    def apply(self, shader: Shader) -> bool:
        return lower_vars_to_ssa(shader)


def lower_vars_to_ssa(shader: Shader) -> bool:
    """Replace loads and stores of function temporaries by SSA values, with phis where control flow joins.

    Temporaries with a variable index, and those with a deref in a call or another unsupported use, are
    unchanged. Reads before the first write are undefined.
    """
    changed = [impl for impl in shader.impls() if _VarsToSsa(impl).run()]
    return bool(changed)


class _VarsToSsa:
    """The pass over one function body."""

    def __init__(self, impl: FunctionImpl) -> None:
        self.impl = impl
        self.values: dict[Def, PhiValue] = {}
        self.current: dict[PhiValue, Def] = {}

    def run(self) -> bool:
        parts = parts_of_temporaries(self.impl)
        if not parts or not self.impl.body or not isinstance(self.impl.body[0], Block):
            return False
        self.phis = PhiBuilder(self.impl)
        self.builder: Builder = self.phis.builder
        of_part: dict[Part, PhiValue] = {}
        for part in dict.fromkeys(parts.values()):
            blocks = [store.block for store in part.stores() if store.block is not None]
            of_part[part] = self.phis.add_value(part.num_components, part.bit_size, blocks)
        self.values = {deref: of_part[part] for deref, part in parts.items()}
        for block in self.phis.blocks_in_order():
            self.current = {}
            for instr in block:
                if isinstance(instr, IntrinsicInstr) and instr.name.endswith("_deref"):
                    self._rewrite(instr, block)
            for value, at_end in self.current.items():
                value.assign(block, at_end)
        self.phis.finish()
        lowered = {id(_variable_of(deref)) for deref in parts}
        remove_unread(list(parts))
        used = {id(one.var) for one in self.impl.instrs() if isinstance(one, DerefInstr)}
        self.impl.locals = [
            variable for variable in self.impl.locals if id(variable) in used or id(variable) not in lowered
        ]
        return True

    def _value(self, src: Src) -> PhiValue | None:
        return None if src.def_ is None else self.values.get(src.def_)

    def _now(self, value: PhiValue, block: Block) -> Def:
        return self.current.get(value) or value.at_start_of(block)

    def _rewrite(self, instr: IntrinsicInstr, block: Block) -> None:
        if instr.name == "load_deref":
            value = self._value(instr.sources[0])
            if value is not None and instr.def_ is not None:
                instr.def_.replace_all_uses_with(self._now(value, block))
                instr.remove()
        elif instr.name == "store_deref":
            value = self._value(instr.sources[0])
            if value is not None:
                self._store(instr, value, instr.sources[1].ssa, block)
        elif instr.name == "copy_deref":
            self._copy(instr, block)

    def _store(self, instr: IntrinsicInstr, value: PhiValue, stored: Def, block: Block) -> None:
        self.builder.before_instr(instr)
        width = value.num_components
        places = {channel: channel for channel in range(width) if instr.write_mask >> channel & 1}
        if places:
            self.current[value] = merged_channels(
                self.builder, stored, places, width, lambda: self._now(value, block)
            )
        instr.remove()

    def _copy(self, instr: IntrinsicInstr, block: Block) -> None:
        """Lower a copy_deref; one of its two derefs may be of a variable that is not lowered."""
        target, source = self._value(instr.sources[0]), self._value(instr.sources[1])
        if target is None and source is None:
            return
        self.builder.before_instr(instr)
        if source is not None:
            copied = self._now(source, block)
        else:
            assert target is not None
            access = {"access": instr.int_index("src_access")}
            load = self.builder.intrinsic(
                "load_deref", [instr.sources[1].ssa], access, target.num_components, target.bit_size
            )
            assert load.def_ is not None
            copied = load.def_
        if target is not None:
            self.current[target] = copied
        else:
            indices = {
                "write_mask": (1 << copied.num_components) - 1,
                "access": instr.int_index("dst_access"),
            }
            self.builder.intrinsic("store_deref", [instr.sources[0].ssa, copied], indices)
        instr.remove()


def _variable_of(deref: Def) -> object:
    """Return the variable of a deref chain."""
    at = deref.instr
    while isinstance(at, DerefInstr) and at.var is None:
        above = None if at.parent is None else at.parent.def_
        at = None if above is None else above.instr
    return at.var if isinstance(at, DerefInstr) else None
