-- The passes of a log in the quickfix list.
local server = require("nirls.server")

local M = {}

local COUNTS = { "instructions", "blocks", "inputs", "outputs", "registers" }

---The changed counts, such as `instructions 12 -> 9`.
local function counts(pass)
  local before, after = server.value(pass.before), server.value(pass.after)
  if not before or not after then
    return ""
  end
  local changed = {}
  for _, name in ipairs(COUNTS) do
    if before[name] ~= after[name] then
      changed[#changed + 1] = ("%s %d -> %d"):format(name, before[name], after[name])
    end
  end
  return table.concat(changed, ", ")
end

local function entries(bufnr, shaders)
  local found = {}
  for _, shader in ipairs(shaders) do
    for _, pass in ipairs(shader.passes) do
      local text = ("%s: %s (%s) %s"):format(shader.title, pass.name, pass.change, counts(pass))
      found[#found + 1] = { bufnr = bufnr, lnum = pass.line + 1, text = vim.trim(text) }
    end
  end
  return found
end

---Lists the passes of the buffer, each with what it changed.
---@param all boolean also the passes that changed nothing
function M.show(all)
  local client = server.client()
  if not client then
    return
  end
  local bufnr = vim.api.nvim_get_current_buf()
  local params = { textDocument = { uri = vim.uri_from_bufnr(bufnr) }, hidden = all }
  server.request(client, "nirls/timeline", params, function(answer)
    local items = entries(bufnr, answer.shaders)
    if #items == 0 then
      vim.notify("nirls: this buffer has no passes")
      return
    end
    vim.fn.setqflist({}, " ", { title = "NIR passes", items = items })
    vim.cmd("botright copen")
  end)
end

return M
