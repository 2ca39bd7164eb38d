// A long text, its link, and typing in it.
import { deflateRawSync } from 'node:zlib';

/** The fragment that *Share* makes of a text. */
export const shared = (text) => `#code=${deflateRawSync(JSON.stringify({ text })).toString('base64url')}`;

/** A module of about 100 KB with a mistake in each of its many functions. */
export function large() {
  let text = '.version 8.0\n.target sm_80\n.address_size 64\n';
  for (let index = 0; text.length < 100_000; index += 1) {
    text += `.visible .entry kernel${index}(.param .u64 p)\n{\n  .reg .b32 %r<9>;\n  .reg .b64 %rd<3>;\n`;
    text += '  ld.param.u64 %rd1, [p];\n  mov.u32 %r1, 0;\n';
    for (let step = 0; step < 15; step += 1) {
      text += `  ld.global.u32 %r${2 + (step % 7)}, [%rd1 + ${4 * step}];\n  add.u32 %r1, %r1, %r${2 + (step % 7)};\n`;
    }
    text += `  add.u32 %r1, %r1, %missing${index};\n  st.global.u32 [%rd1], %r1;\n  ret;\n}\n`;
  }
  return text;
}

/**
 * Types in the middle of the text, in the page: the milliseconds from each key until the diagnostics of that version are
 * shown, the least first.
 */
export async function keys(count) {
  const { view, nextProblems } = globalThis.playground;
  const times = [];
  const at = view.state.doc.line(1500).to;
  for (let step = 0; step < count; step += 1) {
    await new Promise((resolve) => setTimeout(resolve, 60));
    const start = performance.now();
    const told = nextProblems();
    view.dispatch({ changes: { from: at + step, insert: ' ' }, userEvent: 'input.type' });
    await told;
    times.push(performance.now() - start);
  }
  return times.sort((one, other) => one - other);
}
