-- Colours and folds by the syntax tree where the parser has been built; semantic tokens of the server have priority.
if pcall(vim.treesitter.start, 0, "nir") then
  vim.wo.foldmethod = "expr"
  vim.wo.foldexpr = "v:lua.vim.treesitter.foldexpr()"
  vim.wo.foldenable = false
end
vim.bo.commentstring = "// %s"
