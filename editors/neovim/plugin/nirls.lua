if vim.fn.has("nvim-0.11") == 1 then
  vim.lsp.enable("nirls")
else
  require("nirls").setup()
end

require("nirls.marks").setup()

vim.api.nvim_create_user_command("NirRunPasses", function()
  require("nirls").run_passes()
end, { desc = "Run the nirls passes on this buffer" })

vim.api.nvim_create_user_command("NirRun", function()
  require("nirls").run_shader()
end, { desc = "Run the shader at the cursor and show its values, or hide them" })

vim.api.nvim_create_user_command("NirTimeline", function(command)
  require("nirls.timeline").show(command.bang)
end, { bang = true, desc = "Show the passes of a log and what each changed; with ! also those that changed nothing" })

vim.api.nvim_create_user_command("NirFollow", function(command)
  require("nirls.history").follow(command.fargs[1])
end, { nargs = "?", desc = "List what the passes did to a value, by default the one at the cursor" })

vim.api.nvim_create_user_command("NirBlame", function()
  require("nirls.history").blame()
end, { desc = "Show beside each line the pass that changed it last" })

vim.api.nvim_create_user_command("NirPacking", function()
  require("nirls.pictures").packing()
end, { desc = "Show the packing of the varyings of the dump at the cursor" })

vim.api.nvim_create_user_command("NirGraph", function(command)
  require("nirls.pictures").graph(command.fargs[1], command.bang)
end, {
  nargs = 1,
  bang = true,
  complete = function()
    return require("nirls.pictures").KINDS
  end,
  desc = "Show a graph of the dump at the cursor as DOT; with ! open it as SVG",
})

vim.api.nvim_create_user_command("NirPreview", function(command)
  require("nirls.preview").show(command.fargs)
end, {
  nargs = "*",
  complete = function(word)
    return require("nirls.preview").complete(word)
  end,
  desc = "Preview passes on the dump at the cursor",
})

vim.api.nvim_create_user_command("NirBuildParser", function()
  local problem = require("nirls.parser").build()
  if problem then
    vim.notify("nirls: the parser could not be built: " .. problem, vim.log.levels.ERROR)
  else
    vim.notify("nirls: the parser is built; open the file again")
  end
end, { desc = "Compile the tree-sitter grammar of NIR" })
