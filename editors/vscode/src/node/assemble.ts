/** How `ptxas` is called. Knows nothing of VS Code. */

/** What is to be assembled. */
export interface Assembly {
  file: string;
  /** Such as `sm_90a`; without one `ptxas` decides. */
  target: string | undefined;
  /** The program; empty: `ptxas` from the `PATH`. */
  program: string;
  /** Where the code is written; nowhere without it. */
  output?: string;
  args?: string[];
  /** The system, in Node's words. */
  platform: string;
}

/** The command line that assembles a file. */
export function assembleCommand(it: Assembly): { command: string; args: string[] } {
  const nowhere = it.platform === 'win32' ? 'NUL' : '/dev/null';
  const target = it.target === undefined ? [] : [`-arch=${it.target}`];
  return {
    command: it.program === '' ? 'ptxas' : it.program,
    args: [...target, '-v', ...(it.args ?? []), '-o', it.output ?? nowhere, it.file],
  };
}

/** The target in the `.target` directive of a module. */
export function targetOf(text: string): string | undefined {
  const code = text.replace(/\/\*[^]*?\*\/|\/\/.*$/gm, ' ');
  return /^\s*\.target\s+(sm_\d+[af]?)\b/m.exec(code)?.[1];
}
