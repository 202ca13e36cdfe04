(function_impl name: (function_name) @name) @definition.function
(function_declaration name: (function_name) @name) @definition.interface
(variable_declaration name: (variable_name) @name) @definition.variable
(struct_declaration name: (type_name) @name) @definition.class

(call_instruction callee: (function_name) @name) @reference.call
(deref_var_instruction variable: (variable_name) @name) @reference.variable
