/**
 * Finds the server program and makes sure that it runs. Knows nothing of VS Code.
 *
 * The order is: the setting, the program inside the extension, the search path. A path that the user has set is the only one
 * tried: falling back silently would hide the mistake.
 */

import { execFile, type ExecFileException } from 'node:child_process';
import { access, chmod, constants, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { isProblem, type Problem } from '../machine';
import { fits, kindOfFile, platformName } from './binary';

/** Where a program was found. */
export type Source = 'setting' | 'bundled' | 'path';

/** A server that has answered `--version`. */
export interface Server {
  path: string;
  source: Source;
  /** The version as the program says it, such as `0.1.0`. */
  version: string;
  /** Things worth a line in the log, such as a bundled program that was passed over. */
  notes: string[];
}

/** What {@link locateServer} depends on, so that a test can say it. */
export interface Surroundings {
  /** The value of the setting `ptx-analyzer.server.path`. */
  configured: string | undefined;
  extensionPath: string;
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  arch: string;
}

const PROGRAM = 'ptx-analyzer';
/** A healthy program answers in a few milliseconds; a cold disk or a virus scanner may take seconds. */
const VERSION_TIMEOUT_MS = 15_000;

/** Finds a server that runs here, or says in plain words why there is none. */
export async function locateServer(around: Surroundings): Promise<Server | Problem> {
  const configured = around.configured?.trim();
  if (configured) {
    const path = expandHome(configured);
    if (!isAbsolute(path) && !/[\\/]/.test(path)) {
      const found = await findOnPath(path, around);
      if (found === undefined) {
        return problem(
          'setting',
          `The setting ptx-analyzer.server.path names “${path}”, but there is no such program on the PATH.`,
        );
      }
      return probe(found, 'setting', around, []);
    }
    return probe(resolve(homedir(), path), 'setting', around, []);
  }

  const bundled = join(around.extensionPath, 'server', executableName(around.platform));
  const onPath = await findOnPath(PROGRAM, around);
  if (await isFile(bundled)) {
    const first = await probe(bundled, 'bundled', around, []);
    if (!isProblem(first) || onPath === undefined) return first;
    const second = await probe(onPath, 'path', around, [
      `The server inside the extension was passed over. ${first.message} ${first.detail}`,
    ]);
    return isProblem(second) ? first : second;
  }
  if (onPath !== undefined) return probe(onPath, 'path', around, []);
  return problem(
    'missing',
    `No ptx-analyzer server was found: this package of the extension has none for ${platformName(around.platform, around.arch)}, and there is no “${PROGRAM}” on the PATH. Install the server, or set ptx-analyzer.server.path.`,
    `PATH=${around.env.PATH ?? ''}`,
  );
}

async function probe(path: string, source: Source, around: Surroundings, notes: string[]): Promise<Server | Problem> {
  const whose = {
    setting: 'The server set in ptx-analyzer.server.path',
    bundled: 'The server inside the extension',
    path: 'The server on the PATH',
  }[source];
  try {
    if (!(await stat(path)).isFile()) return problem(source, `${whose} (${path}) is not a file.`);
  } catch (error) {
    return problem(source, `${whose} does not exist: ${path}`, String(error));
  }
  const kind = await kindOfFile(path);
  if (kind !== undefined && !fits(kind, around.platform, around.arch)) {
    const remedy =
      source === 'bundled'
        ? ' Install the package of the extension for this platform, or install the server and set ptx-analyzer.server.path.'
        : '';
    return problem(
      source,
      `${whose} is built for ${platformName(kind.platform, kind.arch)}, but this machine is ${platformName(around.platform, around.arch)}.${remedy}`,
      path,
    );
  }
  if (around.platform !== 'win32') {
    try {
      await access(path, constants.X_OK);
    } catch {
      // Some unpackers drop the permission; the file is the extension's own, so it may be put right.
      const repaired =
        source === 'bundled' &&
        (await chmod(path, 0o755).then(
          () => true,
          () => false,
        ));
      if (!repaired) return problem(source, `${whose} (${path}) is not executable. Run: chmod +x "${path}"`);
    }
  }
  const run = await runVersion(path, around.env);
  if (run.failure !== undefined) return problem(source, `${whose} (${path}) ${run.failure}`, run.detail);
  const version = /^ptx-analyzer\s+(\S+)/m.exec(run.output)?.[1];
  if (version === undefined) {
    return problem(
      source,
      `${whose} (${path}) is not ptx-analyzer: it does not say its name when run with --version.`,
      run.output.slice(0, 500),
    );
  }
  return { path, source, version, notes };
}

interface VersionRun {
  output: string;
  failure?: string;
  detail: string;
}

function runVersion(path: string, env: NodeJS.ProcessEnv): Promise<VersionRun> {
  return new Promise((done) => {
    const finish = (error: ExecFileException | null, stdout: string, stderr: string) => {
      const detail = [error?.message, stderr.trim()].filter(Boolean).join('\n').slice(0, 2000);
      done({ output: stdout, detail, ...(error ? { failure: reason(error) } : {}) });
    };
    try {
      execFile(path, ['--version'], { env, timeout: VERSION_TIMEOUT_MS, windowsHide: true }, finish);
    } catch (error) {
      finish(error instanceof Error ? error : new Error(String(error)), '', '');
    }
  });
}

function reason(error: ExecFileException): string {
  if (error.killed) return `did not answer --version within ${VERSION_TIMEOUT_MS / 1000} seconds.`;
  switch (error.code) {
    case 'ENOENT':
      // The file is there, so it is the loader named inside it that is missing.
      return 'cannot be started: it was built for another system library (glibc or musl) than this machine has.';
    case 'ENOEXEC':
    case 'EFTYPE':
    case 'UNKNOWN':
    case 126: // What the system will not execute is handed to a shell, which answers with these two.
    case 127:
      return 'is not a program that this machine can run.';
    case 'EACCES':
    case 'EPERM':
      return 'may not be run: the system denied it.';
    default:
      return typeof error.code === 'number'
        ? `does not run: --version ended with exit code ${error.code}.`
        : `does not run: ${error.code ?? error.signal ?? 'it ended unexpectedly'}.`;
  }
}

async function findOnPath(name: string, around: Surroundings): Promise<string | undefined> {
  const windows = around.platform === 'win32';
  const names = windows && !/\.(exe|cmd|bat)$/i.test(name) ? [`${name}.exe`] : [name];
  for (const folder of (around.env.PATH ?? around.env.Path ?? '').split(delimiter)) {
    if (!isAbsolute(folder)) continue; // A relative entry would mean a file of whatever folder is open.
    for (const candidate of names.map((n) => join(folder, n))) {
      if (
        (await isFile(candidate)) &&
        (await access(candidate, constants.X_OK).then(
          () => true,
          () => false,
        ))
      )
        return candidate;
    }
  }
  return undefined;
}

function executableName(platform: NodeJS.Platform): string {
  return platform === 'win32' ? `${PROGRAM}.exe` : PROGRAM;
}

function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') || path.startsWith('~\\') ? join(homedir(), path.slice(1)) : path;
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (s) => s.isFile(),
    () => false,
  );
}

function problem(kind: Problem['kind'], message: string, detail = ''): Problem {
  return { kind, message, detail };
}
