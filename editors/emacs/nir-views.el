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
\\<nir-timeline-mode-map>\\[nir-timeline-go] leads to the one of a row."
  (setq tabulated-list-format [("Shader" 24 t) ("Pass" 36 t) ("Changed" 14 t) ("Verdict" 11 t) ("Counts" 0 nil)])
  (add-hook 'tabulated-list-revert-hook #'nir-timeline--refresh nil t)
  (tabulated-list-init-header))

(keymap-set nir-timeline-mode-map "RET" #'nir-timeline-go)

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
  "The rows for the passes of SHADER, identified by their line, counted from 0."
  (seq-map (lambda (pass)
             (list (plist-get pass :line)
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
  (let ((line (or (tabulated-list-get-id) (user-error "There is no pass here"))))
    (pop-to-buffer nir-timeline--log)
    (goto-char (point-min))
    (forward-line line)))

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
  (let ((texts (mapcar (lambda (side)
                         (let ((buffer (generate-new-buffer (format " *%s: %s*" title (substring (symbol-name side) 1)))))
                           (with-current-buffer buffer
                             (insert (plist-get dump side)))
                           buffer))
                       '(:before :after)))
        (shown (generate-new-buffer (format "*%s: %s*" title (plist-get dump :stage)))))
    (unwind-protect
        (diff-no-select (car texts) (cadr texts) nil 'no-async shown)
      (mapc #'kill-buffer texts))
    (pop-to-buffer shown)))

(provide 'nir-views)
;;; nir-views.el ends here
