;;; nir-ts-mode.el --- Tree-sitter mode for dumps of NIR, Mesa's shader IR -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT
;; Package-Requires: ((emacs "29.1"))
;; Version: 0.1.0
;; Keywords: languages

;;; Commentary:

;; `nir-mode' with colours, folds by defun, and an index from the syntax tree.  M-x nir-ts-build-grammar compiles
;; the grammar once; then this mode takes the place of `nir-mode'.

;;; Code:

(require 'treesit)
(require 'nir-mode)

(defconst nir-ts--folder (file-name-directory (file-truename (or load-file-name buffer-file-name))))

(defcustom nir-ts-grammar-folder (expand-file-name "../../ir/text/grammar" nir-ts--folder)
  "The folder of the tree-sitter grammar of NIR, as in a checkout of nirls."
  :type 'directory
  :group 'nir)

(defun nir-ts-build-grammar ()
  "Compile the grammar of NIR to where Emacs looks for grammars.\nThe compiler is $CC, or else cc."
  (interactive)
  (let* ((source (expand-file-name "src" nir-ts-grammar-folder))
         (folder (locate-user-emacs-file "tree-sitter"))
         (library (expand-file-name (concat "libtree-sitter-nir" (car dynamic-library-suffixes)) folder)))
    (make-directory folder t)
    (with-temp-buffer
      (unless (eq 0 (call-process (or (getenv "CC") "cc") nil t nil "-O2" "-shared" "-fPIC" "-I" source "-o" library
                                  (expand-file-name "parser.c" source) (expand-file-name "scanner.c" source)))
        (error "The grammar of NIR could not be compiled: %s" (buffer-string))))
    (message "Compiled %s" library)))

(defvar nir-ts--font-lock-settings
  (treesit-font-lock-rules
   :language 'nir
   :feature 'comment
   '((comment) @font-lock-comment-face
     (control) @font-lock-comment-face
     (predecessors) @font-lock-comment-face
     (successors) @font-lock-comment-face)

   :language 'nir
   :feature 'definition
   '((function_impl name: (function_name) @font-lock-function-name-face)
     (function_declaration name: (function_name) @font-lock-function-name-face)
     (variable_declaration name: (variable_name) @font-lock-variable-name-face)
     (ssa_def name: (ssa_ref) @font-lock-variable-name-face)
     (block label: (block_label) @font-lock-constant-face))

   :language 'nir
   :feature 'keyword
   '((["decl_var" "decl_reg" "decl_function" "impl" "preamble" "struct" "block" "if" "else" "loop"
       "load_const" "undefined" "} else {" "} continue {"] @font-lock-keyword-face)
     (jump_kind) @font-lock-keyword-face
     (qualifier) @font-lock-keyword-face
     (variable_mode) @font-lock-keyword-face
     (interpolation_mode) @font-lock-keyword-face
     (divergence) @font-lock-builtin-face)

   :language 'nir
   :feature 'instruction
   '((opcode) @font-lock-builtin-face
     (intrinsic_name) @font-lock-function-call-face
     (call_instruction callee: (function_name) @font-lock-function-call-face))

   :language 'nir
   :feature 'type
   '((type_name) @font-lock-type-face
     (value_type) @font-lock-type-face
     (alu_type) @font-lock-type-face)

   :language 'nir
   :feature 'constant
   '((index_value) @font-lock-constant-face
     (location) @font-lock-constant-face
     (constant) @font-lock-number-face
     (inline_constant) @font-lock-number-face
     (number) @font-lock-number-face)

   :language 'nir
   :feature 'property
   '((header_key) @font-lock-property-name-face
     (header_value) @font-lock-string-face
     (swizzle) @font-lock-property-use-face)

   :language 'nir
   :feature 'variable
   '((ssa_ref) @font-lock-variable-use-face
     (variable_name) @font-lock-variable-use-face)

   :language 'nir
   :feature 'error
   :override t
   '((annotation) @font-lock-warning-face
     (unreadable_line) @font-lock-warning-face))
  "Font-lock rules for the syntax tree.")

(defun nir-ts--name (node)
  "The name of a shader, a function or a variable: NODE, or nil."
  (pcase (treesit-node-type node)
    ("dump" (treesit-node-text (treesit-search-subtree node "\\`header_value\\'") t))
    (_ (treesit-node-text (treesit-node-child-by-field-name node "name") t))))

;;;###autoload
(define-derived-mode nir-ts-mode nir-mode "NIR"
  "Major mode for dumps of NIR, Mesa's shader IR, with tree-sitter."
  (unless (treesit-ready-p 'nir)
    (error "The grammar of NIR is not installed; M-x nir-ts-build-grammar compiles it"))
  (treesit-parser-create 'nir)
  (setq-local font-lock-defaults nil)
  (setq-local treesit-font-lock-settings nir-ts--font-lock-settings)
  (setq-local treesit-font-lock-feature-list
              '((comment definition) (keyword instruction type) (constant property) (variable error)))
  (setq-local treesit-defun-type-regexp "\\`function_impl\\'")
  (setq-local treesit-defun-name-function #'nir-ts--name)
  (setq-local treesit-simple-imenu-settings
              '(("Shader" "\\`dump\\'" nil nir-ts--name)
                ("Variable" "\\`variable_declaration\\'" nil nir-ts--name)))
  (treesit-major-mode-setup))

(when (treesit-ready-p 'nir t)
  (add-to-list 'major-mode-remap-alist '(nir-mode . nir-ts-mode)))

(provide 'nir-ts-mode)
;;; nir-ts-mode.el ends here
