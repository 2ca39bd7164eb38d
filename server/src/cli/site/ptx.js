// Colours PTX in the book: highlight.js, which mdBook brings along, does not know it.
(() => {
  const directives = [
    'address_size', 'alias', 'align', 'branchtargets', 'calltargets', 'callprototype', 'common', 'entry', 'explicitcluster',
    'extern', 'file', 'func', 'loc', 'maxclusterrank', 'maxnreg', 'maxntid', 'minnctapersm', 'noreturn', 'pragma', 'reg',
    'reqnctapercluster', 'reqntid', 'section', 'target', 'version', 'visible', 'weak',
  ];
  hljs.registerLanguage('ptx', (library) => ({
    name: 'PTX',
    contains: [
      library.C_LINE_COMMENT_MODE,
      library.C_BLOCK_COMMENT_MODE,
      library.QUOTE_STRING_MODE,
      { className: 'variable', begin: /%[\w$]+/ },
      { className: 'keyword', begin: new RegExp(`\\.(${directives.join('|')})\\b`) },
      { className: 'type', begin: /\.[a-z_]\w*(::\w+)*/ },
      { className: 'number', begin: /\b(0[fFdD][0-9a-fA-F]{8,16}|0[xX][0-9a-fA-F]+U?|\d+(\.\d+)?U?)\b/ },
      { className: 'symbol', begin: /^[\w$]+:/ },
      // What stands alone, or before its modifiers or operands, is an opcode.
      { className: 'title', begin: /\b[a-z][a-z0-9_]*(?=\.[a-z]|[ \t]+[%[{$(\w]|;)/ },
    ],
  }));
  for (const block of document.querySelectorAll('code.language-ptx')) hljs.highlightBlock(block);
})();
