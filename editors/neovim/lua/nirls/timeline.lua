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

---The quickfix type of each verdict on a pass: an error, a warning, nothing.
local TYPES = { different = "E", unchecked = "W" }

---The verdict on a pass with its reason, if it is more than that all is well.
local function mark(verdict)
  if not verdict then
    return ""
  end
  local reason = TYPES[verdict.verdict] and ": " .. verdict.reason or ""
  return (" [%s%s]"):format(verdict.verdict, reason)
end

local function entries(bufnr, shaders)
  local found = {}
  for _, shader in ipairs(shaders) do
    for _, pass in ipairs(shader.passes) do
      local verdict = server.value(pass.verdict)
      local text = ("%s: %s (%s) %s"):format(shader.title, pass.name, pass.change, counts(pass))
      found[#found + 1] = {
        bufnr = bufnr,
        lnum = pass.line + 1,
        text = vim.trim(text) .. mark(verdict),
        type = verdict and TYPES[verdict.verdict] or "",
      }
    end
  end
  return found
end

---The list that is shown: its quickfix id, and the request that filled it.
local shown

---Updates the list when the server has new verdicts on the passes of its log.
local function follow(_, changed)
  if not shown or changed.uri ~= shown.params.textDocument.uri then
    return
  end
  local list = shown
  server.request(list.client, "nirls/timeline", list.params, function(answer)
    vim.fn.setqflist({}, "r", { id = list.id, items = entries(list.bufnr, answer.shaders) })
  end)
end

---Lists the passes of the buffer, each with what it changed and the verdict on it.
---@param all boolean also the passes that changed nothing
function M.show(all)
  local client = server.client()
  if not client then
    return
  end
  local bufnr = vim.api.nvim_get_current_buf()
  local params = { textDocument = { uri = vim.uri_from_bufnr(bufnr) }, hidden = all }
  vim.lsp.handlers["nirls/timelineChanged"] = follow
  server.request(client, "nirls/timeline", params, function(answer)
    local items = entries(bufnr, answer.shaders)
    if #items == 0 then
      vim.notify("nirls: this buffer has no passes")
      return
    end
    vim.fn.setqflist({}, " ", { title = "NIR passes", items = items })
    shown = { id = vim.fn.getqflist({ id = 0 }).id, client = client, bufnr = bufnr, params = params }
    vim.cmd("botright copen")
  end)
end

return M
