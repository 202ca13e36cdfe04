-- The values of a counterexample, from the list of passes.
local report = {}

local function wait_for(what, condition)
  if not vim.wait(120000, condition, 50) then
    error("there was no " .. what)
  end
end

local function session()
  vim.cmd.edit(vim.env.LOG)
  wait_for("client", function()
    return #vim.lsp.get_clients({ bufnr = 0, name = "nirls" }) == 1
  end)
  vim.cmd.NirTimeline()
  local function wrong()
    return vim.fn.search("\\[different", "nw")
  end
  wait_for("verdict", function()
    return vim.fn.tabpagenr("$") == 2 and wrong() > 0
  end)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  vim.api.nvim_feedkeys("v", "x", false)
  report.tabs_without = vim.fn.tabpagenr("$")
  vim.api.nvim_win_set_cursor(0, { wrong(), 0 })
  vim.api.nvim_feedkeys("v", "x", false)
  wait_for("values", function()
    return vim.api.nvim_buf_get_name(0):find("values.txt", 1, true) ~= nil
  end)
  report.tabs = vim.fn.tabpagenr("$")
  report.line = vim.api.nvim_get_current_line()
end

local ok, problem = xpcall(session, debug.traceback)
if not ok then
  report.problem = problem
end
vim.fn.writefile({ vim.json.encode(report) }, vim.env.REPORT)
vim.cmd("qall!")
