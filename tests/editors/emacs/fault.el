;;; fault.el --- The values of a counterexample, from the list of passes -*- lexical-binding: t; -*-
;; What is seen goes to $REPORT as JSON.

(require 'json)

(defun fault-wait-for (what condition)
  (let ((end (+ (float-time) 120)))
    (while (not (funcall condition))
      (when (> (float-time) end)
        (error "There was no %s" what))
      (accept-process-output nil 0.05)
      (sit-for 0.05))))

(defun fault-session ()
  "The file and the line that `v' shows on the wrong pass."
  (find-file (getenv "LOG"))
  (apply #'eglot (eglot--guess-contact))
  (fault-wait-for "server" #'eglot-managed-p)
  (nir-timeline)
  (fault-wait-for "verdict" (lambda ()
                              (goto-char (point-min))
                              (search-forward "different" nil t)))
  (nir-timeline-values)
  (list (cons 'file (file-name-nondirectory (buffer-file-name)))
        (cons 'line (buffer-substring (point) (line-end-position)))))

(let ((report (condition-case problem
                  (fault-session)
                (error (list (cons 'problem (error-message-string problem)))))))
  (with-temp-file (getenv "REPORT")
    (insert (json-encode report))))
;;; fault.el ends here
