;;; eglot.el --- ptx-mode with Eglot and the real server -*- lexical-binding: t; -*-

;;; Code:

(load (expand-file-name "common.el" (file-name-directory load-file-name)) nil t)
(require 'eglot)
(require 'flymake)
(setq eglot-sync-connect 30
      eglot-connect-timeout 60)

(find-file "saxpy.ptx")
(test-check (eq major-mode 'fundamental-mode) "without ptx-mode a file has no mode")
(kill-buffer)
(test-eval-configuration "With Eglot, which is a part of Emacs 29 and newer:")
(find-file "saxpy.ptx")
(test-mode)
;; The hook waits for a command of the user, of which there are none here.
(run-hooks 'post-command-hook)
(test-wait (format "Eglot is connected, Emacs %s" emacs-version) #'eglot-current-server)

(find-file "broken.ptx")
(run-hooks 'post-command-hook)
(test-wait "the server manages the second file" #'eglot-managed-p)
(flymake-mode 1)
(flymake-start)
(defun texts () (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))
(defun has-text (pattern) (cl-some (lambda (it) (string-match-p pattern it)) (texts)))
(test-wait "the undeclared register is reported" (lambda () (has-text "%count")))
(test-check (has-text ";") "the missing semicolon is reported")

(test-go-to "%count")
(delete-char 6)
(insert "%r1")
(eglot--signal-textDocument/didChange)
(test-wait "an edit takes the error away" (lambda () (and (texts) (not (has-text "%count")))))
(set-buffer-modified-p nil)

(find-file "saxpy.ptx")
(test-go-to "%index, 4")
(let* ((hover (jsonrpc-request (eglot-current-server) :textDocument/hover
                               (eglot--TextDocumentPositionParams)))
       (contents (plist-get hover :contents))
       (text (if (stringp contents) contents (plist-get contents :value))))
  (test-check (string-match-p "\\.u32" text) "hover tells the type of a register"))
(xref-find-definitions (xref-backend-identifier-at-point 'eglot))
(test-check (string-match-p "\\.reg \\.u32 %index" (thing-at-point 'line t)) "M-. goes to the declaration")
(test-go-to "%index, 4")
(test-check (= (length (xref-backend-references 'eglot (xref-backend-identifier-at-point 'eglot))) 4)
            "M-? finds the uses")
(test-go-to "%index, 4")
(eglot-rename "%element")
(test-check (save-excursion (goto-char (point-min)) (= (how-many "%element\\_>") 4)) "a rename changes every use")
(test-check (save-excursion (goto-char (point-min)) (= (how-many "%index\\_>") 0)) "and leaves none")

(test-go-to "mad.lo")
(let ((candidates (nth 2 (progn (forward-char 3) (eglot-completion-at-point)))))
  (test-check (cl-some (lambda (it) (string-prefix-p "mad" it)) (all-completions "" candidates))
              "completion offers opcodes"))
(test-go-to "    mad.lo")
(insert "        ")
(eglot--signal-textDocument/didChange)
(eglot-format-buffer)
(test-check (progn (test-go-to "mad.lo") (= (current-column) 4)) "formatting lays the file out")
(set-buffer-modified-p nil)
(eglot-shutdown (eglot-current-server))
(test-end)

;;; eglot.el ends here
