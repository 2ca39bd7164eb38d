// Lets readers check, run and step the kernels of the book. The first click loads the playground's module.
(() => {
  const { playground } = ptxServer;
  const wasm = new URL('ptx_debugger_bg.wasm', playground).href;
  const element = ptxElement;
  const list = (items) => {
    const all = element('ul');
    for (const item of items) {
      const it = element('li');
      it.append(...[item].flat());
      all.append(it);
    }
    return all;
  };
  const page = (code) => {
    const link = element('a', code);
    link.href = `${path_to_root}diagnostics/${code}.html`;
    return link;
  };

  const check = async (text) => {
    const diagnostics = await ptxServer.check(text);
    if (diagnostics.length === 0) return [element('p', 'No problems.')];
    const severities = ['', 'error', 'warning', 'information', 'hint'];
    const items = diagnostics.map((it) => [
      `line ${it.range.start.line + 1}: ${severities[it.severity ?? 1]}: ${it.message} `,
      ...(it.code ? [page(String(it.code))] : []),
    ]);
    return [list(items)];
  };

  /** Runs the first `// run:` comment in a worker of its own; a run that is stopped ends with its worker. */
  const run = (text, stop) =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL('debug.js', playground), { type: 'module' });
      const end = (act, value) => {
        worker.terminate();
        act(value);
      };
      stop.addEventListener('click', () => end(reject, new Error('the run was stopped')));
      worker.onerror = (event) => end(reject, new Error(event.message || 'the module cannot be loaded'));
      let outcome;
      let printed = '';
      worker.onmessage = ({ data }) => {
        const { type, event, success, message, body } = JSON.parse(data);
        if (type === 'response' && !success) end(reject, new Error(message));
        if (event === 'output' && body.category === 'stdout') printed += body.output;
        if (event === 'ptx/outcome') outcome = body;
        if (event === 'terminated') end(resolve, { outcome, printed });
      };
      worker.postMessage({ path: 'module.ptx', text, wasm });
      const requests = [
        ['initialize', { linesStartAt1: true, supportsOutcomeEvent: true }],
        ['launch', { program: 'module.ptx', noDebug: true }],
        ['configurationDone', {}],
      ];
      requests.forEach(([command, args], at) => {
        worker.postMessage(JSON.stringify({ seq: at + 1, type: 'request', command, arguments: args }));
      });
    });
  const shown = ({ outcome, printed }) => {
    if (!outcome) return [element('p', 'The run has no outcome.')];
    const items = [];
    if (outcome.wrongLaunch) items.push(outcome.wrongLaunch);
    for (const it of outcome.findings) items.push([`line ${it.line}: ${it.message} `, page(it.code)]);
    for (const it of outcome.notRun) items.push(`line ${it.line}: ${it.message}`);
    for (const it of outcome.expectations) {
      const first = it.first ? `; [${it.first.index.join(', ')}] is ${it.first.got}, expected ${it.first.want}` : '';
      items.push(it.holds ? `${it.name} is as expected` : `${it.name}: ${it.different} of ${it.of} elements differ${first}`);
    }
    const words = { finished: 'ran to its end', stopped: 'was stopped', deadlock: 'ended in a deadlock' };
    const ended = words[outcome.ended] ?? `ended: ${outcome.ended}`;
    const parts = [element('p', `${outcome.entry} ${ended} after ${outcome.steps} instructions of warps.`), list(items)];
    if (printed !== '') parts.push(element('pre', printed));
    for (const it of outcome.arrays) {
      const more = it.shape.reduce((all, part) => all * part, 1) > 32 ? ' …' : '';
      const text = `${it.name} (${it.type}): ${it.values.slice(0, 32).join(' ')}${more}`;
      parts.push(element('pre', text));
    }
    return parts;
  };

  for (const block of document.querySelectorAll('code.language-ptx')) {
    const text = block.textContent;
    // Whole modules only: parts of one cannot be judged.
    if (!/^\s*\.version\b/m.test(text) || !/^\s*\.target\b/m.test(text)) continue;
    const bar = element('div', '', 'ptx-kernel');
    const panel = element('div', '', 'ptx-outcome');
    panel.setAttribute('role', 'status');
    const button = (name, act) => {
      const it = element('button', name);
      it.type = 'button';
      it.addEventListener('click', async () => {
        it.disabled = true;
        const stop = element('button', 'Stop');
        panel.replaceChildren('Working … ', ...(name === 'Run' ? [stop] : []));
        try {
          panel.replaceChildren(...(await act(stop)));
        } catch (error) {
          panel.replaceChildren(element('p', error.message));
        }
        it.disabled = false;
      });
      bar.append(it, ' ');
    };
    button('Check', () => check(text));
    if (/^\s*\/\/ *run:/m.test(text)) {
      button('Run', async (stop) => shown(await run(text, stop)));
      const link = element('a', 'Step');
      link.href = `${new URL('index.html', playground).href}#step=${encodeURIComponent(text)}`;
      bar.append(link);
    }
    block.closest('pre').after(bar, panel);
  }
})();
