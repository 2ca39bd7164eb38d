/** A text in the fragment of the address: it never leaves the browser. */

/** What a link says. */
export interface Shared {
  text: string;
  /** The target in place of that of the text. */
  target?: string;
  /** An earlier text to compare with. */
  before?: string;
  /** What begins at once; only links of the book say it. */
  begin?: 'run' | 'step';
}

/** The longest fragment that is made; browsers and the programs that links are pasted into cut longer ones. */
const MAX_LENGTH = 100_000;
/** A longer text is not unpacked: a link of a few letters may stand for gigabytes. In bytes; texts of PTX shrink to a fifth or less. */
const MAX_TEXT = 4_000_000;

async function through(bytes: Uint8Array<ArrayBuffer>, transform: GenericTransformStream): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(transform as TransformStream<Uint8Array, Uint8Array>);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** What a stream of packed bytes stands for; nothing if that is too long. */
async function unpacked(bytes: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const reader = (stream as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = '';
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    length += value.length;
    if (length > MAX_TEXT) {
      await reader.cancel();
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** The fragment, without its `#`; nothing for a text that is too long for a link. */
export async function toFragment(shared: Shared): Promise<string | undefined> {
  const bytes = new TextEncoder().encode(JSON.stringify(shared));
  const packed = await through(bytes, new CompressionStream('deflate-raw'));
  let binary = '';
  for (const byte of packed) binary += String.fromCharCode(byte);
  const code = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return code.length > MAX_LENGTH ? undefined : `code=${code}`;
}

/** What a link says, if it is of the right types; anybody can write one. */
export function checked(value: unknown): Shared | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { text, target, before } = value as Record<string, unknown>;
  if (typeof text !== 'string') return undefined;
  const shared: Shared = { text };
  if (typeof target === 'string') shared.target = target;
  if (typeof before === 'string') shared.before = before;
  return shared;
}

/** What a fragment says; `text=…`, `run=…` and `step=…` have a text as it is, as the pages of the book link to it. */
export async function fromFragment(fragment: string): Promise<Shared | undefined> {
  const [name, value] = fragment.replace(/^#/, '').split(/=(.*)/s);
  try {
    if (name === 'text' && value) return { text: decodeURIComponent(value) };
    if ((name === 'run' || name === 'step') && value) return { text: decodeURIComponent(value), begin: name };
    if (name !== 'code' || !value || value.length > MAX_LENGTH) return undefined;
    const binary = atob(value.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (it) => it.charCodeAt(0));
    const json = await unpacked(bytes);
    return json === undefined ? undefined : checked(JSON.parse(json));
  } catch {
    return undefined;
  }
}
