/* Passes of libnir in a random order, with random options. `RANDOM_PASSES` in the environment is the seed.
 *
 * Every pass is valid wherever it may run: a transition of the log that `nirls verify` calls different is a
 * fault of nirls, or one of Mesa.
 */

#include <stdlib.h>
#include "compiler/glsl_types.h"

#define COUNT(...) +1
#define RUN(...)          \
   if (number++ == chosen) \
      NIR_PASS(progress, nir, __VA_ARGS__);
#define RUN_ONE_OF(LIST)                                          \
   do {                                                           \
      unsigned chosen = random_number() % (0 LIST(COUNT)), number = 0; \
      LIST(RUN)                                                   \
   } while (0)

#define IO ((nir_variable_mode)(nir_var_shader_in | nir_var_shader_out))
#define MOVES ((nir_move_options)255)

/* At any time. */
#define PASSES(P)                                                                                       \
   P(nir_copy_prop) P(nir_opt_remove_phis) P(nir_opt_dce) P(nir_opt_dead_cf) P(nir_opt_cse)             \
   P(nir_opt_algebraic) P(nir_opt_constant_folding) P(nir_opt_undef) P(nir_opt_gcm, true)               \
   P(nir_opt_gcm, false) P(nir_opt_if, nir_opt_if_optimize_phi_true_false) P(nir_opt_loop)              \
   P(nir_opt_loop_unroll) P(nir_opt_licm) P(nir_opt_peephole_select, 16, true, true)                    \
   P(nir_opt_peephole_select, 4, true, false) P(nir_opt_comparison_pre)                                 \
   P(nir_opt_rematerialize_compares) P(nir_opt_sink, MOVES) P(nir_opt_move, MOVES)                      \
   P(nir_opt_shrink_vectors, true) P(nir_opt_shrink_vectors, false) P(nir_opt_shrink_stores, true)      \
   P(nir_opt_vectorize, NULL, NULL) P(nir_opt_intrinsics) P(nir_opt_idiv_const, 8)                      \
   P(nir_lower_idiv, &idiv) P(nir_opt_reassociate_bfi) P(nir_opt_generate_bfi)                          \
   P(nir_lower_flrp, 16 | 32 | 64, false) P(nir_lower_flrp, 32, true) P(nir_lower_alu)                  \
   P(nir_lower_pack) P(nir_lower_frexp) P(nir_lower_alu_to_scalar, NULL, NULL)                          \
   P(nir_lower_phis_to_scalar, true) P(nir_lower_load_const_to_scalar)                                  \
   P(nir_convert_to_lcssa, false, false) P(nir_opt_phi_precision) P(nir_lower_undef_to_zero)            \
   P(nir_opt_uniform_atomics, true) P(nir_opt_barrier_modes) P(nir_lower_int64)                         \
   P(nir_lower_doubles, NULL, (nir_lower_doubles_options)0xffff) P(nir_lower_64bit_phis)                \
   P(nir_opt_algebraic_before_ffma) P(nir_opt_algebraic_late)                                           \
   P(nir_opt_algebraic_distribute_src_mods) P(nir_propagate_invariant, false)                           \
   P(nir_lower_bit_size, small_integers, NULL) P(nir_normalize_cubemap_coords)                          \
   P(nir_lower_subgroups, &subgroups) P(nir_opt_uniform_subgroup, &subgroups)                           \
   P(nir_lower_wrmasks, NULL, NULL) P(nir_lower_continue_constructs)                                    \
   P(nir_lower_alu_width, NULL, NULL) P(nir_lower_tex, &textures) P(nir_opt_access, &accesses)          \
   P(nir_lower_fp16_casts, (nir_lower_fp16_cast_options)3)

#define FRAGMENT_PASSES(P)                                                                             \
   P(nir_opt_conditional_discard) P(nir_opt_move_discards_to_top) P(nir_opt_fragdepth)                  \
   P(nir_lower_discard_if, nir_lower_demote_if_to_cf) P(nir_lower_terminate_to_demote)                  \
   P(nir_lower_is_helper_invocation)

/* While inputs and outputs are variables. */
#define PASSES_ON_VARIABLES(P)                                                                          \
   P(nir_opt_copy_prop_vars) P(nir_opt_dead_write_vars) P(nir_opt_combine_stores, nir_var_all)          \
   P(nir_opt_deref) P(nir_split_struct_vars, nir_var_function_temp)                                     \
   P(nir_split_array_vars, nir_var_function_temp) P(nir_shrink_vec_array_vars, nir_var_function_temp)   \
   P(nir_lower_indirect_derefs, nir_var_function_temp, UINT32_MAX)                                      \
   P(nir_lower_array_deref_of_vec, nir_var_function_temp, NULL,                                         \
     nir_lower_direct_array_deref_of_vec_load)                                                          \
   P(nir_remove_dead_variables, nir_var_function_temp, NULL) P(nir_lower_io_to_scalar_early, IO)        \
   P(nir_lower_io_arrays_to_elements_no_indirects, false) P(nir_opt_find_array_copies)                  \
   P(nir_split_var_copies) P(nir_lower_var_copies) P(nir_lower_vars_to_ssa)                             \
   P(nir_lower_global_vars_to_local)                                                                    \
   P(nir_lower_vars_to_scratch, nir_var_function_temp, 16, size_of, size_of)

/* After they were lowered. */
#define PASSES_ON_SLOTS(P)                                                                              \
   P(nir_lower_clamp_color_outputs) P(nir_io_add_const_offset_to_base, IO)                              \
   P(nir_lower_io_to_scalar, IO, NULL, NULL) P(nir_recompute_io_bases, IO)                              \
   P(nir_lower_system_values) P(nir_lower_uniforms_to_ubo, false, false)

#define LAST_PASSES(P)                                                                                  \
   P(nir_lower_locals_to_regs, 32) P(nir_convert_from_ssa, true, false)                                 \
   P(nir_lower_vec_to_regs, NULL, NULL) P(nir_lower_reg_intrinsics_to_ssa) P(nir_copy_prop)             \
   P(nir_opt_dce) P(nir_opt_cse)

static uint32_t random_state;

static unsigned
random_number()
{
   random_state = random_state * 1664525u + 1013904223u;
   return random_state >> 8;
}

static int
slots_of(const struct glsl_type *type, bool is_bindless)
{
   return glsl_count_attribute_slots(type, false);
}

static void
size_of(const struct glsl_type *type, unsigned *size, unsigned *align)
{
   glsl_get_natural_size_align_bytes(type, size, align);
}

static unsigned
small_integers(const nir_instr *instr, void *data)
{
   if (instr->type != nir_instr_type_alu)
      return 0;
   unsigned bits = nir_instr_as_alu((nir_instr *)instr)->def.bit_size;
   return bits == 8 || bits == 16 ? 32 : 0;
}

static bool
coin()
{
   return random_number() & 1;
}

static nir_shader_compiler_options
random_options(const nir_shader_compiler_options *given)
{
   nir_shader_compiler_options options = *given;
   options.lower_fdiv = coin();
   options.lower_fsat = coin();
   options.lower_ffma32 = coin();
   options.fuse_ffma32 = !options.lower_ffma32;
   options.lower_fmod = coin();
   options.lower_fpow = coin();
   options.lower_fsign = coin();
   options.lower_flrp32 = true;
   options.lower_fdph = true;
   options.lower_fminmax_signed_zero = coin();
   options.lower_fisnormal = true;
   options.lower_ldexp = true;
   options.lower_mul_high = coin();
   options.lower_hadd = coin();
   options.lower_uadd_carry = true;
   options.lower_uadd_sat = coin();
   options.lower_usub_sat = true;
   options.lower_iadd_sat = true;
   options.lower_bitfield_insert = coin();
   options.lower_bitfield_extract = coin();
   options.has_bfe = options.lower_bitfield_extract;
   options.lower_bitfield_reverse = coin();
   options.lower_bit_count = coin();
   options.lower_find_lsb = coin();
   options.lower_ifind_msb = coin();
   options.lower_extract_byte = coin();
   options.lower_extract_word = coin();
   options.lower_insert_byte = true;
   options.lower_insert_word = true;
   options.lower_pack_half_2x16 = coin();
   options.lower_unpack_half_2x16 = coin();
   options.has_fsub = coin();
   options.has_isub = coin();
   options.lower_int64_options = (nir_lower_int64_options)~0u;
   options.lower_doubles_options = (nir_lower_doubles_options)0xffff;
   options.max_unroll_iterations = 16;
   return options;
}

static void
run_passes(nir_shader *nir)
{
   bool progress = false;
   bool is_fragment = nir->info.stage == MESA_SHADER_FRAGMENT;
   random_state = atoi(getenv("RANDOM_PASSES")) * 7919u + 1u;
   random_number();

   nir_shader_compiler_options options = random_options(nir->options);
   nir->options = &options;
   nir_lower_idiv_options idiv = {};
   nir_opt_access_options accesses = {};
   accesses.is_vulkan = true;
   nir_lower_subgroups_options subgroups = {};
   subgroups.subgroup_size = 32;
   subgroups.ballot_bit_size = 32;
   subgroups.ballot_components = 1;
   subgroups.lower_to_scalar = true;
   subgroups.lower_vote_eq = true;
   subgroups.lower_subgroup_masks = true;
   subgroups.lower_relative_shuffle = true;
   subgroups.lower_quad = coin();
   subgroups.lower_elect = true;
   subgroups.lower_reduce = coin();
   subgroups.lower_inverse_ballot = true;
   subgroups.lower_boolean_reduce = coin();
   nir_lower_tex_options textures = {};
   textures.lower_txp = ~0u;
   textures.lower_rect = true;
   textures.lower_txd_cube_map = true;
   textures.lower_txd_shadow = true;
   textures.lower_invalid_implicit_lod = true;
   textures.lower_tg4_offsets = true;
   textures.lower_txf_offset = true;
   textures.lower_rect_offset = true;

   nir_print_shader(nir, stdout);
   NIR_PASS(progress, nir, nir_lower_variable_initializers, nir_var_function_temp);
   NIR_PASS(progress, nir, nir_split_per_member_structs);
   NIR_PASS(progress, nir, nir_lower_returns);
   NIR_PASS(progress, nir, nir_inline_functions);
   nir_remove_non_entrypoints(nir);
   for (unsigned i = 0; i < 25; i++) {
      if (random_number() % 3 == 0)
         RUN_ONE_OF(PASSES_ON_VARIABLES);
      else
         RUN_ONE_OF(PASSES);
   }

   NIR_PASS(progress, nir, nir_split_var_copies);
   NIR_PASS(progress, nir, nir_lower_var_copies);
   NIR_PASS(progress, nir, nir_lower_vars_to_ssa);
   nir_foreach_variable_with_modes(var, nir, IO)
      var->data.driver_location = var->data.location;
   NIR_PASS(progress, nir, nir_lower_io, IO, slots_of, (nir_lower_io_options)0);
   nir->info.io_lowered = true;
   for (unsigned i = 0; i < 25; i++) {
      unsigned kind = random_number() % 6;
      if (kind == 0)
         RUN_ONE_OF(PASSES_ON_SLOTS);
      else if (kind == 1 && is_fragment)
         RUN_ONE_OF(FRAGMENT_PASSES);
      else
         RUN_ONE_OF(PASSES);
   }
   for (unsigned i = 0; i < 8; i++)
      RUN_ONE_OF(LAST_PASSES);
}
