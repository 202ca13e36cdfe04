;;; nir-mode.el --- Major mode for dumps of NIR, Mesa's shader IR -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT
;; Package-Requires: ((emacs "29.1"))
;; Version: 0.1.0
;; Keywords: languages

;;; Commentary:

;; Highlighting for the dialects of NIR's printer, and the language server nirls through Eglot.

;;; Code:

(require 'eglot)
(require 'jsonrpc)

(defgroup nir nil
  "Dumps of NIR, Mesa's shader IR."
  :group 'languages)

(defcustom nir-server-command '("nirls" "serve")
  "The command that starts the language server."
  :type '(repeat string))

(defvar nir-mode-syntax-table
  (let ((table (make-syntax-table)))
    ;; // to the end of the line, and /* */.
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23" table)
    (modify-syntax-entry ?\n "> b" table)
    ;; %12, ssa_12 and @load_deref are one symbol each.
    (modify-syntax-entry ?% "_" table)
    (modify-syntax-entry ?@ "_" table)
    (modify-syntax-entry ?_ "_" table)
    ;; Variable names and header values may hold quotes.
    (modify-syntax-entry ?\" "." table)
    (modify-syntax-entry ?' "." table)
    table))

(defvar nir-font-lock-keywords
  `(("^\\(shader\\):[ ]+\\(MESA_SHADER_[A-Z_]+\\)" (1 font-lock-keyword-face) (2 font-lock-constant-face))
    ("^\\([a-z][a-z0-9_ -]*\\):\\(?: \\|$\\)" 1 font-lock-variable-name-face)
    ("^[ \t]*\\(error:.*\\)$" 1 font-lock-warning-face)
    ("^\\(nir_[a-z0-9_]+\\)$" 1 font-lock-preprocessor-face)
    ("^[ \t]*\\(decl_\\(?:var\\|reg\\|function\\)\\|impl\\|preamble\\)\\_>" 1 font-lock-keyword-face)
    ("^\\(?:decl_function\\|impl\\)[ ]+\\([^ \n]+\\)" 1 font-lock-function-name-face)
    ("^[ \t]*\\(?:con \\|div \\)?\\(block\\) \\(b[0-9]+\\|block_[0-9]+\\):"
     (1 font-lock-keyword-face) (2 font-lock-constant-face))
    ("^[ \t]*\\(?:} \\)?\\(if\\|else\\|loop\\|continue\\|break\\|return\\|halt\\|goto\\|call\\)\\_>"
     1 font-lock-keyword-face)
    ("\\_<\\(con\\|div\\)\\_>" 1 font-lock-builtin-face)
    ("= \\(phi\\|undefined\\|load_const\\|deref_[a-z_]+\\)\\_>" 1 font-lock-keyword-face)
    ("\\_<intrinsic \\([a-z][a-z0-9_]*\\)" 1 font-lock-function-name-face)
    ("@[a-z][a-z0-9_]*" 0 font-lock-function-name-face)
    ("= \\(?:([a-z]+[0-9]*)\\)?\\([a-z][a-z0-9_]*\\)" 1 font-lock-builtin-face)
    ("\\(%[0-9]+\\|\\_<ssa_[0-9]+\\)[ ]+=" 1 font-lock-variable-name-face)
    ("\\_<\\(?:[0-9]+\\(?:x[0-9]+\\)?\\|vec[0-9]+\\(?:[ ]+[0-9]+\\)?\\)[ ]+\\(?:con \\|div \\)?\\(?:%\\|ssa_\\)"
     0 font-lock-type-face)
    ("\\_<\\(?:VARYING_SLOT\\|VERT_ATTRIB\\|FRAG_RESULT\\|SYSTEM_VALUE\\|INTERP_MODE\\)_[A-Z0-9_]+"
     0 font-lock-constant-face))
  "Highlighting of the modern, classic and old dialects.")

;;;###autoload
(define-derived-mode nir-mode prog-mode "NIR"
  "Major mode for dumps of NIR, Mesa's shader IR."
  (setq-local font-lock-defaults '(nir-font-lock-keywords))
  (setq-local imenu-generic-expression
              '(("Shader" "^shader: \\(MESA_SHADER_[A-Z_]+\\)" 1)
                ("Variable" "^decl_var .* \\([^ \n]+\\) ([^()\n]*)" 1)))
  (setq-local comment-start "// ")
  (setq-local comment-end "")
  (setq-local comment-start-skip "\\(?://+\\|/\\*+\\)[ \t]*")
  ;; The printer's columns are not ours to change.
  (setq-local indent-line-function #'ignore)
  (setq-local electric-indent-inhibit t))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.nir\\'" . nir-mode))
;;;###autoload
(add-to-list 'magic-mode-alist '("\\`shader: MESA_SHADER_" . nir-mode))

(add-to-list 'eglot-server-programs `((nir-mode nir-ts-mode) . ,(lambda (&rest _) nir-server-command)))

(defun nir-run-passes ()
  "Run the passes of the language server on this buffer."
  (interactive)
  (let ((uri (plist-get (eglot--TextDocumentIdentifier) :uri)))
    (jsonrpc-request (eglot--current-server-or-lose) :workspace/executeCommand
                     `(:command "nirls.runPasses" :arguments ,(vector uri)))))

(defun nir-run ()
  "Run the shader at point and show the values of its definitions, or hide them."
  (interactive)
  (let ((action (seq-find (lambda (action) (not (string-search "linked stages" (plist-get action :title))))
                          (eglot-code-actions (point) (point) "source.run.nirls"))))
    (unless action
      (user-error "There is no shader at point"))
    (eglot-execute (eglot--current-server-or-lose) action)
    ;; Eglot asks for hints again when the text changes or scrolls, or when the mode is turned on.
    (eglot-inlay-hints-mode -1)
    (eglot-inlay-hints-mode 1)))

;;;###autoload
(autoload 'nir-timeline "nir-views" nil t)
;;;###autoload
(autoload 'nir-preview "nir-views" nil t)
;;;###autoload
(autoload 'nir-follow "nir-views" nil t)
;;;###autoload
(autoload 'nir-blame "nir-views" nil t)
;;;###autoload
(autoload 'nir-packing "nir-views" nil t)
;;;###autoload
(autoload 'nir-graph "nir-views" nil t)

(provide 'nir-mode)
;;; nir-mode.el ends here
