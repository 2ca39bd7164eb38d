/** Colours of PTX before the server has answered, and in the code of hovers. */

import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { tags } from '@lezer/highlight';

const ptx = StreamLanguage.define<{ comment: boolean }>({
  name: 'ptx',
  startState: () => ({ comment: false }),
  token(stream, state) {
    if (state.comment || stream.match('/*')) {
      state.comment = !stream.match(/^.*?\*\//);
      if (state.comment) stream.skipToEnd();
      return 'comment';
    }
    if (stream.eatSpace()) return null;
    if (stream.match(/^\/\/.*/)) return 'comment';
    if (stream.match(/^"[^"]*"?/)) return 'string';
    if (stream.match(/^%[\w$]+/)) return 'variableName';
    if (stream.match(/^\.(version|target|address_size|visible|extern|weak|entry|func|param|reg|file|loc|section)\b/))
      return 'meta';
    if (stream.match(/^\.[a-z_][\w:]*/i)) return 'modifier';
    if (stream.match(/^(0[xXbBfFdD][\da-fA-F]+|\d[\d.]*)U?/)) return 'number';
    if (stream.match(/^[\w$]+:(?!:)/)) return 'labelName';
    if (stream.match(/^[a-z][a-z0-9_]*(?=[.\s;])/)) return 'keyword';
    if (stream.match(/^[\w$]+/)) return null;
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: '//', block: { open: '/*', close: '*/' } } },
});

const style = HighlightStyle.define([
  { tag: tags.comment, class: 'ptx-comment' },
  { tag: tags.string, class: 'ptx-string' },
  { tag: tags.variableName, class: 'ptx-variable' },
  { tag: tags.meta, class: 'ptx-macro' },
  { tag: tags.modifier, class: 'ptx-modifier' },
  { tag: tags.number, class: 'ptx-number' },
  { tag: tags.labelName, class: 'ptx-label' },
  { tag: tags.keyword, class: 'ptx-keyword' },
]);

export function language(): Extension {
  return [ptx, syntaxHighlighting(style)];
}
