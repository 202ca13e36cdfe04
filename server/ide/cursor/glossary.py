"""Descriptions of words: opcodes, intrinsics, header fields, indices, instructions, slots."""

from __future__ import annotations

from collections.abc import Mapping

from nirls.ir.tables import describe_intrinsic, describe_opcode, intrinsic_signature, opcode_signature

HEADER_FIELDS: Mapping[str, str] = {
    "shader": "The stage of the shader.",
    "name": "The name of the program or pipeline that the shader belongs to.",
    "label": "The name that the application gave to the shader.",
    "source_sha1": "SHA-1 hash of the shader's source.",
    "source_blake3": "BLAKE3 hash of the shader's source.",
    "next_stage": "The stage that reads the outputs; VERTEX (0) if unset.",
    "prev_stage": "The stage that writes the inputs.",
    "inputs_read": "The slots that are loaded as inputs, by number.",
    "outputs_written": "The slots that are stored as outputs, by number.",
    "outputs_read": "The slots of outputs that the shader loads back.",
    "patch_inputs_read": "The per-patch slots that are loaded.",
    "patch_outputs_written": "The per-patch slots that are stored.",
    "patch_outputs_read": "The per-patch outputs that the shader loads back.",
    "system_values_read": "The system values that are loaded, by number.",
    "inputs": "Number of input slots with driver locations.",
    "outputs": "Number of output slots with driver locations.",
    "uniforms": "Size of the uniform storage, in the unit of the driver.",
    "shared": "Bytes of shared memory of a workgroup.",
    "scratch": "Bytes of scratch memory of an invocation.",
    "ubos": "Number of uniform buffers.",
    "num_ubos": "Number of uniform buffers.",
    "num_ssbos": "Number of shader storage buffers.",
    "num_textures": "Number of textures.",
    "num_images": "Number of images.",
    "num_abos": "Number of atomic counter buffers.",
    "subgroup_size": "The subgroup size as known at compile time.",
    "workgroup_size": "Invocations of a workgroup in each dimension.",
    "workgroup-size": "Invocations of a workgroup in each dimension.",
    "local-size": "Invocations of a workgroup in each dimension.",
    "shared-size": "Bytes of shared memory of a workgroup.",
    "io_lowered": "Inputs and outputs are intrinsics, not variables.",
    "bit_sizes_float": "Bit sizes that float operations use, each as a bit of the mask.",
    "bit_sizes_int": "Bit sizes that integer operations use, each as a bit of the mask.",
    "divergence_analysis_run": "Divergence was computed when the dump was printed.",
    "flrp_lowered": "Linear interpolation has been lowered.",
    "writes_memory": "The shader stores to memory visible to other invocations or stages.",
    "uses_discard": "The shader may discard or demote.",
    "needs_quad_helper_invocations": "Helper invocations of a quad must stay alive for derivatives.",
    "origin_upper_left": "Fragment coordinates count from the upper left.",
    "early_fragment_tests": "Depth and stencil tests run before the shader.",
    "tcs_vertices_out": "Vertices of an output patch.",
    "vertices_out": "Maximum number of vertices that the shader emits.",
    "vertices_in": "Vertices of an input primitive.",
    "input_primitive": "Type of the input primitive.",
    "output_primitive": "Type of the output primitive.",
    "spacing": "Tessellation spacing.",
    "ccw": "Triangles of the tessellator wind counter-clockwise.",
    "point_mode": "The tessellator emits points.",
}
"""Descriptions of header fields."""

INDICES: Mapping[str, str] = {
    "base": "Driver location of the slot, or the constant part of an offset.",
    "range": "Bytes (or slots) that the access may reach from `base`.",
    "range_base": "Start of the range that the access may reach.",
    "component": "First component of the slot that is accessed.",
    "dest_type": "Type of the loaded value, where the hardware needs to know.",
    "src_type": "Type of the stored value, where the hardware needs to know.",
    "write_mask": "Components that are stored.",
    "io_semantics": "The first slot, the number of slots that may be accessed, and flags.",
    "io_xfb": "Transform feedback of components 0 and 1: buffer, offset and count.",
    "io_xfb2": "Transform feedback of components 2 and 3: buffer, offset and count.",
    "interp_mode": "How the input is interpolated.",
    "access": "Qualifiers of a memory access.",
    "align_mul": "The address is `align_offset` plus a multiple of this.",
    "align_offset": "The address modulo `align_mul`.",
    "desc_set": "Descriptor set of a Vulkan resource.",
    "binding": "Binding of a Vulkan resource in its set.",
    "desc_type": "Kind of Vulkan descriptor.",
    "stream_id": "Vertex stream of a geometry shader.",
    "execution_scope": "Invocations that wait for each other at the barrier.",
    "memory_scope": "Invocations for which memory is ordered by the barrier.",
    "memory_semantics": "Whether accesses are ordered before (release) or after (acquire) the barrier.",
    "memory_modes": "Kinds of memory that the barrier orders.",
    "reduction_op": "Operation of a reduction or scan.",
    "cluster_size": "Invocations of a cluster; 0 for the whole subgroup.",
    "image_dim": "Dimensions of the image.",
    "image_array": "Whether the image is an array.",
    "format": "Pixel format of the image.",
    "atomic_op": "Operation of the atomic.",
}
"""Descriptions of constant indices of intrinsics."""

INSTRUCTIONS: Mapping[str, str] = {
    "load_const": "A constant. Each component is printed as raw bits, followed by other interpretations.",
    "undef": "An undefined value.",
    "undefined": "An undefined value.",
    "phi": "Selects the source of the predecessor block that was executed.",
    "deref_var": "Reference to a variable.",
    "deref_array": "Reference to an element of an array, a column of a matrix or a component of a vector.",
    "deref_array_wildcard": "Reference to all elements of an array.",
    "deref_ptr_as_array": "Reference at a number of elements after another, as in pointer arithmetic.",
    "deref_struct": "Reference to a member of a struct.",
    "deref_cast": "Reference to the same address with another type.",
    "break": "Leaves the loop.",
    "continue": "Goes to the next iteration of the loop, through the continue construct if present.",
    "return": "Leaves the function.",
    "halt": "Ends the invocation.",
    "goto": "Goes to a block; only in unstructured control flow.",
    "goto_if": "Goes to one of two blocks; only in unstructured control flow.",
    "call": "Calls a function; results are returned through pointers.",
    "parallel_copy": "Copies that read all sources before they write; made when leaving SSA.",
    "tex": "Samples a texture; the level of detail comes from derivatives of the coordinates.",
    "txb": "Samples a texture with a bias on the level of detail.",
    "txl": "Samples a texture at a given level of detail.",
    "txd": "Samples a texture with given derivatives.",
    "txf": "Fetches one texel without filtering.",
    "txf_ms": "Fetches one sample of a multisampled texel.",
    "txf_ms_mcs_intel": "Fetches the compression data of a multisampled texel.",
    "txs": "Size of a texture at a level.",
    "lod": "The level of detail that sampling would use.",
    "tg4": "Gathers one component of the four texels that filtering would read.",
    "query_levels": "Number of mipmap levels.",
    "texture_samples": "Number of samples of a multisampled texture.",
    "samples_identical": "Whether all samples of a texel are known to be equal.",
}
"""Descriptions of kinds of instructions and texture operations."""

SLOT_FAMILIES: tuple[tuple[str, str], ...] = (
    ("VARYING_SLOT_POS", "Position of the vertex; of the fragment in a fragment shader."),
    ("VARYING_SLOT_PSIZ", "Point size."),
    ("VARYING_SLOT_COL", "Front color of fixed-function varyings."),
    ("VARYING_SLOT_BFC", "Back color of fixed-function varyings."),
    ("VARYING_SLOT_FOGC", "Fog coordinate; undefined components read as (0, 0, 0, 1)."),
    ("VARYING_SLOT_TEX", "Texture coordinate of fixed-function varyings."),
    ("VARYING_SLOT_CLIP_DIST", "Clip distances, four in a slot."),
    ("VARYING_SLOT_CULL_DIST", "Cull distances, four in a slot."),
    ("VARYING_SLOT_CLIP_VERTEX", "Position that user clip planes are applied to."),
    ("VARYING_SLOT_EDGE", "Edge flag."),
    ("VARYING_SLOT_PRIMITIVE_ID", "Number of the primitive."),
    ("VARYING_SLOT_LAYER", "Layer of the framebuffer; a fragment shader reads 0 if it is not written."),
    ("VARYING_SLOT_VIEWPORT_MASK", "Mask of viewports."),
    ("VARYING_SLOT_VIEWPORT", "Viewport; a fragment shader reads 0 if it is not written."),
    ("VARYING_SLOT_VIEW_INDEX", "Number of the view, where several are rendered at once."),
    ("VARYING_SLOT_FACE", "Whether the primitive faces the front."),
    ("VARYING_SLOT_PNTC", "Coordinate within a point sprite."),
    ("VARYING_SLOT_TESS_LEVEL_OUTER", "Outer tessellation levels, for each patch."),
    ("VARYING_SLOT_TESS_LEVEL_INNER", "Inner tessellation levels, for each patch."),
    ("VARYING_SLOT_BOUNDING_BOX", "Bounding box of the patch."),
    ("VARYING_SLOT_PATCH", "Varying of the patch as a whole."),
    ("VARYING_SLOT_VAR", "Generic varying."),
    ("VERT_ATTRIB_GENERIC", "Generic vertex attribute."),
    ("VERT_ATTRIB_", "Fixed-function vertex attribute."),
    ("FRAG_RESULT_DATA", "Color output of one render target."),
    ("FRAG_RESULT_COLOR", "Color output of all render targets."),
    ("FRAG_RESULT_DUAL_SRC_BLEND", "Second color of blending with two sources."),
    ("FRAG_RESULT_DEPTH", "Depth of the fragment."),
    ("FRAG_RESULT_STENCIL", "Stencil reference of the fragment."),
    ("FRAG_RESULT_SAMPLE_MASK", "Mask of samples that are written."),
)
"""Descriptions of slots by name prefix; the first match applies."""


def documentation(kind: str, name: str) -> str:
    """Return the documentation for a candidate's `about` key, with its signature; "" if there is none."""
    signature = ""
    if kind == "opcode":
        signature = opcode_signature(name)
    elif kind == "intrinsic":
        signature = intrinsic_signature(name)
    shown = f"```nir\n{signature}\n```" if signature else ""
    return "\n\n".join(part for part in (shown, description(kind, name)) if part)


def description(kind: str, name: str) -> str:
    """Return the documentation without the signature."""
    if kind == "opcode":
        return describe_opcode(name)
    if kind == "intrinsic":
        return describe_intrinsic(name)
    if kind == "instruction":
        return INSTRUCTIONS.get(name, "")
    if kind == "slot":
        return next((text for prefix, text in SLOT_FAMILIES if name.startswith(prefix)), "")
    return ""
