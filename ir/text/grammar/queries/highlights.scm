; Header and declarations

(header_key) @property
(header_value) @string

[
  "decl_var"
  "decl_reg"
  "decl_function"
  "impl"
  "preamble"
  "struct"
] @keyword

(qualifier) @keyword.modifier
(variable_mode) @keyword.storage
(interpolation_mode) @keyword.modifier
(access_qualifier) @keyword.modifier
(image_format) @constant
(precision) @keyword.modifier
(compact) @keyword.modifier
(attribute) @attribute
(pass_flags) @comment
(initializer) @constant

(type_name) @type
(value_type) @type.builtin
(alu_type) @type.builtin
(variable_name) @variable
(field_name) @property
(parameter_name) @variable.parameter
(location) @constant

(function_declaration name: (function_name) @function)
(function_impl name: (function_name) @function)
(preamble name: (function_name) @function)
(call_instruction callee: (function_name) @function.call)

; Control flow

[
  "block"
  (block_label)
] @label
(block_ref) @label

"if" @keyword.conditional
"else" @keyword.conditional
"loop" @keyword.repeat
(jump_kind) @keyword.return
(control) @comment
(predecessors) @comment
(successors) @comment
(divergence) @keyword.modifier

; Instructions

(alu_instruction opcode: (opcode) @function.builtin)
(tex_instruction opcode: (opcode) @function.builtin)
(deref_var_instruction opcode: (opcode) @function.builtin)
(deref_struct_instruction opcode: (opcode) @function.builtin)
(deref_array_instruction opcode: (opcode) @function.builtin)
(deref_cast_instruction opcode: (opcode) @function.builtin)
(call_instruction opcode: (opcode) @keyword)
(intrinsic_name) @function.builtin
[
  "load_const"
  "undefined"
  "undef"
  "phi"
] @function.builtin
["intrinsic" "indirect"] @keyword

(alu_flag) @operator
(modifier) @operator
(tex_kind) @attribute
(tex_flag) @attribute

(index_name) @property
(index_value) @constant
((index_value) @number
  (#match? @number "^-?[0-9]"))
(io_semantics ["io" "location" "slots"] @property)
(io_semantics location: (index_value) @constant)
(io_flag) @keyword.modifier
(gs_streams "gs_streams" @property)
(xfb_name) @property

; Values

(ssa_ref) @variable
(ssa_def name: (ssa_ref) @variable.definition)
(register_ref) @variable.builtin
(value_name) @variable.member
(swizzle) @variable.member
(constant) @number
(inline_constant) @number
(number) @number
((constant) @boolean
  (#match? @boolean "^(true|false)$"))

["=" "->" "&" "*"] @operator
["," ";" ":"] @punctuation.delimiter
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
"} else {" @keyword.conditional
"} continue {" @keyword.repeat

(comment) @comment
(annotation) @error
(unreadable_line) @error
