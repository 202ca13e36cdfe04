-- The packing of varyings and graphs, as text or SVG.
local server = require("nirls.server")
local windows = require("nirls.windows")

local M = {}

---The kinds of graphs.
M.KINDS = { "cfg", "values", "dominators", "post-dominators", "varyings" }

local function show(text, name)
  vim.cmd("botright new")
  vim.api.nvim_win_set_buf(0, windows.scratch(text, name))
end

---Shows the packing of the varyings of the pipelines with the dump at the cursor.
function M.packing()
  local client = server.client()
  if not client then
    return
  end
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  server.request(client, "nirls/packing", params, function(answer)
    local texts = vim.tbl_map(function(pipeline)
      return pipeline.text
    end, answer.pipelines)
    if #texts == 0 then
      vim.notify("nirls: the dump at the cursor is not linked")
      return
    end
    show(table.concat(texts, "\n"), "packing")
  end)
end

---Shows a graph of the dump at the cursor.
---@param kind string one of `KINDS`
---@param as_svg boolean opens an SVG file with the program for such files, instead of DOT in a window
function M.graph(kind, as_svg)
  local client = server.client()
  if not client then
    return
  end
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  params.kind, params.svg = kind, as_svg
  server.request(client, "nirls/graph", params, function(answer)
    answer = server.value(answer)
    local problem = not answer and "there is no dump at the cursor, or no such graph" or server.value(answer.whyNot)
    if problem then
      vim.notify("nirls: " .. problem, vim.log.levels.WARN)
      return
    end
    local svg = server.value(answer.svg)
    if not as_svg or not svg then
      show(answer.dot, kind .. ".dot")
      return
    end
    local path = vim.fn.tempname() .. ".svg"
    vim.fn.writefile(vim.split(svg, "\n"), path)
    vim.notify("nirls: written: " .. path)
    if vim.ui.open then
      vim.ui.open(path)
    end
  end)
end

return M
