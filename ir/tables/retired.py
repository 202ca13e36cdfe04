"""Opcodes and intrinsics that only Mesa releases before 22.3 had, in the notation of `rows`.

A year in the last field names the era: 2015 for variables as operands and separate `_indirect` loads,
2016 and 2017 for variables as operands, 2018 and later for deref instructions, 2019 and later for
sized booleans. A name that the generated table has too is listed here where its shape was different.
"""

_REPLICATED_DOT = """
fdot_replicated2 | float[2], float[2] -> float[4] | 2src_commutative | 2015 2018 2020
fdot_replicated3 | float[3], float[3] -> float[4] | 2src_commutative | 2015 2018 2020
fdot_replicated4 | float[4], float[4] -> float[4] | 2src_commutative | 2015 2018 2020
"""

_NOISE = "\n".join(
    f"fnoise{result}_{source} | float[{source}] -> float[{result}] |  | 2015 2018"
    for result in range(1, 5)
    for source in range(1, 5)
)

_UNSIZED_BOOLEANS = """
b2f | bool -> float | conversion | 2015 2018
b2i | bool -> int | conversion | 2015 2018
f2b | float -> bool | conversion | 2015 2018
i2b | int -> bool | conversion | 2015 2018
d2b | float64 -> bool | conversion | 2016
"""

_UNSIZED_CONVERSIONS = """
f2i | float32 -> int32 | conversion | 2015 2016
f2u | float32 -> uint32 | conversion | 2015 2016
i2f | int32 -> float32 | conversion | 2015 2016
u2f | uint32 -> float32 | conversion | 2015 2016
f2d | float32 -> float64 | conversion | 2016
d2f | float64 -> float32 | conversion | 2016
i2d | int32 -> float64 | conversion | 2016
u2d | uint32 -> float64 | conversion | 2016
d2i | float64 -> int32 | conversion | 2016
d2u | float64 -> uint32 | conversion | 2016
f2f16_undef | float -> float16 | conversion | 2017
"""

_MOVES_AND_LOGIC = """
fmov | float -> float |  | 2015 2018
imov | int -> int |  | 2015 2018
fnot | float -> float |  | 2015 2018
fand | float32, float32 -> float32 | 2src_commutative | 2015 2018
for | float32, float32 -> float32 | 2src_commutative | 2015 2018
fxor | float32, float32 -> float32 | 2src_commutative | 2015 2018
bany2 | bool[2] -> bool[1] |  | 2015
bany3 | bool[3] -> bool[1] |  | 2015
bany4 | bool[4] -> bool[1] |  | 2015
ball2 | bool[2] -> bool[1] |  | 2015
ball3 | bool[3] -> bool[1] |  | 2015
ball4 | bool[4] -> bool[1] |  | 2015
fany2 | float[2] -> float[1] |  | 2015
fany3 | float[3] -> float[1] |  | 2015
fany4 | float[4] -> float[1] |  | 2015
fall2 | float[2] -> float[1] |  | 2015
fall3 | float[3] -> float[1] |  | 2015
fall4 | float[4] -> float[1] |  | 2015
"""

_COMPARISONS = """
fne | float, float -> bool1 | 2src_commutative | 2015 2018 2020
fne32 | float, float -> bool32 | 2src_commutative | 2019 2020
fne16 | float, float -> bool16 | 2src_commutative | 2020
fne8 | float, float -> bool8 | 2src_commutative | 2020
"""

_ARITHMETIC = """
fexp | float -> float |  | 2015
flog | float -> float |  | 2015
fmin3 | float, float, float -> float |  | 2017 2020
fmax3 | float, float, float -> float |  | 2017 2020
fmed3 | float, float, float -> float |  | 2017 2021
imin3 | int, int, int -> int |  | 2017 2021
imax3 | int, int, int -> int |  | 2017 2021
imed3 | int, int, int -> int |  | 2017 2021
umin3 | uint, uint, uint -> uint |  | 2017 2021
umax3 | uint, uint, uint -> uint |  | 2017 2021
umed3 | uint, uint, uint -> uint |  | 2017 2021
usadd_4x8 | int32, int32 -> int32 | 2src_commutative associative | 2015 2020
ussub_4x8 | int32, int32 -> int32 |  | 2015 2020
umin_4x8 | int32, int32 -> int32 | 2src_commutative associative | 2015 2020
umax_4x8 | int32, int32 -> int32 | 2src_commutative associative | 2015 2020
umul_unorm_4x8 | int32, int32 -> int32 | 2src_commutative associative | 2015 2020
fsin_r600 | float32 -> float32 |  | 2021
fcos_r600 | float32 -> float32 |  | 2021
cube_face_index | float32[3] -> float32[1] |  | 2019 2020
cube_face_coord | float32[3] -> float32[2] |  | 2019 2020
"""

_PACKING = """
pack_double_2x32 | uint32[2] -> float64[1] |  | 2016
unpack_double_2x32 | float64[1] -> uint32[2] |  | 2016
pack_double_2x32_split | uint32, uint32 -> float64 |  | 2016
unpack_double_2x32_split_x | float64 -> uint32 |  | 2016
unpack_double_2x32_split_y | float64 -> uint32 |  | 2016
"""

RETIRED_OPCODES = "\n".join(
    (
        _REPLICATED_DOT,
        _NOISE,
        _UNSIZED_BOOLEANS,
        _UNSIZED_CONVERSIONS,
        _MOVES_AND_LOGIC,
        _COMPARISONS,
        _ARITHMETIC,
        _PACKING,
    )
)

# The variable is an operand of its own kind here, printed behind the sources; it is no source.
_VARIABLE_OPERANDS = """
load_var |  -> n |  |  | CAN_ELIMINATE | 2015 2016
store_var | n -> - |  | write_mask |  | 2015 2016
copy_var |  -> - |  |  |  | 2015 2016
interp_var_at_centroid |  -> n |  |  | CAN_ELIMINATE CAN_REORDER | 2015 2016
interp_var_at_sample | 1 -> n |  |  | CAN_ELIMINATE CAN_REORDER | 2015 2016
interp_var_at_offset | 2 -> n |  |  | CAN_ELIMINATE CAN_REORDER | 2015 2016
"""

_VAR_ATOMICS = "\n".join(
    (
        *(
            f"var_atomic_{operation} | 1 -> 1 |  |  |  | 2016"
            for operation in ("add", "imin", "umin", "imax", "umax", "and", "or", "xor", "exchange")
        ),
        "var_atomic_comp_swap | 1, 1 -> 1 |  |  |  | 2016",
    )
)

_INDIRECT_ACCESSES = """
load_uniform_indirect | 1 -> n |  | base | CAN_ELIMINATE CAN_REORDER | 2015
load_ubo_indirect | 1, 1 -> n |  | base | CAN_ELIMINATE CAN_REORDER | 2015
load_input_indirect | 1 -> n |  | base | CAN_ELIMINATE CAN_REORDER | 2015
load_per_vertex_input_indirect | 1, 1 -> n |  | base | CAN_ELIMINATE CAN_REORDER | 2015
load_output_indirect | 1 -> n |  | base | CAN_ELIMINATE | 2015
load_per_vertex_output_indirect | 1, 1 -> n |  | base | CAN_ELIMINATE | 2015
load_ssbo_indirect | 1, 1 -> n |  | base | CAN_ELIMINATE | 2015
store_output_indirect | n, 1 -> - |  | base, write_mask |  | 2015
store_per_vertex_output_indirect | n, 1, 1 -> - |  | base, write_mask |  | 2015
store_ssbo_indirect | n, 1, 1 -> - |  | base, write_mask |  | 2015
load_uniform |  -> n |  | base | CAN_ELIMINATE CAN_REORDER | 2015
load_input |  -> n |  | base | CAN_ELIMINATE CAN_REORDER | 2015
load_output |  -> n |  | base | CAN_ELIMINATE | 2015
load_per_vertex_input | 1 -> n |  | base | CAN_ELIMINATE CAN_REORDER | 2015
load_per_vertex_output | 1 -> n |  | base | CAN_ELIMINATE | 2015
load_ubo | 1 -> n |  | base | CAN_ELIMINATE CAN_REORDER | 2015
load_ssbo | 1 -> n |  | base | CAN_ELIMINATE | 2015
store_output | n -> - |  | base |  | 2015
store_per_vertex_output | n, 1 -> - |  | base |  | 2015
store_ssbo | n, 1 -> - |  | base, write_mask |  | 2015
ssbo_unsized_array_length | 1 -> 1 |  |  | CAN_ELIMINATE CAN_REORDER | 2015
"""

# Accesses whose indices grew over the years; the sources are those of today.
_EARLIER_INDICES = """
load_uniform | 1 -> n |  | base, range | CAN_ELIMINATE CAN_REORDER | 2016 2018 2019
load_ubo | 1, 1 -> n |  |  | CAN_ELIMINATE CAN_REORDER | 2016 2018
load_ubo | 1, 1 -> n |  | access, align_mul, align_offset | CAN_ELIMINATE CAN_REORDER | 2019 2020
load_input | 1 -> n |  | base, component | CAN_ELIMINATE CAN_REORDER | 2016 2018 2019
load_input | 1 -> n |  | base, component, dest_type | CAN_ELIMINATE CAN_REORDER | 2020
load_per_vertex_input | 1, 1 -> n |  | base, component | CAN_ELIMINATE CAN_REORDER | 2016 2018 2019
load_interpolated_input | 2, 1 -> n |  | base, component | CAN_ELIMINATE CAN_REORDER | 2016 2018 2019
load_output | 1 -> n |  | base, component | CAN_ELIMINATE | 2016 2018 2019
load_per_vertex_output | 1, 1 -> n |  | base, component | CAN_ELIMINATE | 2016 2018 2019
load_ssbo | 1, 1 -> n |  |  | CAN_ELIMINATE | 2016 2018
load_shared | 1 -> n |  | base | CAN_ELIMINATE | 2016 2018
load_push_constant | 1 -> n |  | base, range | CAN_ELIMINATE CAN_REORDER | 2016 2018 2019
load_constant | 1 -> n |  | base, range | CAN_ELIMINATE CAN_REORDER | 2018 2019
load_deref | 1 -> n |  |  | CAN_ELIMINATE | 2018
store_deref | 1, n -> - |  | write_mask |  | 2018
copy_deref | 1, 1 -> - |  |  |  | 2018
store_output | n, 1 -> - |  | base, write_mask, component |  | 2016 2018 2019
store_per_vertex_output | n, 1, 1 -> - |  | base, write_mask, component |  | 2016 2018 2019
store_ssbo | n, 1, 1 -> - |  | write_mask |  | 2016 2018
store_shared | n, 1 -> - |  | base, write_mask |  | 2016 2018
get_buffer_size | 1 -> 1 |  |  | CAN_ELIMINATE CAN_REORDER | 2016 2018
shader_clock |  -> 1 |  |  | CAN_ELIMINATE | 2016
shader_clock |  -> 2 |  |  | CAN_ELIMINATE | 2018 2019
emit_vertex_with_counter | 1 -> - |  | stream_id |  | 2016 2018 2019
end_primitive_with_counter | 1 -> - |  | stream_id |  | 2016 2018 2019
vulkan_resource_index | 1 -> 1 |  | desc_set, binding | CAN_ELIMINATE CAN_REORDER | 2016 2018
vulkan_resource_reindex | 1, 1 -> 1 |  |  | CAN_ELIMINATE CAN_REORDER | 2018
"""

_BARRIERS_AND_GEOMETRY = """
barrier |  -> - |  |  |  | 2016 2018 2019
begin_fragment_shader_ordering |  -> - |  |  |  | 2018
set_vertex_count | 1 -> - |  |  |  | 2016 2018 2019
discard_if | 1 -> - |  |  |  | 2015 2018
group_all | 1 -> 1 |  |  |  | 2016
time |  -> 1 |  |  |  | 2016
"""

# Images without a handle source: the image was a variable operand.
_VARIABLE_IMAGES = "\n".join(
    (
        "image_load | 4, 1 -> 4 |  |  | CAN_ELIMINATE | 2015 2016",
        "image_store | 4, 1, 4 -> - |  |  |  | 2015 2016",
        *(
            f"image_atomic_{operation} | 4, 1, 1 -> 1 |  |  |  | 2015 2016"
            for operation in ("add", "min", "max", "and", "or", "xor", "exchange")
        ),
        "image_atomic_comp_swap | 4, 1, 1, 1 -> 1 |  |  |  | 2015 2016",
        "image_size |  -> 4 |  |  | CAN_ELIMINATE CAN_REORDER | 2016",
        "image_samples |  -> 1 |  |  | CAN_ELIMINATE CAN_REORDER | 2016",
    )
)

# Images with a handle: integer minimum and maximum were one operation each for signed and unsigned.
_IMAGE_INDICES = "image_dim, image_array, format, access"
_HANDLE_IMAGES = "\n".join(
    (
        *(
            f"{prefix}_load | 1, 4, 1 -> n |  | {indices} | CAN_ELIMINATE | 2018 2019"
            f"\n{prefix}_store | 1, 4, 1, n -> - |  | {indices} |  | 2018 2019"
            f"\n{prefix}_size | 1 -> n |  | {indices} | CAN_ELIMINATE CAN_REORDER | 2018 2019"
            f"\n{prefix}_samples | 1 -> 1 |  | {indices} | CAN_ELIMINATE CAN_REORDER | 2018 2019"
            for prefix, indices in (
                ("image", _IMAGE_INDICES),
                ("bindless_image", _IMAGE_INDICES),
                ("image_deref", ""),
            )
        ),
        *(
            f"{prefix}_atomic_{operation} | 1, 4, 1, 1 -> 1 |  | {indices} |  | 2018 2019"
            for prefix, indices in (
                ("image", _IMAGE_INDICES),
                ("bindless_image", _IMAGE_INDICES),
                ("image_deref", "access"),
            )
            for operation in ("min", "max", "add", "and", "or", "xor", "exchange", "fadd")
        ),
        *(
            f"{prefix}_atomic_comp_swap | 1, 4, 1, 1, 1 -> 1 |  | {indices} |  | 2018 2019"
            for prefix, indices in (
                ("image", _IMAGE_INDICES),
                ("bindless_image", _IMAGE_INDICES),
                ("image_deref", "access"),
            )
        ),
    )
)

# One atomic intrinsic per operation, without or with a base and access, and without float variants.
_ATOMIC_OPERATIONS = (
    *("add", "imin", "umin", "imax", "umax", "and", "or", "xor", "exchange", "fadd", "fmin", "fmax"),
)
_BUFFER_ATOMICS = "\n".join(
    (
        *(
            f"{prefix}_atomic_{operation} | {sources} -> 1 |  | {indices} |  | 2016 2018 2019"
            for prefix, sources, indices in (
                ("ssbo", "1, 1, 1", ""),
                ("shared", "1, 1", "base"),
                ("deref", "1, 1", ""),
                ("global", "1, 1", "base"),
            )
            for operation in _ATOMIC_OPERATIONS
        ),
        *(
            f"{prefix}_atomic_{operation} | {sources} -> 1 |  | {indices} |  | 2016 2018 2019"
            for prefix, sources, indices in (
                ("ssbo", "1, 1, 1, 1", ""),
                ("shared", "1, 1, 1", "base"),
                ("deref", "1, 1, 1", ""),
                ("global", "1, 1, 1", "base"),
            )
            for operation in ("comp_swap", "fcomp_swap")
        ),
    )
)

_COUNTER_OPERATIONS = ("add", "min", "max", "and", "or", "xor", "exchange")
_ATOMIC_COUNTERS = "\n".join(
    (
        "atomic_counter_inc_var |  -> 1 |  |  |  | 2015 2016",
        "atomic_counter_dec_var |  -> 1 |  |  |  | 2015 2016",
        "atomic_counter_read_var |  -> 1 |  |  | CAN_ELIMINATE | 2015 2016",
        "atomic_counter_dec | 1 -> 1 |  | base |  | 2015 2016",
        *(f"atomic_counter_{operation}_var | 1 -> 1 |  |  |  | 2016" for operation in _COUNTER_OPERATIONS),
        "atomic_counter_comp_swap_var | 1, 1 -> 1 |  |  |  | 2016",
    )
)

_SYSTEM_VALUES = "\n".join(
    f"load_{name} |  -> {width} |  |  | CAN_ELIMINATE CAN_REORDER sysval | {releases}"
    for name, width, releases in (
        ("work_group_id", "3", "2016 2018 2019 2021"),
        ("num_work_groups", "3", "2016 2018 2019 2021"),
        ("local_group_size", "3", "2018 2019 2021"),
        ("work_dim", "1", "2018 2019"),
        ("is_indexed_draw", "1", "2018 2019"),
        ("channel_num", "1", "2016"),
        ("alpha_ref_float", "1", "2016 2018 2019"),
        ("sample_id_no_per_sample", "1", "2018 2019"),
        ("subgroup_eq_mask", "n", "2018"),
        ("subgroup_ge_mask", "n", "2018"),
        ("subgroup_gt_mask", "n", "2018"),
        ("subgroup_le_mask", "n", "2018"),
        ("subgroup_lt_mask", "n", "2018"),
        ("global_invocation_index", "1", "2019"),
        ("viewport_x_scale", "1", "2019"),
        ("viewport_y_scale", "1", "2019"),
        ("user_clip_plane", "4", "2016"),
    )
)

_DRIVER_SPECIFIC = """
cube_face_coord | 3 -> 2 |  |  |  | 2016
cube_face_index | 3 -> 1 |  |  |  | 2016
group_umin_nonuniform_amd | 1 -> 1 |  |  |  | 2016
load_size_ir3 |  -> 1 |  |  | CAN_ELIMINATE CAN_REORDER | 2019
"""

RETIRED_INTRINSICS = "\n".join(
    (
        _VARIABLE_OPERANDS,
        _VAR_ATOMICS,
        _EARLIER_INDICES,
        _INDIRECT_ACCESSES,
        _BARRIERS_AND_GEOMETRY,
        _HANDLE_IMAGES,
        _VARIABLE_IMAGES,
        _BUFFER_ATOMICS,
        _ATOMIC_COUNTERS,
        _SYSTEM_VALUES,
        _DRIVER_SPECIFIC,
    )
)
