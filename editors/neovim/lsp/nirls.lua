-- Read by Neovim 0.11 and newer; `vim.lsp.enable("nirls")` in plugin/nirls.lua turns it on.
return {
  cmd = { "nirls", "serve" },
  filetypes = { "nir" },
  root_markers = { "nirls.toml", ".git" },
  -- The section "nirls" of the settings.
  settings = { nirls = {} },
}
