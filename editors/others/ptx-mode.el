;;; ptx-mode.el --- Major mode for NVIDIA PTX -*- lexical-binding: t; -*-

;; Author: The ptx-analyzer authors
;; Version: 0.1.0
;; Package-Requires: ((emacs "26.1"))
;; Keywords: languages
;; URL: https://github.com/ptx-analyzer/ptx-analyzer
;; SPDX-License-Identifier: MIT OR Apache-2.0

;;; Commentary:

;; Colours, indentation and an index of functions for PTX, and what Eglot and
;; lsp-mode need to know to start the language server `ptx-analyzer':
;;
;;   (require 'ptx-mode)
;;   (add-hook 'ptx-mode-hook #'eglot-ensure)   ; or #'lsp-deferred
;;
;; The colours go by the shape of words; the server knows the instruction set.

;;; Code:

(require 'prog-mode)

(defgroup ptx nil
  "NVIDIA PTX."
  :group 'languages)

(defcustom ptx-indent-offset 4
  "Columns of one level of indentation."
  :type 'natnum
  :safe #'natnump)

(defcustom ptx-server-command '("ptx-analyzer" "lsp" "--stdio")
  "The language server and its arguments."
  :type '(repeat string))

(defvar ptx-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 124" table)
    (modify-syntax-entry ?* ". 23b" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    ;; They belong to names: `%r1' and `$L_1' are one symbol.
    (modify-syntax-entry ?% "_" table)
    (modify-syntax-entry ?$ "_" table)
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?. "." table)
    (modify-syntax-entry ?@ "." table)
    table)
  "Syntax table of `ptx-mode'.")

(defconst ptx--label "^[ \t]*\\([%$_[:alpha:]][%$_[:alnum:]]*\\)[ \t]*:\\(?:[^:]\\|$\\)"
  "A label at the beginning of a line.")

(defvar ptx-font-lock-keywords
  `((,ptx--label 1 font-lock-constant-face)
    ("@!?\\([%$_[:alpha:]][%$_[:alnum:]]*\\)" 1 font-lock-warning-face)
    ("\\.\\(?:entry\\|func\\)\\_>" . font-lock-keyword-face)
    ("\\.\\(?:entry\\|func\\)\\_>[^(;{]*?\\(?:([^)]*)[ \t\n]*\\)?\\([%$_[:alpha:]][%$_[:alnum:]]*\\)"
     1 font-lock-function-name-face)
    ("\\.\\(?:pred\\|b?f16\\(?:x2\\)?\\|tf32\\|[busf][0-9]+\\(?:x[0-9]+\\)?\\|v[248]\\|texref\\|samplerref\\|surfref\\)\\_>"
     . font-lock-type-face)
    ("\\.\\(?:reg\\|sreg\\|const\\|global\\|local\\|param\\|shared\\|tex\\)\\(?:::[a-z]+\\)?\\_>"
     . font-lock-builtin-face)
    ("^[ \t]*\\(\\.[a-z_]+\\)\\_>" 1 font-lock-preprocessor-face)
    ;; An opcode is the first word of a statement, after labels and a guard.
    ("\\(?:^\\|[;{}:]\\)[ \t]*\\(?:@!?[%$_[:alnum:]]+[ \t]+\\)?\\([a-z][a-z0-9_]*\\)\\(?:[. \t;]\\|$\\)"
     1 font-lock-keyword-face)
    ("%\\(?:n?tid\\|n?ctaid\\|n?clusterid\\|cluster_n?cta\\(?:id\\|rank\\)\\|laneid\\|n?warpid\\|n?smid\\|gridid\\|clock\\(?:64\\|_hi\\)?\\|globaltimer\\(?:_lo\\|_hi\\)?\\|lanemask_[lg]?[eqt]+\\)\\_>\\(?:\\.[xyzw]\\_>\\)?"
     . font-lock-builtin-face)
    ("%[_$[:alpha:]][_$[:alnum:]]*" . font-lock-variable-name-face))
  "Colours of `ptx-mode', by the shape of words.")

(defvar ptx-imenu-generic-expression
  '((nil "^[ \t]*\\(?:\\.[a-z]+[ \t]+\\)*\\.\\(?:entry\\|func\\)\\_>[ \t]*\\(?:([^)]*)[ \t\n]*\\)?\\([%$_[:alpha:]][%$_[:alnum:]]*\\)" 1))
  "The functions of a file for Imenu.")

(defun ptx-indent-line ()
  "Indent the current line by the brackets around it; labels are one level out."
  (interactive)
  (let* ((offset (- (point) (save-excursion (back-to-indentation) (point))))
         (column
          (save-excursion
            (back-to-indentation)
            (let ((depth (car (syntax-ppss))))
              (when (or (looking-at-p "[])}]")
                        (save-excursion (beginning-of-line) (looking-at-p ptx--label)))
                (setq depth (1- depth)))
              (* ptx-indent-offset (max 0 depth))))))
    (indent-line-to column)
    (when (> offset 0) (forward-char offset))))

;;;###autoload
(define-derived-mode ptx-mode prog-mode "PTX"
  "Major mode for PTX, the assembly language of NVIDIA GPUs."
  (setq-local comment-start "// ")
  (setq-local comment-end "")
  (setq-local comment-start-skip "\\(?://+\\|/\\*+\\)[ \t]*")
  (setq-local font-lock-defaults '(ptx-font-lock-keywords))
  (setq-local imenu-generic-expression ptx-imenu-generic-expression)
  (setq-local indent-line-function #'ptx-indent-line)
  (setq-local indent-tabs-mode nil)
  ;; What the clients tell the server's formatter of the indentation.
  (setq-local tab-width ptx-indent-offset))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.ptx\\'" . ptx-mode))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs (cons 'ptx-mode ptx-server-command)))

(defvar lsp-language-id-configuration)
(declare-function lsp-register-client "ext:lsp-mode")
(declare-function make-lsp-client "ext:lsp-mode")
(declare-function lsp-stdio-connection "ext:lsp-mode")
(declare-function lsp-activate-on "ext:lsp-mode")
(with-eval-after-load 'lsp-mode
  (add-to-list 'lsp-language-id-configuration '(ptx-mode . "ptx"))
  (lsp-register-client
   (make-lsp-client :new-connection (lsp-stdio-connection (lambda () ptx-server-command))
                    :activation-fn (lsp-activate-on "ptx")
                    :server-id 'ptx-analyzer)))

(provide 'ptx-mode)
;;; ptx-mode.el ends here
