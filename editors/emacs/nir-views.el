;;; nir-views.el --- Passes of a log, and what passes would do -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT
;; Package-Requires: ((emacs "29.1"))

;;; Commentary:

;; `nir-timeline' lists the passes of a log with what each changed and whether it is right; `nir-preview' shows what passes would
;; make of the dump at point.  Both ask the language server nirls.

;;; Code:

(require 'cl-lib)
(require 'diff)
(require 'nir-mode)
(require 'subr-x)
(require 'tabulated-list)

(defconst nir-views--counts '(:instructions :blocks :inputs :outputs :registers))

(defun nir-views--ask (method params)
  "Request METHOD with PARAMS and return the result; null is nil."
  (jsonrpc-request (eglot--current-server-or-lose) method params :timeout 60))

(defvar-local nir-timeline--log nil
  "The buffer whose passes are listed.")

(defvar-local nir-timeline--params nil
  "The parameters of the request that filled this list.")

(define-derived-mode nir-timeline-mode tabulated-list-mode "NIR passes"
  "The passes of a log.
\\<nir-timeline-mode-map>\\[nir-timeline-go] leads to the one of a row, \\[nir-timeline-diff] shows what it changed,
\\[nir-timeline-compare] what changed since a marked one, \\[nir-timeline-values] the values of a counterexample."
  (setq tabulated-list-format [("Shader" 24 t) ("Pass" 36 t) ("Changed" 14 t) ("Verdict" 11 t) ("Counts" 0 nil)])
  (add-hook 'tabulated-list-revert-hook #'nir-timeline--refresh nil t)
  (tabulated-list-init-header))

(keymap-set nir-timeline-mode-map "RET" #'nir-timeline-go)
(keymap-set nir-timeline-mode-map "d" #'nir-timeline-diff)
(keymap-set nir-timeline-mode-map "n" #'nir-timeline-next)
(keymap-set nir-timeline-mode-map "p" #'nir-timeline-previous)
(keymap-set nir-timeline-mode-map "b" #'nir-timeline-compare)
(keymap-set nir-timeline-mode-map "v" #'nir-timeline-values)

(defvar-local nir-timeline--base nil
  "The dump that all passes are compared with; nil for the one before each.")

;;;###autoload
(defun nir-timeline (&optional all)
  "List the passes of this log with what each changed, and whether it is right.
With a prefix argument ALL also those that changed nothing."
  (interactive "P")
  (let* ((log (current-buffer))
         (params (list :textDocument (eglot--TextDocumentIdentifier) :hidden (if all t :json-false)))
         (listed (get-buffer-create (format "*passes of %s*" (buffer-name log)))))
    (with-current-buffer listed
      (nir-timeline-mode)
      (setq nir-timeline--log log
            nir-timeline--params params)
      (nir-timeline--refresh)
      (tabulated-list-print))
    (pop-to-buffer listed)))

(defun nir-timeline--refresh ()
  "Ask for the passes of this list again."
  (let* ((params nir-timeline--params)
         (answer (with-current-buffer nir-timeline--log (nir-views--ask :nirls/timeline params))))
    (setq tabulated-list-entries (seq-mapcat #'nir-timeline--entries (plist-get answer :shaders)))))

;; Eglot declares the generic function, and forgets methods that were there before.
(with-eval-after-load 'eglot
  (cl-defmethod eglot-handle-notification
    (_server (_method (eql nirls/timelineChanged)) &key uri &allow-other-keys)
    "Show the new verdicts on the passes of the log at URI, where they are listed."
    (dolist (buffer (buffer-list))
      (with-current-buffer buffer
        (when (and (derived-mode-p 'nir-timeline-mode)
                   (buffer-live-p nir-timeline--log)
                   (equal uri (plist-get (plist-get nir-timeline--params :textDocument) :uri)))
          (run-with-timer 0 nil #'nir-timeline--update buffer))))))

(defun nir-timeline--update (buffer)
  "Print the list of passes in BUFFER again, at the same row."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (nir-timeline--refresh)
      (tabulated-list-print t))))

(defun nir-timeline--entries (shader)
  "The rows for the passes of SHADER, identified by the passes."
  (seq-map (lambda (pass)
             (list (list :line (plist-get pass :line) :name (plist-get pass :name)
                         :dump (plist-get pass :dump) :previous (plist-get pass :previous)
                         :verdict (plist-get pass :verdict))
                   (vector (plist-get shader :title) (plist-get pass :name) (plist-get pass :change)
                           (nir-timeline--verdict (plist-get pass :verdict))
                           (nir-timeline--changes (plist-get pass :before) (plist-get pass :after)))))
           (plist-get shader :passes)))

(defun nir-timeline--verdict (verdict)
  "The word of VERDICT, nil if there is none yet, with its reason as help."
  (let ((word (or (plist-get verdict :verdict) "")))
    (propertize word
                'face (pcase word ("different" 'error) ("unchecked" 'warning) (_ 'default))
                'help-echo (plist-get verdict :reason))))

(defun nir-timeline--changes (before after)
  "The counts that differ between BEFORE and AFTER."
  (string-join
   (delq nil
         (mapcar (lambda (name)
                   (let ((old (plist-get before name)) (new (plist-get after name)))
                     (when (and old new (/= old new))
                       (format "%s %d -> %d" (substring (symbol-name name) 1) old new))))
                 nir-views--counts))
   ", "))

(defun nir-timeline-go ()
  "Go to the pass of this row in the log."
  (interactive nil nir-timeline-mode)
  (nir-views--go nir-timeline--log (plist-get (nir-timeline--pass) :line)))

(defun nir-timeline--pass ()
  "The pass of this row."
  (or (tabulated-list-get-id) (user-error "There is no pass here")))

(defun nir-views--go (buffer line)
  "Show LINE of BUFFER, counted from 0."
  (pop-to-buffer buffer)
  (goto-char (point-min))
  (forward-line line))

(defun nir-timeline-diff ()
  "Show what the pass of this row changed, in another window."
  (interactive nil nir-timeline-mode)
  (let* ((pass (nir-timeline--pass))
         (before (or nir-timeline--base (plist-get pass :previous)))
         (after (plist-get pass :dump))
         (uri (plist-get nir-timeline--params :textDocument)))
    (unless (and before after)
      (user-error "%s has no snapshot to compare" (plist-get pass :name)))
    (let ((texts (with-current-buffer nir-timeline--log
                   (nir-views--ask :nirls/snapshotDiff (list :textDocument uri :before before :after after)))))
      (unless texts
        (user-error "The log has changed; update the list with \\[revert-buffer]"))
      (display-buffer (nir-views--diff texts (plist-get pass :name) "*NIR pass*" (plist-get texts :first))))))

(defun nir-timeline-next (count)
  "Show what the pass COUNT rows below changed."
  (interactive "p" nir-timeline-mode)
  (forward-line count)
  (when (tabulated-list-get-id)
    (nir-timeline-diff)))

(defun nir-timeline-previous (count)
  "Show what the pass COUNT rows above changed."
  (interactive "p" nir-timeline-mode)
  (nir-timeline-next (- count)))

(defun nir-timeline-compare ()
  "Compare the other passes with the snapshot of this row.
Again: compare each with the one before."
  (interactive nil nir-timeline-mode)
  (setq nir-timeline--base (unless nir-timeline--base (plist-get (nir-timeline--pass) :dump)))
  (message (if nir-timeline--base "The other passes are compared with this snapshot"
             "Each pass is compared with the snapshot before it")))

(defun nir-timeline-values ()
  "Show both snapshots of a wrong pass, with the values of the counterexample."
  (interactive nil nir-timeline-mode)
  (let* ((pass (nir-timeline--pass))
         (uri (plist-get (plist-get nir-timeline--params :textDocument) :uri))
         (asked (list :command "nirls.showTransition"
                      :arguments (vector uri (plist-get pass :dump) "values"))))
    (unless (equal (plist-get (plist-get pass :verdict) :verdict) "different")
      (user-error "There is no counterexample for %s" (plist-get pass :name)))
    (find-file-other-window (or (with-current-buffer nir-timeline--log
                                  (nir-views--ask :workspace/executeCommand asked))
                                (user-error "There is nothing to show")))
    (goto-char (point-min))
    (when (re-search-forward "^>" nil t)
      (beginning-of-line))))

;;;###autoload
(defun nir-follow (value)
  "List what the passes did to VALUE of the dump at point, such as %12."
  (interactive (list (read-string "Value: " (thing-at-point 'symbol t))))
  (let* ((params `(,@(eglot--TextDocumentPositionParams) :value ,value))
         (found (or (nir-views--ask :nirls/valueHistory params)
                    (user-error "There is no %s in the dump at point" value))))
    (nir-views--list
     (format "*%s through the passes*" (plist-get found :value))
     (current-buffer)
     (seq-map (lambda (entry)
                (list (plist-get entry :line)
                      (format "%d %s" (plist-get entry :number) (plist-get entry :pass))
                      (plist-get entry :event)
                      (if (plist-get entry :replacement)
                          (format "%s (readers use %s)" (plist-get entry :text) (plist-get entry :replacement))
                        (plist-get entry :text))))
              (plist-get found :entries)))))

;;;###autoload
(defun nir-blame ()
  "List the instructions of the dump at point with the pass of each."
  (interactive)
  (let ((found (or (nir-views--ask :nirls/blame (eglot--TextDocumentPositionParams))
                   (user-error "There is no dump at point"))))
    (nir-views--list
     "*passes that changed each line*"
     (current-buffer)
     (seq-map (lambda (line)
                (list (plist-get line :line)
                      (format "%d %s" (plist-get line :number) (plist-get line :pass))
                      (plist-get line :event)
                      (plist-get line :text)))
              (plist-get found :lines)))))

(define-derived-mode nir-history-mode tabulated-list-mode "NIR history"
  "Instructions with the passes that changed them.
\\<nir-history-mode-map>\\[nir-history-go] leads to the line of a row."
  (setq tabulated-list-format [("Pass" 36 nil) ("Did" 11 nil) ("Instruction" 0 nil)])
  (tabulated-list-init-header))

(keymap-set nir-history-mode-map "RET" #'nir-history-go)

(defun nir-history-go ()
  "Go to the line of this row in the log."
  (interactive nil nir-history-mode)
  (nir-views--go nir-timeline--log (or (tabulated-list-get-id) (user-error "There is no line here"))))

(defun nir-views--list (name log rows)
  "Show ROWS in a buffer NAME: lists of a line of LOG and the columns."
  (with-current-buffer (get-buffer-create name)
    (nir-history-mode)
    (setq nir-timeline--log log
          tabulated-list-entries (seq-map (lambda (row) (list (car row) (vconcat (cdr row)))) rows))
    (tabulated-list-print))
  (pop-to-buffer name))

;;;###autoload
(defun nir-packing ()
  "Show the packing of the varyings of the dump at point."
  (interactive)
  (let ((found (nir-views--ask :nirls/packing (eglot--TextDocumentPositionParams))))
    (when (seq-empty-p (plist-get found :pipelines))
      (user-error "The dump at point is not linked"))
    (nir-views--show "*NIR packing*"
                     (mapconcat (lambda (pipeline) (plist-get pipeline :text)) (plist-get found :pipelines) "\n"))))

;;;###autoload
(defun nir-graph (kind)
  "Show the graph KIND of the dump at point, as a picture or as DOT."
  (interactive (list (completing-read "Graph: " '("cfg" "values" "dominators" "post-dominators" "varyings") nil t)))
  (let* ((has-pictures (and (display-graphic-p) (image-type-available-p 'svg)))
         (params `(,@(eglot--TextDocumentPositionParams) :kind ,kind :svg ,(if has-pictures t :json-false)))
         (found (or (nir-views--ask :nirls/graph params) (user-error "There is no dump at point"))))
    (when (plist-get found :whyNot)
      (user-error "%s" (plist-get found :whyNot)))
    (let ((svg (and has-pictures (plist-get found :svg))))
      (nir-views--show (format "*NIR %s*" kind) (or svg (plist-get found :dot)) (and svg #'image-mode)))))

(defun nir-views--show (name text &optional mode)
  "Show TEXT in a buffer NAME, in MODE if given."
  (with-current-buffer (get-buffer-create name)
    (let ((inhibit-read-only t))
      (fundamental-mode)
      (erase-buffer)
      (insert text)
      (goto-char (point-min))
      (if mode (funcall mode) (view-mode 1))))
  (pop-to-buffer name))

;;;###autoload
(defun nir-preview (passes)
  "Show what PASSES, a list of names, would make of the dump at point.
Without names: what linking its stages would bring."
  (interactive (list (completing-read-multiple "Passes (none for linking): " (nir-views--passes))))
  (let* ((params `(,@(eglot--TextDocumentPositionParams) ,@(and passes (list :passes (vconcat passes)))))
         (answer (or (nir-views--ask :nirls/preview params)
                     (user-error "There is no dump at point, or no such pass")))
         (title (plist-get answer :title)))
    (pcase (plist-get answer :verdict)
      ("refused" (message "%s: the result does something else than before; it is not shown" title))
      ("unchanged" (message "%s: there is nothing to do" title))
      (verdict
       (seq-doseq (dump (plist-get answer :dumps))
         (when (eq (plist-get dump :changed) t)
           (nir-preview--show dump title)))
       (message "%s: %s" title verdict)))))

(defun nir-views--passes ()
  "The names of all passes."
  (seq-map (lambda (pass) (plist-get pass :name))
           (plist-get (nir-views--ask :nirls/passes (make-hash-table)) :passes)))

(defun nir-preview--show (dump title)
  "Show DUMP of the preview TITLE as a diff."
  (pop-to-buffer (nir-views--diff dump title (generate-new-buffer-name (format "*%s: %s*" title (plist-get dump :stage))))))

(defun nir-views--diff (sides title name &optional first)
  "A buffer NAME with the diff of :before and :after of SIDES, called TITLE.
Point is at the hunk with the line :before of FIRST, counted from 0."
  (let ((texts (mapcar (lambda (side)
                         (let ((buffer (generate-new-buffer (format " *%s: %s*" title (substring (symbol-name side) 1)))))
                           (with-current-buffer buffer
                             (insert (plist-get sides side)))
                           buffer))
                       '(:before :after)))
        (shown (get-buffer-create name)))
    (unwind-protect
        (diff-no-select (car texts) (cadr texts) nil 'no-async shown)
      (mapc #'kill-buffer texts))
    (with-current-buffer shown
      (goto-char (point-min))
      (when first
        (nir-views--find-hunk (1+ (plist-get first :before)))))
    shown))

(defun nir-views--find-hunk (line)
  "Go to the last hunk that starts at LINE of the first text or above."
  (let ((place (point)))
    (while (and (re-search-forward "^@@ -\\([0-9]+\\)" nil t)
                (<= (string-to-number (match-string 1)) line))
      (setq place (line-beginning-position)))
    (goto-char place)))

(provide 'nir-views)
;;; nir-views.el ends here
