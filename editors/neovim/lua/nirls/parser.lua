local M = {}

---The folder of this plugin.
local function plugin_folder()
  local file = vim.uv.fs_realpath(debug.getinfo(1, "S").source:sub(2))
  return vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(file)))
end

---Compiles the tree-sitter grammar of NIR into this plugin's `parser/nir.so`, with the C compiler `cc` or `$CC`.
---@param options? { grammar?: string } the folder of the grammar, if this plugin is not in a checkout of nirls
---@return string? problem the error message; nil on success
function M.build(options)
  local folder = plugin_folder()
  local grammar = options and options.grammar or vim.fs.normalize(folder .. "/../../ir/text/grammar")
  local source = grammar .. "/src"
  if not vim.uv.fs_stat(source .. "/parser.c") then
    return "no grammar in " .. grammar
  end
  vim.fn.mkdir(folder .. "/parser", "p")
  local command = { vim.env.CC or "cc", "-O2", "-shared", "-fPIC", "-I", source, "-o", folder .. "/parser/nir.so" }
  vim.list_extend(command, { source .. "/parser.c", source .. "/scanner.c" })
  local started, done = pcall(function()
    return vim.system(command, { text = true }):wait()
  end)
  if not started then
    return tostring(done)
  end
  if done.code ~= 0 then
    return done.stderr
  end
end

return M
