-- Scratch buffers and the windows that show them.
local M = {}

---A scratch buffer with a text. The file type stays empty, so that no server attaches.
function M.scratch(text, name)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(bufnr, ("nirls://%d/%s"):format(bufnr, name))
  vim.bo[bufnr].bufhidden = "wipe"
  M.set_lines(bufnr, vim.split(text, "\n"))
  return bufnr
end

function M.set_lines(bufnr, lines)
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].modifiable = false
end

---Shows a buffer in the current window.
local function put(bufnr, is_diff)
  vim.api.nvim_win_set_buf(0, bufnr)
  if is_diff then
    vim.bo[bufnr].syntax = "nir"
    vim.cmd.diffthis()
  end
  return vim.api.nvim_get_current_win()
end

---Opens a tab with both texts as a diff.
function M.show_diff(before, after, title)
  vim.cmd.tabnew()
  local empty = vim.api.nvim_get_current_buf()
  put(M.scratch(before, "before " .. title), true)
  vim.cmd("rightbelow vsplit")
  put(M.scratch(after, "after " .. title), true)
  vim.api.nvim_buf_delete(empty, { force = true })
end

---Opens a tab with a list at the left, and two windows for a diff; sets `list`, `sides` and `views`.
function M.open_timeline(timeline)
  vim.cmd.tabnew()
  local empty = vim.api.nvim_get_current_buf()
  timeline.list = M.scratch("", "passes")
  timeline.sides = { before = M.scratch("", "before"), after = M.scratch("", "after") }
  local list = put(timeline.list)
  vim.wo.wrap, vim.wo.cursorline = false, true
  vim.cmd("rightbelow vsplit")
  timeline.views = { before = put(timeline.sides.before, true) }
  vim.cmd("rightbelow vsplit")
  timeline.views.after = put(timeline.sides.after, true)
  vim.api.nvim_buf_delete(empty, { force = true })
  vim.api.nvim_win_set_width(list, math.floor(vim.o.columns * 0.3))
  vim.api.nvim_set_current_win(list)
end

---Puts other texts into the diff of a timeline, with the cursor on the first lines that differ (from 0).
function M.set_sides(timeline, texts)
  for side, bufnr in pairs(timeline.sides) do
    M.set_lines(bufnr, vim.split(texts[side], "\n"))
  end
  for side, window in pairs(timeline.views) do
    if vim.api.nvim_win_is_valid(window) then
      local last = vim.api.nvim_buf_line_count(timeline.sides[side])
      local line = texts.first and math.min(texts.first[side] + 1, last) or 1
      vim.api.nvim_win_set_cursor(window, { line, 0 })
      vim.api.nvim_win_call(window, function()
        vim.cmd("diffupdate | normal! zv")
      end)
    end
  end
end

---Goes to a line of a buffer, from 1: in a window that shows it, else in a new tab.
function M.go_to(bufnr, line)
  local window = vim.fn.win_findbuf(bufnr)[1]
  if window then
    vim.api.nvim_set_current_win(window)
  else
    vim.cmd("tab sbuffer " .. bufnr)
  end
  vim.api.nvim_win_set_cursor(0, { line, 0 })
end

return M
