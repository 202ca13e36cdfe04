" Dumps of NIR, the shader IR of Mesa, in the dialects of its printer from 2015 on.

if exists('b:current_syntax')
  finish
endif

syntax case match

" Header: `name: value`, at the start of a line.
syntax match nirHeaderValue /.*$/ contained
syntax match nirHeaderKey /^[a-z][a-z0-9_ -]*:/ nextgroup=nirHeaderValue
syntax match nirStage /\<MESA_SHADER_[A-Z_]\+\>/ containedin=nirHeaderValue contained

" Declarations.
syntax match nirDeclaration /^\s*\%(decl_var\|decl_reg\|decl_function\|impl\|preamble\|struct\)\>/
syntax keyword nirMode shader_in shader_out shader_temp function_temp uniform ubo ssbo shared system
syntax keyword nirQualifier restrict readonly writeonly coherent volatile centroid sample patch invariant bindless compact
syntax match nirLocation /\<\%(VARYING_SLOT\|VERT_ATTRIB\|FRAG_RESULT\|SYSTEM_VALUE\|INTERP_MODE\|GL_ACCESS\)_[A-Z0-9_]\+\>/

" Control flow.
syntax match nirBlock /\<block\s\+\%(b\|block_\)\d\+:/
syntax match nirBlockRef /\<\%(b\|block_\)\d\+\>/
syntax keyword nirConditional if else
syntax keyword nirRepeat loop
syntax keyword nirJump break continue return halt discard goto goto_if

" Values and instructions.
syntax match nirValue /%\d\+\|\<ssa_\d\+\>/
syntax match nirRegister /\<r\d\+\>/
syntax match nirBitSize /^\s*\%(con\s\|div\s\)\?\s*\d\+\%(x\d\+\)\?\ze\s/
syntax match nirBitSize /^\s*vec\d\+\s\+\d\+\ze\s/
syntax keyword nirDivergence con div
syntax match nirIntrinsic /@[a-z][a-z0-9_]*/
syntax match nirIntrinsic /\%(\<intrinsic\s\+\)\@<=[a-z][a-z0-9_]*/
syntax match nirOpcode /\%(=\s\+\)\@<=\%(([a-z0-9]\+)\)\?[a-z][a-z0-9_]*!\?\ze\%(\.sat\)\?\%(\s\|$\)/
syntax match nirConstantOpcode /\<\%(load_const\|undefined\|undef\|phi\)\>/
syntax match nirIndexName /\<[a-z_]\+\ze=/
syntax match nirSwizzle /\.[xyzwefghijklmnop]\+\>/

" Literals and comments.
syntax match nirNumber /\<0x\x\+\>\|-\?\<\d\+\.\d\+\%([eE][-+]\?\d\+\)\?\>/
syntax region nirComment start=+//+ end=+$+ keepend
syntax region nirComment start=+/\*+ end=+\*/+
syntax match nirError /^\s*error:.*$/

highlight default link nirHeaderKey Identifier
highlight default link nirHeaderValue String
highlight default link nirStage Type
highlight default link nirDeclaration Keyword
highlight default link nirMode StorageClass
highlight default link nirQualifier StorageClass
highlight default link nirLocation Constant
highlight default link nirBlock Label
highlight default link nirBlockRef Label
highlight default link nirConditional Conditional
highlight default link nirRepeat Repeat
highlight default link nirJump Statement
highlight default link nirValue Identifier
highlight default link nirRegister Identifier
highlight default link nirBitSize Type
highlight default link nirDivergence StorageClass
highlight default link nirIntrinsic Function
highlight default link nirOpcode Operator
highlight default link nirConstantOpcode Keyword
highlight default link nirIndexName PreProc
highlight default link nirSwizzle Special
highlight default link nirNumber Number
highlight default link nirComment Comment
highlight default link nirError Error

" Logs are long, and no item spans lines.
syntax sync minlines=1

let b:current_syntax = 'nir'
