/** The commands of this page that code lenses may have. */

/** Runs an entry: the URI and the name of the entry. */
export const RUN = 'ptx-analyzer.run';
/** Writes a `// run:` comment: the URI and the edit. */
export const ADD_RUN = 'ptx-analyzer.addRun';
export const COMMANDS = [RUN, ADD_RUN];
