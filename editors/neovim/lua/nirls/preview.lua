-- Previews of passes on the dump at the cursor, as a diff.
local server = require("nirls.server")
local windows = require("nirls.windows")

local M = {}

local NOTHING_TO_SHOW = {
  refused = "the result does something else than before; it is not shown",
  unchanged = "there is nothing to do",
}

---Previews passes on the dump at the cursor; without names, linking of its stages.
---@param passes string[]
function M.show(passes)
  local client = server.client()
  if not client then
    return
  end
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  params.passes = #passes > 0 and passes or nil
  server.request(client, "nirls/preview", params, function(answer)
    answer = server.value(answer)
    if not answer then
      vim.notify("nirls: there is no dump at the cursor, or no such pass", vim.log.levels.WARN)
      return
    end
    local nothing = NOTHING_TO_SHOW[answer.verdict]
    if nothing then
      vim.notify(("nirls: %s: %s"):format(answer.title, nothing))
      return
    end
    for _, dump in ipairs(answer.dumps) do
      if dump.changed then
        local title = ("%s: %s"):format(answer.title, server.value(dump.stage) or dump.number + 1)
        windows.show_diff(dump.before, dump.after, title)
      end
    end
    vim.notify(("nirls: %s: %s"):format(answer.title, answer.verdict))
  end)
end

---Names of passes with a prefix, for completion.
---@param word string
---@return string[]
function M.complete(word)
  local found = {}
  for _, answer in pairs(vim.lsp.buf_request_sync(0, "nirls/passes", {}, 5000) or {}) do
    for _, pass in ipairs((answer.result or {}).passes or {}) do
      if vim.startswith(pass.name, word) then
        found[#found + 1] = pass.name
      end
    end
  end
  return found
end

return M
