---Whether one of the first 5,000 lines starts a dump.
local function by_content(_, bufnr)
  for _, line in ipairs(vim.api.nvim_buf_get_lines(bufnr, 0, 5000, false)) do
    if line:match("^shader: MESA_SHADER_[A-Z_]+%s*$") then
      return "nir"
    end
  end
end

vim.filetype.add({
  extension = { nir = "nir" },
  pattern = {
    [".*%.log"] = by_content,
    [".*%.txt"] = by_content,
    -- Files without another file type.
    [".*"] = { by_content, { priority = -math.huge } },
  },
})
