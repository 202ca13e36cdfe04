-- Faint marks on the related places of findings.
local M = {}

local NAMESPACE = vim.api.nvim_create_namespace("nirls.related")

---The places in a buffer that findings of any buffer refer to.
local function places_in(bufnr)
  local uri, places = vim.uri_from_bufnr(bufnr), {}
  for _, diagnostic in ipairs(vim.diagnostic.get(nil)) do
    local sent = diagnostic.source == "nirls" and vim.tbl_get(diagnostic, "user_data", "lsp")
    for _, related in ipairs(sent and sent.relatedInformation or {}) do
      if related.location.uri == uri then
        places[#places + 1] = related.location.range
      end
    end
  end
  return places
end

---Marks the related places of a buffer again.
function M.update(bufnr)
  vim.api.nvim_buf_clear_namespace(bufnr, NAMESPACE, 0, -1)
  for _, range in ipairs(places_in(bufnr)) do
    -- Columns count UTF-16 units; NIR is ASCII except for names and comments.
    pcall(vim.api.nvim_buf_set_extmark, bufnr, NAMESPACE, range.start.line, range.start.character, {
      end_row = range["end"].line,
      end_col = range["end"].character,
      hl_group = "NirRelated",
      priority = 150, -- that of diagnostics
      strict = false,
    })
  end
end

---Marks related places in all loaded NIR buffers whenever findings change.
function M.setup()
  vim.api.nvim_set_hl(0, "NirRelated", { default = true, underdotted = true })
  vim.api.nvim_create_autocmd({ "DiagnosticChanged", "BufWinEnter" }, {
    group = vim.api.nvim_create_augroup("nirls.related", {}),
    callback = function()
      for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
        if vim.api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].filetype == "nir" then
          M.update(bufnr)
        end
      end
    end,
  })
end

return M
