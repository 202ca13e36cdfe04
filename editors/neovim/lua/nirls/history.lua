-- What the passes of a log did to a value, and which pass changed each line.
local server = require("nirls.server")
local windows = require("nirls.windows")

local M = {}

local function here(client)
  return vim.lsp.util.make_position_params(0, client.offset_encoding)
end

---Lists what the passes did to a value in the quickfix list.
---@param value? string such as `%12`, a value of the dump at the cursor; by default the one at the cursor
function M.follow(value)
  local client = server.client()
  if not client then
    return
  end
  local bufnr, params = vim.api.nvim_get_current_buf(), here(client)
  params.value = value
  server.request(client, "nirls/valueHistory", params, function(answer)
    answer = server.value(answer)
    if not answer then
      vim.notify("nirls: there is no such value in the dump at the cursor", vim.log.levels.WARN)
      return
    end
    local items = vim.tbl_map(function(entry)
      local instead = server.value(entry.replacement)
      local suffix = instead and (" (readers use %s)"):format(instead) or ""
      local text = ("%d %s %s: %s%s"):format(entry.number, entry.pass, entry.event, entry.text, suffix)
      return { bufnr = bufnr, lnum = entry.line + 1, text = text }
    end, answer.entries)
    vim.fn.setqflist({}, " ", { title = answer.value .. " through the passes", items = items })
    vim.cmd("botright copen")
  end)
end

---Shows beside the dump at the cursor the pass that changed each of its lines last.
function M.blame()
  local client = server.client()
  if not client then
    return
  end
  local bufnr, window = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win()
  server.request(client, "nirls/blame", here(client), function(answer)
    answer = server.value(answer)
    if not answer or #answer.lines == 0 then
      vim.notify("nirls: there is no shader with several snapshots at the cursor", vim.log.levels.WARN)
      return
    end
    local lines, width = {}, 0
    for line = 1, vim.api.nvim_buf_line_count(bufnr) do
      lines[line] = ""
    end
    for _, blamed in ipairs(answer.lines) do
      local text = ("%d %s %s"):format(blamed.number, blamed.pass, blamed.event)
      lines[blamed.line + 1], width = text, math.max(width, #text)
    end
    local cursor = vim.api.nvim_win_get_cursor(window)
    vim.api.nvim_set_current_win(window)
    local blame = windows.scratch(table.concat(lines, "\n"), "blame")
    vim.cmd("leftabove vsplit")
    vim.api.nvim_win_set_buf(0, blame)
    vim.api.nvim_win_set_width(0, math.min(width + 1, 60))
    vim.wo.wrap, vim.wo.number, vim.wo.relativenumber, vim.wo.foldenable = false, false, false, false
    vim.wo.winfixwidth = true
    vim.api.nvim_win_set_cursor(0, { cursor[1], 0 })
    vim.wo.scrollbind, vim.wo.cursorbind = true, true
    vim.wo[window].scrollbind, vim.wo[window].cursorbind = true, true
    vim.keymap.set("n", "q", "<Cmd>close<CR>", { buffer = blame, desc = "Close" })
    vim.cmd.syncbind()
  end)
end

return M
