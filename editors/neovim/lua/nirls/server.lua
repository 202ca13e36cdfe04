-- Requests to the server of the current buffer.
local M = {}

---Why the current buffer has no client: the server may run in other buffers, or not at all.
local function why_none()
  if vim.bo.filetype ~= "nir" then
    return "nirls: this buffer is no NIR (`:set filetype=nir` makes it so)"
  end
  if #vim.lsp.get_clients({ name = "nirls" }) > 0 then
    return "nirls does not run in this buffer"
  end
  return "nirls has not started, or has ended; `:checkhealth vim.lsp` says more"
end

---The client of the current buffer; warns if there is none.
---@return vim.lsp.Client?
function M.client()
  local client = vim.lsp.get_clients({ bufnr = 0, name = "nirls" })[1]
  if not client then
    vim.notify(why_none(), vim.log.levels.WARN)
  end
  return client
end

---Sends a request; errors are shown, the result is passed to `answered`.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param answered? fun(result: any)
function M.request(client, method, params, answered)
  local function handle(problem, result)
    if problem then
      vim.notify(("nirls: %s: %s"):format(method, problem.message), vim.log.levels.ERROR)
    elseif answered then
      answered(result)
    end
  end
  local bufnr = vim.api.nvim_get_current_buf()
  if vim.fn.has("nvim-0.11") == 1 then
    client:request(method, params, handle, bufnr)
  else
    client.request(method, params, handle, bufnr)
  end
end

---A value of a result, with JSON's null as nil.
function M.value(value)
  if value == vim.NIL then
    return nil
  end
  return value
end

return M
