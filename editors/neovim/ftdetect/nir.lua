vim.filetype.add({
  extension = { nir = "nir" },
  -- A dump without the file ending: a text or a log that nothing else has claimed, with a dump near its start.
  pattern = {
    [".*"] = {
      function(_, bufnr)
        local lines = vim.api.nvim_buf_get_lines(bufnr, 0, 5000, false)
        for _, line in ipairs(lines) do
          if line:match("^shader: MESA_SHADER_[A-Z_]+%s*$") then
            return "nir"
          end
        end
      end,
      { priority = -math.huge },
    },
  },
})
