;;; session.el --- What a person does with a shader in Emacs -*- lexical-binding: t; -*-
;; What they see goes to $REPORT as JSON.

(require 'json)

(defvar session-report nil)

(defun session-note (key value)
  (push (cons key value) session-report))

(defun session-wait-for (what condition)
  (let ((end (+ (float-time) 120)))
    (while (not (funcall condition))
      (when (> (float-time) end)
        (error "There was no %s" what))
      (accept-process-output nil 0.05)
      ;; Eglot and Flymake work from timers, which an Emacs without a screen has to be given time for.
      (sit-for 0.05))))

(defun session-codes ()
  (sort (mapcar (lambda (diagnostic)
                  (format "%s" (alist-get 'code (session-data diagnostic))))
                (flymake-diagnostics))
        #'string<))

(defun session-data (diagnostic)
  "The LSP diagnostic behind a Flymake DIAGNOSTIC, as an alist."
  (let ((plist (alist-get 'eglot-lsp-diag (flymake-diagnostic-data diagnostic))))
    (list (cons 'code (plist-get plist :code)))))

(defun session-look-at-a-log ()
  "The passes of a log, and what one more would do."
  (find-file (getenv "LOG"))
  ;; Eglot does so after a command, of which there are none without a screen.
  (eglot--maybe-activate-editing-mode)
  (session-wait-for "server for the log" #'eglot-managed-p)
  (nir-timeline)
  (session-wait-for "verdict" (lambda () (save-excursion
                                           (goto-char (point-min))
                                           (search-forward "equivalent" nil t))))
  (session-note 'passes (vconcat (mapcar #'cadr tabulated-list-entries)))
  (goto-char (point-max))
  (forward-line -1)
  (let ((list (current-buffer)))
    (nir-timeline-diff)
    (with-current-buffer "*NIR pass*"
      (session-note 'pass_removed (vconcat (session-lines "^-[^-]")))
      (session-note 'pass_added (vconcat (session-lines "^\\+[^+]")))
      (session-note 'starts_at_code (if (looking-at "@@") t :json-false)))
    (set-buffer list)
    (nir-timeline-go))
  (session-note 'line_of_last (line-number-at-pos))

  (let ((log (current-buffer)))
    (nir-blame)
    (session-note 'blamed (session-rows))
    (set-buffer log)
    (goto-char (point-min))
    (search-forward "shader:")
    (nir-follow "%2")
    (session-note 'followed (session-rows))
    (nir-history-go)
    (session-note 'line_of_value (line-number-at-pos))
    (nir-graph "cfg")
    (session-note 'graph (buffer-substring (point-min) (line-end-position)))
    (set-buffer log))

  (goto-char (point-max))
  (search-backward "impl main")
  (nir-run)
  (let ((titles (lambda ()
                  (mapcar (lambda (action) (plist-get action :title))
                          (eglot-code-actions (point) (point) "source.run.nirls")))))
    (session-note 'when_run (vconcat (funcall titles)))
    (nir-run)
    (session-note 'when_hidden (vconcat (funcall titles))))
  (goto-char (point-max))
  (search-backward "shader:")
  (session-note 'known_passes (if (member "opt_dce" (nir-views--passes)) t :json-false))
  (nir-preview '("opt_dce"))
  (session-note 'removed (vconcat (session-lines "^-[^-]")))
  (session-note 'added (vconcat (session-lines "^\\+[^+]"))))

(defun session-rows ()
  "The columns of the rows of a list."
  (vconcat (mapcar #'cadr tabulated-list-entries)))

(defun session-lines (pattern)
  "The lines of the buffer that match PATTERN."
  (seq-filter (lambda (line) (string-match-p pattern line))
              (split-string (buffer-string) "\n")))

(defun session ()
  (find-file (getenv "SHADER"))
  (session-note 'mode (symbol-name major-mode))
  (font-lock-ensure)
  (session-note 'header_face (symbol-name (get-text-property (point-min) 'face)))
  (session-note 'index (mapcar #'car (cdr (imenu--make-index-alist t))))

  (apply #'eglot (eglot--guess-contact))
  (session-wait-for "server" #'eglot-current-server)
  (flymake-mode 1)
  (session-wait-for "diagnostic" #'flymake-diagnostics)
  (session-note 'codes (session-codes))

  (goto-char (flymake-diagnostic-beg
              (seq-find (lambda (diagnostic)
                          (equal (alist-get 'code (session-data diagnostic)) "dead-output"))
                        (flymake-diagnostics))))
  (let ((hover (jsonrpc-request (eglot-current-server) :textDocument/hover (eglot--TextDocumentPositionParams))))
    (session-note 'hover (plist-get (plist-get hover :contents) :value)))

  ;; Anywhere on the line, not only on the opcode.
  (goto-char (line-beginning-position))
  (let* ((lines (count-lines (point-min) (point-max)))
         (actions (eglot-code-actions (point) (1+ (point)) "quickfix"))
         (remove (seq-find (lambda (action) (string-prefix-p "Remove the store" (plist-get action :title))) actions)))
    (session-note 'titles (vconcat (mapcar (lambda (action) (plist-get action :title)) actions)))
    (let ((eglot-confirm-server-edits nil))
      (eglot-execute (eglot-current-server) remove))
    (session-note 'lines_removed (- lines (count-lines (point-min) (point-max)))))

  ;; Findings of passes come with a save.
  (save-buffer)
  (session-wait-for "change of the diagnostics"
                    (lambda () (= (length (flymake-diagnostics)) 2)))
  (session-note 'codes_after (session-codes))
  (nir-packing)
  (session-note 'packing (nth 1 (split-string (buffer-string) "\n")))
  (session-look-at-a-log))

(condition-case problem
    (session)
  (error (session-note 'problem (error-message-string problem))))
(with-temp-file (getenv "REPORT")
  (insert (json-encode session-report)))
;;; session.el ends here
