// Lets readers compute with values of their own.
(() => {
  /** An element with a text, in which words between backticks are code. */
  const inline = (name, text) => {
    const it = ptxElement(name);
    const parts = text.trim().split(/`([^`]+)`/);
    parts.forEach((part, at) => it.append(at % 2 ? ptxElement('code', part) : part));
    return it;
  };
  const cells = (line) => line.trim().replace(/^\||\|$/g, '').split('|');
  const table = (lines) => {
    const it = ptxElement('table');
    const row = (line, name) => {
      const row = ptxElement('tr');
      row.append(...cells(line).map((text) => inline(name, text)));
      return row;
    };
    const head = ptxElement('thead');
    head.append(row(lines[0], 'th'));
    const body = ptxElement('tbody');
    body.append(...lines.slice(2).map((line) => row(line, 'td')));
    it.append(head, body);
    return it;
  };
  const list = (lines) => {
    const it = ptxElement('ul');
    it.append(...lines.map((line) => inline('li', line.slice(2))));
    return it;
  };
  /** The Markdown of answers: paragraphs, lists, tables and code. */
  const elements = (markdown) => {
    const found = [];
    const lines = markdown.split('\n');
    const take = (fits) => {
      const end = lines.findIndex((line) => !fits(line));
      return lines.splice(0, end < 0 ? lines.length : end);
    };
    while (lines.length > 0) {
      if (lines[0].startsWith('```')) {
        lines.shift();
        const pre = ptxElement('pre');
        pre.append(ptxElement('code', take((line) => !line.startsWith('```')).join('\n')));
        lines.shift();
        found.push(pre);
      } else if (lines[0].startsWith('|')) found.push(table(take((line) => line.startsWith('|'))));
      else if (lines[0].startsWith('- ')) found.push(list(take((line) => line.startsWith('- '))));
      else if (lines[0].trim() === '') lines.shift();
      else found.push(inline('p', take((line) => line.trim() !== '' && !/^(\||- |```)/.test(line)).join(' ')));
    }
    return found;
  };

  for (const form of document.querySelectorAll('form.ptx-calculator')) {
    const answer = form.nextElementSibling;
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      // An input without a value takes its default, and so does an empty one.
      const values = [...new FormData(form)].map(([name, value]) => `${name}=${value.replace(/\s/g, '')}`);
      answer.replaceChildren('Working …');
      try {
        const found = await ptxServer.ask('ptx/explain', { name: [form.dataset.name, ...values].join(' ') });
        answer.replaceChildren(...elements(found[0].text));
      } catch (error) {
        answer.replaceChildren(ptxElement('p', error.message));
      }
    });
  }
})();
