#!/usr/bin/env node
// Starts the program of the package for this system.
"use strict";

const { spawn } = require("node:child_process");
const os = require("node:os");

/** The program, or nothing if its package was not installed. */
function program() {
  const named = process.env.PTX_ANALYZER_SERVER;
  if (named) return named;
  const file = process.platform === "win32" ? "ptx-analyzer.exe" : "ptx-analyzer";
  try {
    return require.resolve(`@ptx-analyzer/${process.platform}-${process.arch}/${file}`);
  } catch {
    return undefined;
  }
}

function fail(message) {
  console.error(`error: ${message}`);
  process.exit(2);
}

const path = program();
if (!path) {
  fail(
    `there is no ptx-analyzer for ${process.platform} on ${process.arch}, or it was installed without its optional dependencies`,
  );
}
const child = spawn(path, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => fail(`${path}: ${error.message}`));
// Whoever ends this process means the program.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("exit", (status, signal) => {
  process.exit(signal ? 128 + os.constants.signals[signal] : status);
});
