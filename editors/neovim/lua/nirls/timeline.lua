-- The passes of a log, with what each changed as a diff beside the list.
local server = require("nirls.server")
local windows = require("nirls.windows")

local M = {}

local OTHER_COUNTS = { "blocks", "inputs", "outputs", "registers" }

---The instructions before and after a pass, such as `12 -> 9`. They stand first in a line: the list is narrow.
local function instructions(pass)
  local before, after = server.value(pass.before), server.value(pass.after)
  if not after then
    return ""
  end
  if not before or before.instructions == after.instructions then
    return tostring(after.instructions)
  end
  return ("%d -> %d"):format(before.instructions, after.instructions)
end

---The other counts that changed, such as `blocks 3 -> 2`.
local function counts(pass)
  local before, after = server.value(pass.before), server.value(pass.after)
  if not before or not after then
    return ""
  end
  local changed = {}
  for _, name in ipairs(OTHER_COUNTS) do
    if before[name] ~= after[name] then
      changed[#changed + 1] = ("%s %d -> %d"):format(name, before[name], after[name])
    end
  end
  return table.concat(changed, ", ")
end

---Verdicts that are shown with their reason, and their highlights.
local HIGHLIGHTS = { different = "DiagnosticError", unchecked = "DiagnosticWarn" }

---The verdict on a pass and the number of findings in its snapshot.
local function marks(pass)
  local verdict, findings = server.value(pass.verdict), server.value(pass.findings)
  local text = ""
  if verdict then
    local reason = HIGHLIGHTS[verdict.verdict] and ": " .. verdict.reason or ""
    text = (" [%s%s]"):format(verdict.verdict, reason)
  end
  if findings then
    text = ("%s (%d findings)"):format(text, findings.count)
  end
  return text
end

---The timeline that is shown: its buffers, the rows by line, and the request that filled it.
local shown

local function row_at_cursor()
  return shown and shown.rows[vim.api.nvim_win_get_cursor(0)[1]]
end

---Fills the list; the cursor stays.
local function fill(shaders)
  local lines, highlights = {}, {}
  shown.rows = {}
  for _, shader in ipairs(shaders) do
    for _, pass in ipairs(shader.passes) do
      local text = ("%-12s %s: %s (%s) %s"):format(instructions(pass), shader.title, pass.name, pass.change, counts(pass))
      lines[#lines + 1] = text:gsub("%s+$", "") .. marks(pass)
      shown.rows[#lines] = pass
      local verdict = server.value(pass.verdict)
      highlights[#lines] = verdict and HIGHLIGHTS[verdict.verdict]
    end
  end
  windows.set_lines(shown.list, lines)
  for line, group in pairs(highlights) do
    vim.api.nvim_buf_set_extmark(shown.list, shown.marks, line - 1, 0, { line_hl_group = group })
  end
  return #lines
end

---Updates the list when the server has new verdicts on the passes of its log.
local function follow(_, changed)
  if not shown or changed.uri ~= shown.params.textDocument.uri or not vim.api.nvim_buf_is_valid(shown.list) then
    return
  end
  server.request(shown.client, "nirls/timeline", shown.params, function(answer)
    fill(answer.shaders)
  end)
end

---Shows what the pass at the cursor changed: both snapshots, from the first line of code that changed.
local function show_diff()
  local pass = row_at_cursor()
  if not pass or shown.diffed == pass.line then
    return
  end
  shown.diffed = pass.line
  local dump, previous = server.value(pass.dump), shown.base or server.value(pass.previous)
  if not dump or not previous then
    windows.set_sides(shown, { before = "", after = "", first = nil })
    return
  end
  local params = { textDocument = shown.params.textDocument, before = previous, after = dump }
  server.request(shown.client, "nirls/snapshotDiff", params, function(answer)
    answer = server.value(answer)
    if answer and shown and shown.diffed == pass.line then
      windows.set_sides(shown, { before = answer.before, after = answer.after, first = server.value(answer.first) })
    end
  end)
end

---Compares the other passes with the snapshot after the pass at the cursor; again: with the one before each.
local function toggle_base()
  local pass = row_at_cursor()
  shown.base = not shown.base and pass and server.value(pass.dump) or nil
  shown.diffed = nil
  vim.notify(shown.base and ("nirls: compared with the snapshot after %s"):format(pass.name) or "nirls: compared with the snapshot before")
  show_diff()
end

local function go_to_pass()
  local pass = row_at_cursor()
  if pass then
    windows.go_to(shown.bufnr, pass.line + 1)
  end
end

---Shows both snapshots with the values of the counterexample, where the pass at the cursor is wrong.
local function show_values()
  local pass = row_at_cursor()
  local verdict = pass and server.value(pass.verdict)
  if not verdict or verdict.verdict ~= "different" then
    vim.notify("nirls: no counterexample for this pass")
    return
  end
  -- The server has the text shown in the window at the cursor.
  vim.cmd("tab split")
  local command = { command = "nirls.showTransition", arguments = { shown.params.textDocument.uri, pass.dump, "values" } }
  server.request(shown.client, "workspace/executeCommand", command, function(path)
    if not server.value(path) then
      vim.cmd.tabclose()
    end
  end)
end

---Lists the passes of the buffer in a new tab, each with what it changed and the verdict on it. The windows beside
---the list show the difference of the pass at the cursor.
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
    if #answer.shaders == 0 then
      vim.notify("nirls: this buffer has no passes")
      return
    end
    shown = { client = client, bufnr = bufnr, params = params, marks = vim.api.nvim_create_namespace("nirls.timeline") }
    windows.open_timeline(shown)
    fill(answer.shaders)
    vim.api.nvim_create_autocmd("CursorMoved", { buffer = shown.list, callback = show_diff })
    vim.keymap.set("n", "<CR>", go_to_pass, { buffer = shown.list, desc = "Go to the pass in the log" })
    vim.keymap.set("n", "b", toggle_base, { buffer = shown.list, desc = "Compare from here" })
    vim.keymap.set("n", "v", show_values, { buffer = shown.list, desc = "Show the values of the counterexample" })
    vim.keymap.set("n", "q", "<Cmd>tabclose<CR>", { buffer = shown.list, desc = "Close the timeline" })
    show_diff()
  end)
end

return M
