class PtxAnalyzer < Formula
  desc "Language server and checker for NVIDIA PTX"
  homepage "@ADDRESS@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@ADDRESS@/releases/download/v@VERSION@/ptx-analyzer-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256:ptx-analyzer-aarch64-apple-darwin.tar.gz@"
    end
    on_intel do
      url "@ADDRESS@/releases/download/v@VERSION@/ptx-analyzer-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256:ptx-analyzer-x86_64-apple-darwin.tar.gz@"
    end
  end

  on_linux do
    on_arm do
      url "@ADDRESS@/releases/download/v@VERSION@/ptx-analyzer-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:ptx-analyzer-aarch64-unknown-linux-musl.tar.gz@"
    end
    on_intel do
      url "@ADDRESS@/releases/download/v@VERSION@/ptx-analyzer-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:ptx-analyzer-x86_64-unknown-linux-musl.tar.gz@"
    end
  end

  def install
    bin.install "ptx-analyzer"
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completions/ptx-analyzer"
    zsh_completion.install "completions/_ptx-analyzer"
    fish_completion.install "completions/ptx-analyzer.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/ptx-analyzer --version")
    (testpath/"a.ptx").write("foo;\n")
    assert_match "syntax-error", shell_output("#{bin}/ptx-analyzer check a.ptx", 1)
  end
end
