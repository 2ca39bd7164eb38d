/** Elements. */

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  text?: string,
  className?: string,
): HTMLElementTagNameMap[Name] {
  const it = document.createElement(name);
  if (text !== undefined) it.textContent = text;
  if (className !== undefined) it.className = className;
  return it;
}

/** An element with a text, in which words between backticks are code. */
export function withCode<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  text: string,
  className?: string,
): HTMLElementTagNameMap[Name] {
  const it = element(name, undefined, className);
  // Of a lone backtick nothing is made.
  for (const [index, part] of text.split(/`([^`]+)`/).entries()) {
    if (part !== '') it.append(index % 2 === 1 ? element('code', part) : part);
  }
  return it;
}

/** The element of the page with an id. */
export function byId<Type extends HTMLElement>(id: string): Type {
  const it = document.getElementById(id);
  if (!it) throw new Error(`the page has no #${id}`);
  return it as Type;
}

/** A drawing of the server as an element, whose shapes that stand for a line can be clicked. */
export function drawing(svg: string, goTo: (line: number) => void): Element {
  const root = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement;
  if (root.localName !== 'svg') return element('p', 'The drawing cannot be shown.');
  const shape = document.importNode(root, true);
  for (const part of shape.querySelectorAll('[data-line]')) {
    const line = Number(part.getAttribute('data-line'));
    part.classList.add('place');
    part.addEventListener('click', (event) => {
      // The innermost shape is meant.
      event.stopPropagation();
      goTo(line);
    });
  }
  const figure = element('figure');
  figure.append(shape);
  return figure;
}

/** Elements that the Markdown of the server is made of. */
const ALLOWED = new Set(
  'A B BLOCKQUOTE BR CODE DEL EM H1 H2 H3 H4 H5 H6 HR I LI OL P PRE S SPAN STRONG SUB SUP TABLE TBODY TD TH THEAD TR UL'.split(
    ' ',
  ),
);

/** Takes out of HTML whatever Markdown does not make: names and comments of a text may contain anything. */
export function sanitize(html: string): string {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  for (const it of [...body.querySelectorAll('*')]) {
    if (!ALLOWED.has(it.tagName)) {
      it.replaceWith(it.textContent);
      continue;
    }
    for (const { name, value } of [...it.attributes]) {
      const isLink = it.tagName === 'A' && name === 'href' && /^https?:/.test(value);
      if (!isLink && name !== 'class') it.removeAttribute(name);
    }
    if (it.tagName === 'A') {
      it.setAttribute('target', '_blank');
      it.setAttribute('rel', 'noreferrer');
    }
  }
  return body.innerHTML;
}
