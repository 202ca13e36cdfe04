[
  (dump)
  (struct_declaration)
  (function_impl)
  (block)
  (if_statement)
  (loop_statement)
] @fold

; The branches of an `if` fold on their own too.
(if_statement consequence: (body) @fold)
(if_statement alternative: (body) @fold)
