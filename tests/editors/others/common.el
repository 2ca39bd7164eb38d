;;; common.el --- What the tests of Eglot and lsp-mode share -*- lexical-binding: t; -*-

;;; Code:

(require 'cl-lib)

(defvar test-passed 0 "How many checks have passed.")

(defun test-check (ok what)
  "Count WHAT as passed when OK, else end with a failure."
  (princ (format "%s %s\n" (if ok "ok    " "not ok") what))
  (unless ok
    (princ (format "%d passed, 1 failed\n" test-passed))
    (kill-emacs 1))
  (setq test-passed (1+ test-passed)))

(defun test-wait (what condition)
  "Check WHAT: that CONDITION holds within some seconds; return its value."
  (let ((end (+ (float-time) 60)) value)
    (while (and (not (setq value (funcall condition))) (< (float-time) end))
      (accept-process-output nil 0.05))
    (test-check value what)
    value))

(defun test-end ()
  "Report and leave."
  (princ (format "%d passed, 0 failed\n" test-passed))
  (kill-emacs 0))

(defun test-go-to (text)
  "Put point before the first TEXT of the buffer."
  (goto-char (point-min))
  (search-forward text)
  (goto-char (match-beginning 0)))

(defun test-eval-configuration (heading)
  "Evaluate the example of the README after the line HEADING."
  (with-temp-buffer
    (insert-file-contents (getenv "PTX_README"))
    (search-forward (concat "\n" heading "\n"))
    (search-forward "```elisp\n")
    (let ((start (point)))
      (search-forward "\n```\n")
      (eval-region start (match-beginning 0)))))

(defun test-mode ()
  "Check `ptx-mode' in the current buffer, without a server."
  (test-check (eq major-mode 'ptx-mode) "*.ptx opens in ptx-mode")
  (font-lock-ensure)
  (cl-flet ((face (text &optional offset)
              (test-go-to text)
              (get-text-property (+ (point) (or offset 0)) 'face)))
    (test-check (eq (face "// y =") 'font-lock-comment-delimiter-face) "a comment is coloured")
    (test-check (eq (face "mad.lo") 'font-lock-keyword-face) "an opcode is coloured")
    (test-check (eq (face ".u64 saxpy") 'font-lock-type-face) "a type is coloured")
    (test-check (eq (face "%rd1,") 'font-lock-variable-name-face) "a register is coloured")
    (test-check (eq (face "$L_done:") 'font-lock-constant-face) "a label is coloured")
    (test-check (eq (face "saxpy(") 'font-lock-function-name-face) "the name of a kernel is coloured"))
  (test-go-to "%rd1,")
  (test-check (equal (thing-at-point 'symbol t) "%rd1") "a register is one symbol")
  (let ((before (buffer-string)))
    (indent-region (point-min) (point-max))
    (test-check (equal (buffer-string) before) "indentation leaves a file in order as it is")
    (test-go-to "    mad.lo")
    (delete-char 4)
    (indent-for-tab-command)
    (test-check (equal (buffer-string) before) "TAB indents a statement")
    (set-buffer-modified-p nil))
  (test-check (equal (mapcar #'car (cl-remove-if #'listp (funcall imenu-create-index-function) :key #'cdr))
                     '("scale" "saxpy"))
              "Imenu lists the functions"))

;;; common.el ends here
