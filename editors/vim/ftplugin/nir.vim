if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal commentstring=//\ %s
" %12 and @load_deref are one word each.
setlocal iskeyword=@,48-57,_,%,@-@
let b:undo_ftplugin = 'setlocal commentstring< iskeyword<'
