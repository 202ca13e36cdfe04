"""The passes that come with nirls, as data: nothing of them is imported before it is used."""

from __future__ import annotations

from nirls.ir.model.stage import Stage
from nirls.passes.barriers import codes as barriers
from nirls.passes.buffers import codes as buffers
from nirls.passes.cleanup import codes as cleanup
from nirls.passes.discards import codes as discards
from nirls.passes.link_potential import codes as link_potential
from nirls.passes.registers import codes as registers
from nirls.passes.registry import Option, Pass
from nirls.passes.tessellation import codes as tessellation
from nirls.passes.tessellation import inline_codes
from nirls.passes.uniforms import codes as uniforms
from nirls.passes.varyings import codes as varyings

PASSES: tuple[Pass, ...] = (
    Pass(
        name=varyings.NAME,
        summary="Remove outputs that the next stage never reads and inputs that the previous never writes",
        module="nirls.passes.varyings.dead_io",
        scope="pipeline",
        codes=(
            varyings.DEAD_OUTPUT,
            varyings.UNDEFINED_INPUT,
            varyings.UNDEFINED_OUTPUT_LOAD,
            varyings.NO_VARYING_OUTPUT,
            varyings.IO_NOT_LOWERED,
        ),
        part_of=varyings.OPT_VARYINGS,
    ),
    Pass(
        name=varyings.OPT_VARYINGS,
        summary="Optimize the varyings between linked stages: propagate, deduplicate, move code, pack",
        module="nirls.passes.varyings.opt_varyings",
        scope="pipeline",
        codes=(
            varyings.PROPAGATABLE_OUTPUT,
            varyings.DUPLICATE_OUTPUT,
            varyings.CONVERGENT_OUTPUT,
            varyings.MOVABLE_EXPRESSION,
            varyings.DERIVABLE_OUTPUT,
            varyings.PACKING,
        ),
        options=(
            varyings.MAX_COST,
            varyings.SPIRV,
            varyings.SUPPORTS_16BIT_IO,
            varyings.MAX_UNIFORM_COMPONENTS,
            varyings.MAX_UBOS,
            varyings.PRESERVE_NANS,
            varyings.PRESERVE_INFS,
            varyings.FLEXIBLE_INTERPOLATION,
            varyings.ROTATE_COLORS,
            varyings.USE_POS,
            varyings.PROPAGATE,
            varyings.DEDUPLICATE,
            varyings.MOVE_CODE,
            varyings.MOVE_FORWARD,
            varyings.PACK,
            varyings.CLEAN_UP,
        ),
    ),
    Pass(
        name=link_potential.NAME,
        summary="Say what linking a separate shader at draw time could gain, with stages that only pass on",
        module="nirls.passes.link_potential.link_potential",
        scope="pipeline",
        stages=frozenset(
            (
                Stage.VERTEX,
                Stage.TESS_CTRL,
                Stage.TESS_EVAL,
                Stage.GEOMETRY,
                Stage.MESH,
                Stage.FRAGMENT,
            )
        ),
        codes=(link_potential.LINK_POTENTIAL,),
        options=link_potential.OPTIONS,
        # It links each dump several times, which takes longer than all other passes on one together.
        default=False,
        alone=True,
    ),
    Pass(
        name=barriers.NAME,
        summary="Remove barriers that order nothing",
        module="nirls.passes.barriers.opt_barriers",
        codes=(barriers.NEEDLESS_BARRIER,),
    ),
    Pass(
        name=discards.DISCARD_IF,
        summary="Make a discard that is alone under an if a conditional discard",
        module="nirls.passes.discards.opt_discard_if",
        stages=frozenset((Stage.FRAGMENT,)),
        codes=(discards.CONDITIONAL_DISCARD,),
    ),
    Pass(
        name=discards.MOVE_DISCARDS,
        summary="Move conditional discards to the top, so that discarded invocations skip the rest",
        module="nirls.passes.discards.opt_move_discards_to_top",
        stages=frozenset((Stage.FRAGMENT,)),
        codes=(discards.MOVABLE_DISCARD, discards.UNMOVABLE_DISCARD),
        options=(discards.DERIVATIVES_SAFE, discards.ONLY_FIRST),
    ),
    Pass(
        name=inline_codes.INLINE_VS,
        summary="Run the vertex shader in the control shader, where patches have as many vertices in as out",
        module="nirls.passes.tessellation.inline_vs_in_tcs",
        scope="pipeline",
        codes=(inline_codes.INLINABLE_VERTEX_SHADER,),
        options=(inline_codes.PATCH_VERTICES,),
    ),
    Pass(
        name=tessellation.RESTRUCTURE,
        summary="Compute tessellation levels first, and all other outputs only if the patch is not culled",
        module="nirls.passes.tessellation.restructure_tcs_flow",
        scope="pipeline",
        stages=frozenset((Stage.TESS_CTRL,)),
        codes=(tessellation.CULLED_PATCH_WORK, tessellation.UNSPLITTABLE_CONTROL_SHADER),
        options=(tessellation.PRIMITIVE_MODE, tessellation.SPACING),
        alone=True,
    ),
    Pass(
        name=inline_codes.OPTIMIZE_TCS,
        summary="Let culled patches skip work: inline_vs_in_tcs, restructure_tcs_flow, opt_barriers",
        module="nirls.passes.tessellation.optimize_tcs",
        scope="pipeline",
        codes=(inline_codes.SKIPPABLE_PATCH_WORK,),
        options=(inline_codes.PATCH_VERTICES, tessellation.PRIMITIVE_MODE, tessellation.SPACING),
        alone=True,
    ),
    Pass(
        name=uniforms.NAME,
        summary="Make uniforms with known values constants; find those that decide ifs, loops and selections",
        module="nirls.passes.uniforms.inline_uniforms",
        codes=(uniforms.INLINABLE_UNIFORM,),
        options=(uniforms.BUFFERS, uniforms.LIMIT, uniforms.VALUES),
    ),
    Pass(
        name="lower_vars_to_ssa",
        summary="Make temporaries of functions SSA values, with phis where control flow joins",
        module="nirls.passes.variables.lower_vars_to_ssa",
    ),
    Pass(
        name=registers.TO_SSA,
        summary="Make registers SSA values, with phis where control flow joins",
        module="nirls.passes.registers.lower_regs_to_ssa",
    ),
    Pass(
        name=registers.FROM_SSA,
        summary="Make phis registers, which the blocks that control comes from write",
        module="nirls.passes.registers.convert_from_ssa",
    ),
    Pass(
        name=registers.COALESCE,
        summary="Compute the operands of a vector in the channels of the register that it goes to",
        module="nirls.passes.registers.lower_vec_and_coalesce",
        codes=(registers.COALESCABLE_VECTOR,),
    ),
    Pass(
        name=buffers.NAME,
        summary="Choose between known blocks where a UBO or SSBO access goes by a variable index",
        module="nirls.passes.buffers.lower_dynamic_bo_access",
        codes=(buffers.DYNAMIC_BLOCK_INDEX, buffers.NO_POSSIBLE_BLOCK),
    ),
    Pass(
        name="copy_prop",
        summary="Let the readers of copies read what was copied",
        module="nirls.passes.cleanup.copy_prop",
    ),
    Pass(
        name="opt_dce",
        summary="Remove instructions whose results nothing needs",
        module="nirls.passes.cleanup.opt_dce",
    ),
    Pass(
        name="opt_cse",
        summary="Compute equal values once",
        module="nirls.passes.cleanup.opt_cse",
    ),
    Pass(
        name="opt_constant_folding",
        summary="Compute what has constant operands",
        module="nirls.passes.cleanup.opt_constant_folding",
    ),
    Pass(
        name="opt_dead_cf",
        summary="Remove control flow that is decided, does nothing, or is never reached",
        module="nirls.passes.cleanup.opt_dead_cf",
    ),
    Pass(
        name="opt_remove_phis",
        summary="Remove phis that merge one value only",
        module="nirls.passes.cleanup.opt_remove_phis",
    ),
    Pass(
        name="opt_undef",
        summary="Simplify what is computed from undefined values",
        module="nirls.passes.cleanup.opt_undef",
    ),
    Pass(
        name="opt_algebraic",
        summary="Replace arithmetic by simpler operations that compute the same",
        module="nirls.passes.cleanup.opt_algebraic",
    ),
    Pass(
        name="lower_alu_to_scalar",
        summary="Split vector arithmetic into its components",
        module="nirls.passes.cleanup.lower_alu_to_scalar",
        options=(cleanup.LOWER_FFMA,),
    ),
    Pass(
        name="lower_io",
        summary="Replace accesses of input and output variables by slot intrinsics",
        module="nirls.passes.io.lower_io",
        options=(Option("to_scalar", True, "split the accesses into components as well"),),
    ),
    Pass(
        name="lower_io_to_scalar",
        summary="Split loads of inputs and stores of outputs into their components",
        module="nirls.passes.cleanup.lower_io_to_scalar",
    ),
    Pass(
        name="lower_phis_to_scalar",
        summary="Split vector phis into their components",
        module="nirls.passes.cleanup.lower_phis_to_scalar",
        options=(cleanup.LOWER_ALL,),
    ),
    Pass(
        name="clean_up",
        summary="Run the clean-up passes until nothing changes any more",
        module="nirls.passes.cleanup.clean_up",
        codes=(cleanup.DEAD_VALUE, cleanup.COMMON_SUBEXPRESSION, cleanup.FOLDABLE_CONSTANT),
        default=False,
    ),
)
