# Builds the program from the sources around this file: `pkgs.callPackage ./package.nix { }`.
{
  lib,
  rustPlatform,
  installShellFiles,
}:

rustPlatform.buildRustPackage {
  pname = "ptx-analyzer";
  version = "@VERSION@";

  src = ../../..;
  cargoLock.lockFile = ../../../Cargo.lock;
  buildAndTestSubdir = "server";

  nativeBuildInputs = [ installShellFiles ];
  postInstall = ''
    installShellCompletion --cmd ptx-analyzer \
      --bash <($out/bin/ptx-analyzer completions bash) \
      --zsh <($out/bin/ptx-analyzer completions zsh) \
      --fish <($out/bin/ptx-analyzer completions fish)
  '';

  meta = {
    description = "Language server and checker for NVIDIA PTX";
    homepage = "@ADDRESS@";
    license = with lib.licenses; [
      mit
      asl20
    ];
    mainProgram = "ptx-analyzer";
  };
}
