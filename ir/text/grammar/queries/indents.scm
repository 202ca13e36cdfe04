[
  (struct_declaration)
  (function_impl)
  (if_statement)
  (loop_statement)
] @indent.begin

(function_impl "}" @indent.branch @indent.end)
(struct_declaration "}" @indent.branch @indent.end)
(if_statement ["}" "} else {"] @indent.branch)
(loop_statement ["}" "} continue {"] @indent.branch)
(stray_brace) @indent.branch

[
  (text_line)
  (header_field)
] @indent.zero

[
  (comment)
  (unreadable_line)
] @indent.auto
