if vim.fn.has("nvim-0.11") == 1 then
  vim.lsp.enable("nirls")
else
  require("nirls").setup()
end

vim.api.nvim_create_user_command("NirRunPasses", function()
  require("nirls").run_passes()
end, { desc = "Run the nirls passes on this buffer" })
