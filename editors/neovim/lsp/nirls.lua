-- Read by Neovim 0.11 and newer; `vim.lsp.enable("nirls")` in plugin/nirls.lua turns it on.
return {
  cmd = { "nirls", "serve" },
  filetypes = { "nir" },
  root_markers = { "nirls.toml", ".git" },
  -- What the server asks for as the section "nirls".
  settings = { nirls = {} },
}
