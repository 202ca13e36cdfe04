-- What a person does with a shader in Neovim; what they see goes to $REPORT as JSON.
local path, report_path = vim.env.SHADER, vim.env.REPORT
local report = {}

local function wait_for(what, condition)
  if not vim.wait(120000, condition, 50) then
    error("there was no " .. what)
  end
end

local function diagnostics()
  return vim.diagnostic.get(0)
end

local function codes()
  local seen = {}
  for _, diagnostic in ipairs(diagnostics()) do
    seen[#seen + 1] = diagnostic.code
  end
  table.sort(seen)
  return seen
end

local function request(method, params)
  local answers = assert(vim.lsp.buf_request_sync(0, method, params, 60000))
  for _, answer in pairs(answers) do
    assert(not answer.err, vim.inspect(answer.err))
    return answer.result
  end
end

-- The passes of a log, and what one more would do.
local function look_at_a_log()
  vim.cmd.edit(vim.env.LOG)
  wait_for("client", function()
    return #vim.lsp.get_clients({ bufnr = 0, name = "nirls" }) == 1
  end)
  vim.cmd.NirTimeline()
  wait_for("tab with the list of passes", function()
    return vim.fn.tabpagenr("$") == 2 and #vim.api.nvim_tabpage_list_wins(0) == 3
  end)
  local list = vim.api.nvim_get_current_buf()
  wait_for("verdict", function()
    return vim.api.nvim_buf_get_lines(list, 1, 2, false)[1]:find("equivalent]", 1, true) ~= nil
  end)
  report.passes = vim.api.nvim_buf_get_lines(list, 0, -1, false)

  -- The windows beside the list show the difference of the pass at the cursor, from the first change of code.
  vim.api.nvim_win_set_cursor(0, { 2, 0 })
  vim.cmd.doautocmd("CursorMoved")
  local windows = vim.api.nvim_tabpage_list_wins(0)
  wait_for("diff", function()
    return vim.api.nvim_buf_line_count(vim.api.nvim_win_get_buf(windows[3])) > 1
  end)
  report.diffed = vim.tbl_map(function(window)
    assert(vim.wo[window].diff)
    local line = vim.api.nvim_win_get_cursor(window)[1]
    return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), line - 1, line, false)[1]
  end, { windows[2], windows[3] })
  vim.api.nvim_feedkeys(vim.keycode("<CR>"), "x", false)
  report.line_of_last = vim.fn.line(".")
  vim.cmd("tabonly | only")

  -- A value is followed, and each line has the pass that changed it last.
  vim.fn.search("mov")
  vim.cmd.NirFollow("%2")
  wait_for("history", function()
    return #vim.fn.getqflist() > 0
  end)
  report.followed = vim.tbl_map(function(entry)
    return entry.text
  end, vim.fn.getqflist())
  vim.cmd.cclose()
  vim.cmd.NirBlame()
  wait_for("blame", function()
    return vim.api.nvim_buf_get_name(0):find("blame", 1, true) ~= nil
  end)
  report.blamed = vim.tbl_filter(function(line)
    return line ~= ""
  end, vim.api.nvim_buf_get_lines(0, 0, -1, false))
  vim.cmd.close()

  vim.cmd.NirGraph("cfg")
  wait_for("graph", function()
    return vim.api.nvim_buf_get_name(0):find("cfg.dot", 1, true) ~= nil
  end)
  report.graph = vim.api.nvim_buf_get_lines(0, 0, 1, false)[1]
  vim.cmd.close()

  vim.fn.search("^impl main")
  vim.cmd.NirRun()
  local function values()
    return vim.tbl_filter(function(hint)
      return type(hint.inlay_hint.label) == "string" and vim.startswith(hint.inlay_hint.label, "= ")
    end, vim.lsp.inlay_hint.get({ bufnr = 0 }))
  end
  wait_for("values", function()
    return #values() > 0
  end)
  vim.cmd.NirRun()
  wait_for("no values", function()
    return #values() == 0
  end)

  report.completed = vim.fn.getcompletion("NirPreview opt_dc", "cmdline")
  vim.cmd.normal({ "G", bang = true })
  vim.fn.search("^shader:", "b")
  vim.cmd.NirPreview("opt_dce")
  wait_for("preview", function()
    return vim.fn.tabpagenr("$") == 2
  end)
  report.previewed = vim.tbl_map(function(window)
    assert(vim.wo[window].diff)
    return vim.api.nvim_buf_line_count(vim.api.nvim_win_get_buf(window))
  end, vim.api.nvim_tabpage_list_wins(0))
end

local function session()
  vim.cmd.edit(path)
  report.filetype = vim.bo.filetype
  wait_for("client", function()
    return #vim.lsp.get_clients({ bufnr = 0, name = "nirls" }) == 1
  end)
  wait_for("diagnostic", function()
    return #diagnostics() > 0
  end)
  report.codes = codes()

  local first = vim.iter(diagnostics()):find(function(diagnostic)
    return diagnostic.code == "dead-output"
  end)
  vim.api.nvim_win_set_cursor(0, { first.lnum + 1, first.col })
  local hover = request("textDocument/hover", vim.lsp.util.make_position_params(0, "utf-16"))
  report.hover = hover.contents.value

  local captures = {}
  for _, capture in ipairs(vim.treesitter.get_captures_at_pos(0, 0, 0)) do
    captures[#captures + 1] = capture.capture
  end
  report.captures = captures
  vim.cmd.badd(vim.env.OTHER)
  local other = vim.fn.bufnr(vim.env.OTHER)
  vim.fn.bufload(other)
  local related = vim.api.nvim_get_namespaces()["nirls.related"]
  vim.cmd.sbuffer(other)
  report.marks = vim.tbl_map(function(mark)
    local line = vim.api.nvim_buf_get_lines(other, mark[2], mark[2] + 1, false)[1]
    return line:sub(mark[3] + 1, mark[4].end_col)
  end, vim.api.nvim_buf_get_extmarks(other, related, 0, -1, { details = true }))
  vim.cmd.close()
  vim.wo.foldenable = true
  report.folded_at_impl = vim.fn.foldlevel(vim.fn.search("^impl main"))

  local lines_before = vim.api.nvim_buf_line_count(0)
  -- Anywhere on the line, not only on the opcode.
  vim.api.nvim_win_set_cursor(0, { first.lnum + 1, 0 })
  vim.lsp.buf.code_action({
    filter = function(action)
      return action.title:find("^Remove the store") ~= nil
    end,
    apply = true,
  })
  wait_for("edit", function()
    return vim.api.nvim_buf_line_count(0) < lines_before
  end)
  report.lines_removed = lines_before - vim.api.nvim_buf_line_count(0)
  -- Findings of passes come with a save.
  vim.cmd.write()
  wait_for("change of the diagnostics", function()
    return #diagnostics() == #report.codes - 1
  end)
  report.codes_after = codes()

  vim.cmd.NirPacking()
  wait_for("packing", function()
    return vim.api.nvim_buf_get_name(0):find("packing", 1, true) ~= nil
  end)
  report.packing = vim.api.nvim_buf_get_lines(0, 0, 2, false)
  vim.cmd.close()

  look_at_a_log()
end

local ok, problem = xpcall(session, debug.traceback)
if not ok then
  report.problem = problem
end
vim.fn.writefile({ vim.json.encode(report) }, report_path)
vim.cmd("qall!")
