" Files ending in .nir, and other files that start with a dump.
autocmd BufNewFile,BufRead *.nir setfiletype nir
autocmd BufRead * if getline(1) =~# '^shader: MESA_SHADER_' | set filetype=nir | endif
