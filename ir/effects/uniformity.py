"""Sources that must be the same in all running invocations of a subgroup.

SPIR-V calls them dynamically uniform: `OpGroupNonUniformBroadcast`, `OpGroupNonUniformInverseBallot`,
`OpGroupNonUniformQuadBroadcast`, `OpGroupNonUniformRotateKHR`; `SPV_AMD_shader_ballot`; Mesa's comments in
nir_intrinsics.py. Where they differ the result is undefined, so such an instruction may not move to where
other invocations run beside.
"""

from __future__ import annotations

from collections.abc import Mapping

UNIFORM_SOURCES: Mapping[str, tuple[int, ...]] = {
    "as_uniform": (0,),
    "inverse_ballot": (0,),
    "is_subgroup_invocation_lt_amd": (0,),
    "lane_permute_16_amd": (1, 2),
    "quad_broadcast": (1,),
    "read_invocation": (1,),
    "rotate": (1,),
    "shuffle_down_uniform_ir3": (1,),
    "shuffle_up_uniform_ir3": (1,),
    "shuffle_xor_uniform_ir3": (1,),
    "write_invocation_amd": (1, 2),
}
"""The numbers of these sources, by intrinsic."""
