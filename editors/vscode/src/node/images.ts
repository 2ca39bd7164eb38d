/** What `ptx-analyzer extract --format json` prints. */

/** An image, as `ptx-analyzer extract --format json` prints it. */
export interface Image {
  number: number;
  kind: string;
  target: string;
  version?: string;
  ident: string;
  size?: number;
  recovered: boolean;
  path?: string;
  error?: string;
}

/** A row of the list of texts. */
export interface Choice {
  label: string;
  description: string;
  detail: string;
  path: string;
}

/** The texts that were written, as rows of a list. */
export function choicesOf(images: Image[]): Choice[] {
  return images.flatMap(({ number, target, version, ident, size, recovered, path }) => {
    if (path?.endsWith('.ptx') !== true) return [];
    const facts = [version === undefined ? '' : `PTX ${version}`, size === undefined ? '' : `${size} bytes`];
    if (recovered) facts.push('recovered from debug information, without comments');
    return [{ label: `${number}: ${target}`, description: ident, detail: facts.filter(Boolean).join(', '), path }];
  });
}
