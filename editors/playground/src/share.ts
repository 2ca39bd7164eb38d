/** A text in the fragment of the address: it never leaves the browser. */

/** What a link says. */
export interface Shared {
  text: string;
  /** The target in place of that of the text. */
  target?: string;
  /** An earlier text to compare with. */
  before?: string;
}

/** The longest fragment that is made; browsers and the programs that links are pasted into cut longer ones. */
const MAX_LENGTH = 100_000;

async function through(bytes: Uint8Array<ArrayBuffer>, transform: GenericTransformStream): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(transform as TransformStream<Uint8Array, Uint8Array>);
  return new Uint8Array(await new Response(stream).arrayBuffer());
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

/** What a fragment says; `text=…` is a text as it is, as the pages of the book link to it. */
export async function fromFragment(fragment: string): Promise<Shared | undefined> {
  const [name, value] = fragment.replace(/^#/, '').split(/=(.*)/s);
  try {
    if (name === 'text' && value) return { text: decodeURIComponent(value) };
    if (name !== 'code' || !value) return undefined;
    const binary = atob(value.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (it) => it.charCodeAt(0));
    const text = new TextDecoder().decode(await through(bytes, new DecompressionStream('deflate-raw')));
    const shared = JSON.parse(text) as Partial<Shared>;
    return typeof shared.text === 'string' ? (shared as Shared) : undefined;
  } catch {
    return undefined;
  }
}
