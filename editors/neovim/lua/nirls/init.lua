local M = {}

---Starts the server in every NIR buffer: on Neovim 0.10, and to change settings on any version.
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
  local server = require("nirls.server")
  local client = server.client()
  if client then
    local params = { command = "nirls.runPasses", arguments = { vim.uri_from_bufnr(0) } }
    server.request(client, "workspace/executeCommand", params)
  end
end

---Runs the shader at the cursor and shows the values of its definitions as inlay hints, or hides them.
function M.run_shader()
  if not require("nirls.server").client() then
    return
  end
  vim.lsp.inlay_hint.enable(true, { bufnr = 0 })
  vim.lsp.buf.code_action({
    context = { only = { "source.run.nirls" }, diagnostics = {} },
    filter = function(action)
      return not action.title:find("linked stages", 1, true)
    end,
    apply = true,
  })
end

return M
