;;; lsp-mode.el --- ptx-mode with lsp-mode and the real server -*- lexical-binding: t; -*-

;;; Code:

(load (expand-file-name "common.el" (file-name-directory load-file-name)) nil t)
(require 'lsp-mode)
(require 'lsp-diagnostics)
(require 'lsp-headerline)
(require 'lsp-modeline)
(require 'flymake)
;; Asks no questions: the folder is taken as the root.
(setq lsp-auto-guess-root t
      lsp-restart 'ignore
      lsp-enable-file-watchers nil
      lsp-session-file (make-temp-name (expand-file-name "lsp-session" temporary-file-directory)))

(test-eval-configuration "With lsp-mode:")
(find-file "broken.ptx")
(test-check (memq 'lsp-deferred ptx-mode-hook) "the hook is in place")
;; A buffer that is not displayed starts no server by itself.
(lsp)
(test-wait (format "lsp-mode is connected, Emacs %s" emacs-version)
           (lambda () (cl-some (lambda (it) (eq (lsp--workspace-status it) 'initialized)) (lsp-workspaces))))
(defun texts ()
  (mapcar (lambda (it) (gethash "message" it))
          (gethash (lsp--fix-path-casing buffer-file-name) (lsp-diagnostics t))))
(test-wait "the undeclared register is reported"
           (lambda () (cl-some (lambda (it) (string-match-p "%count" it)) (texts))))
(test-go-to "%r3, %r2")
(test-check (string-match-p "b32" (format "%S" (lsp-request "textDocument/hover" (lsp--text-document-position-params))))
            "hover tells the type of a register")
(lsp-find-definition)
(test-check (string-match-p "\\.reg \\.b32 %r<4>" (thing-at-point 'line t)) "the declaration is found")
(test-end)

;;; lsp-mode.el ends here
