; A value's number is known in its function; a variable's name in its dump.

(dump) @local.scope
(function_impl) @local.scope

(ssa_def name: (ssa_ref) @local.definition.var)
(register_declaration name: (register_ref) @local.definition.var)
(variable_declaration name: (variable_name) @local.definition.var)
(block label: (block_label) @local.definition.label)
(function_declaration name: (function_name) @local.definition.function)
(function_declaration parameter: (parameter name: (parameter_name) @local.definition.parameter))

(source value: (ssa_ref) @local.reference)
(alu_source value: (ssa_ref) @local.reference)
(tex_source value: (ssa_ref) @local.reference)
(phi_source value: (ssa_ref) @local.reference)
(argument value: (ssa_ref) @local.reference)
(register name: (register_ref) @local.reference)
(register_def name: (register_ref) @local.reference)
(deref_var_instruction variable: (variable_name) @local.reference)
(block_ref) @local.reference
(call_instruction callee: (function_name) @local.reference)
