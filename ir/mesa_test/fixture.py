"""The class of a test, and the helpers that it needs beside nir_builder's functions."""

from __future__ import annotations

from collections.abc import Set
from typing import Final

from nirls.ir.mesa_test.api import MesaApi

_UNDEF: Final = """\
   /* nir_undef() inserts at the top of the function, this one at the cursor. */
   static nir_def *undef(nir_builder *b, unsigned num_components, unsigned bit_size)
   {
      nir_undef_instr *undef = nir_undef_instr_create(b->shader, num_components, bit_size);
      nir_builder_instr_insert(b, &undef->instr);
      return &undef->def;
   }
"""

_SWIZZLE: Final = """\
   static nir_def *swizzle(nir_builder *b, nir_def *def, std::initializer_list<unsigned> components)
   {
      return nir_swizzle(b, def, components.begin(), components.size());
   }
"""

_KEEP_MOV: Final = """\
   /* Marks a mov that fold_swizzles() leaves. */
   static nir_def *keep_mov(nir_def *mov)
   {
      {MAKER}->pass_flags = 1;
      return mov;
   }
"""

_FOLD_SWIZZLES: Final = """\
   /* Moves the swizzles of nir_channel() and nir_swizzle() into the sources of ALU instructions. */
   void fold_swizzles()
   {
      nir_foreach_function_impl(impl, b->shader) {
         nir_foreach_block(block, impl) {
            nir_foreach_instr_safe(instr, block) {
               if (instr->type == nir_instr_type_alu)
                  fold_swizzles_of_sources(nir_instr_as_alu(instr));
            }
         }
         nir_foreach_block(block, impl) {
            nir_foreach_instr_safe(instr, block) {
               if (is_swizzle(instr) && nir_def_is_unused(&nir_instr_as_alu(instr)->def))
                  nir_instr_remove(instr);
               instr->pass_flags = 0;
            }
         }
      }
   }

   static bool is_swizzle(nir_instr *instr)
   {
      return instr->type == nir_instr_type_alu && nir_instr_as_alu(instr)->op == nir_op_mov &&
             !instr->pass_flags;
   }

   static void fold_swizzles_of_sources(nir_alu_instr *alu)
   {
      for (unsigned i = 0; i < nir_op_infos[alu->op].num_inputs; i++) {
         nir_instr *source = {SOURCE};
         if (!is_swizzle(source))
            continue;

         nir_alu_src *inner = &nir_instr_as_alu(source)->src[0];
         for (unsigned c = 0; c < NIR_MAX_VEC_COMPONENTS; c++)
            alu->src[i].swizzle[c] = inner->swizzle[alu->src[i].swizzle[c]];
         nir_src_rewrite(&alu->src[i].src, inner->src.ssa);
      }
   }
"""

_HELPERS: Final = {
    "undef": _UNDEF,
    "swizzle": _SWIZZLE,
    "keep_mov": _KEEP_MOV,
    "fold_swizzles": _FOLD_SWIZZLES,
}


def fixture_class(class_name: str, stage: str, helpers: Set[str], api: MesaApi) -> str:
    """Return the class of a test for a stage (`MESA_SHADER_FRAGMENT`) with the helpers that it uses."""
    constructor = f"""\
   {class_name}()
      : nir_test::nir_test("{class_name}", {stage})
   {{
   }}
"""
    members = [constructor, *(text for name, text in _HELPERS.items() if name in helpers)]
    body = "\n".join(members)
    body = body.replace("{MAKER}", api.maker("mov")).replace("{SOURCE}", api.maker("alu->src[i].src.ssa"))
    return f"class {class_name} : public nir_test {{\nprotected:\n{body}}};\n"
