// Packs for npm: the package with the launcher, or one with the program for a system.
//
//   node server/npm/pack.mjs --out FOLDER
//   node server/npm/pack.mjs --out FOLDER --target linux-x64 --program FILE
//
// Prints the path of the package.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(here, "..", "..");
const { values } = parseArgs({
  options: { out: { type: "string" }, target: { type: "string" }, program: { type: "string" } },
});
if (!values.out || !values.target !== !values.program) {
  console.error("usage: pack.mjs --out FOLDER [--target TARGET --program FILE]");
  process.exit(2);
}
const main = JSON.parse(fs.readFileSync(path.join(here, "package.json"), "utf8"));
const stage = fs.mkdtempSync(path.join(os.tmpdir(), "ptx-analyzer-npm-"));
try {
  const put = (from, to = path.basename(from)) => fs.cpSync(from, path.join(stage, to), { recursive: true });
  let manifest = main;
  if (values.target) {
    const name = `@ptx-analyzer/${values.target}`;
    if (!(name in main.optionalDependencies)) throw new Error(`there is no target ${values.target}`);
    const [system, processor] = values.target.split("-");
    const program = system === "win32" ? "ptx-analyzer.exe" : "ptx-analyzer";
    const { version, license, homepage, repository, bugs } = main;
    // The programs for Linux are static and run with every C library.
    manifest = {
      name,
      version,
      description: `The program of ptx-analyzer for ${system} on ${processor}`,
      license,
      homepage,
      repository,
      bugs,
      files: [program, "LICENSE-*"],
      os: [system],
      cpu: [processor],
      preferUnplugged: true,
    };
    put(values.program, program);
    fs.chmodSync(path.join(stage, program), 0o755);
    fs.writeFileSync(
      path.join(stage, "README.md"),
      `# ${name}\n\nThe program of [ptx-analyzer](${homepage}) for ${system} on ${processor}; install \`ptx-analyzer\`.\n`,
    );
  } else {
    put(path.join(here, "bin"));
    put(path.join(here, "README.md"));
  }
  fs.writeFileSync(path.join(stage, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  put(path.join(root, "LICENSE-MIT"));
  put(path.join(root, "LICENSE-APACHE"));
  fs.mkdirSync(values.out, { recursive: true });
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const output = execFileSync(npm, ["pack", "--silent", "--pack-destination", path.resolve(values.out), stage], {
    encoding: "utf8",
    // npm is a script of the shell on Windows.
    shell: process.platform === "win32",
  });
  console.log(path.join(path.resolve(values.out), output.trim().split("\n").at(-1)));
} finally {
  fs.rmSync(stage, { recursive: true });
}
