local M = {}

---Starts the server in every NIR buffer. For Neovim 0.10, and for settings of one's own on any version.
---@param options? { cmd?: string[], settings?: table }
function M.setup(options)
  options = options or {}
  local cmd = options.cmd or { "nirls", "serve" }
  local settings = { nirls = options.settings or {} }

  if vim.fn.has("nvim-0.11") == 1 then
    vim.lsp.config("nirls", { cmd = cmd, settings = settings })
    return
  end

  vim.api.nvim_create_autocmd("FileType", {
    group = vim.api.nvim_create_augroup("nirls", { clear = true }),
    pattern = "nir",
    callback = function(event)
      vim.lsp.start({
        name = "nirls",
        cmd = cmd,
        root_dir = vim.fs.root(event.buf, { "nirls.toml", ".git" }),
        settings = settings,
      }, { bufnr = event.buf })
    end,
  })
end

---Runs the passes on the current buffer.
function M.run_passes()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = vim.lsp.get_clients({ bufnr = bufnr, name = "nirls" })[1]
  if not client then
    vim.notify("nirls does not run in this buffer", vim.log.levels.WARN)
    return
  end
  local params = { command = "nirls.runPasses", arguments = { vim.uri_from_bufnr(bufnr) } }
  if vim.fn.has("nvim-0.11") == 1 then
    client:request("workspace/executeCommand", params, nil, bufnr)
  else
    client.request("workspace/executeCommand", params, nil, bufnr)
  end
end

return M
