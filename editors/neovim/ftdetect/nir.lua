vim.filetype.add({
  extension = { nir = "nir" },
  -- A dump without the file ending: a log may need `:set filetype=nir`.
  pattern = {
    [".*"] = {
      function(_, bufnr)
        local first = vim.api.nvim_buf_get_lines(bufnr, 0, 1, false)[1] or ""
        if first:match("^shader: MESA_SHADER_") then
          return "nir"
        end
      end,
      { priority = -math.huge },
    },
  },
})
