/** The panes beside the text: each asks the second server when it is seen. */

import type * as lsp from 'vscode-languageserver-protocol';

import type {
  Chart,
  Difference,
  Explanation,
  FlowGraph,
  FunctionProtocol,
  Registers,
  TargetMatrix,
} from '../../vscode/src/protocol';
import { drawing, element, sanitize, withCode } from './dom';
import type { Page, Pane } from './pane';
import { messageOf, severityOf } from './problems';
import { runPane } from './run_pane';

const note = (text: string): Node[] => [element('p', text, 'note')];

function lineButton(page: Page, { start }: lsp.Range, text = `line ${start.line + 1}`): HTMLButtonElement {
  const button = element('button', text, 'link');
  button.addEventListener('click', () => page.goTo(start.line, start.character));
  return button;
}

function listOf(items: Node[][], className: string): HTMLUListElement {
  const list = element('ul', undefined, className);
  for (const parts of items) {
    const item = element('li');
    item.append(...parts);
    list.append(item);
  }
  return list;
}

const problems: Pane = {
  id: 'problems',
  title: 'Problems',
  content(page) {
    const { diagnostics, fixes } = page.problems;
    if (diagnostics.length === 0) return note('No problems.');
    const items = diagnostics.map((it) => {
      const mark = element('span', severityOf(it), `severity ${severityOf(it)}`);
      const parts: Node[] = [mark, lineButton(page, it.range), document.createTextNode(' '), messageOf(it)];
      for (const { title, edit } of fixes?.get(it) ?? []) {
        const button = withCode('button', title, 'fix');
        button.addEventListener('click', () => edit && page.apply(edit));
        parts.push(button);
      }
      return parts;
    });
    return [listOf(items, 'problems')];
  },
};

const registers: Pane = {
  id: 'registers',
  title: 'Registers',
  follows: true,
  async content(page, server) {
    const textDocument = { uri: page.uri };
    const documents = { [page.uri]: page.text };
    const found = await server.ask<Registers | null>('ptx/registers', { textDocument }, documents);
    const entries = found?.entries ?? [];
    if (entries.length === 0) return note('The text has no entry function with a body.');
    const { line } = page.position;
    const here = entries.find(({ range }) => range.start.line <= line && line <= range.end.line) ?? entries[0];
    const facts = entries.map((it): Node[] => {
      const { occupancy } = it;
      const warps = `${occupancy.warps} of ${occupancy.of} warps`;
      const limiter = occupancy.limiter ? `, limited by ${occupancy.limiter}` : '';
      const threads = `${occupancy.threads} threads${occupancy.threadsAssumed ? ' assumed' : ''}`;
      const next = occupancy.next ? `; ${occupancy.next.warps} warps with ${occupancy.next.registers} registers` : '';
      const cap = it.cap === null ? '' : `, at most ${it.cap} by ${it.capDirective ?? 'the launch bounds'}`;
      const name = lineButton(page, it.selectionRange, it.name);
      if (it === here) name.ariaCurrent = 'true';
      return [
        name,
        element('p', `about ${it.estimate} registers (${it.low} to ${it.high}) on ${it.target}${cap}`),
        element('p', `${warps} (${threads})${limiter}${next}`),
      ];
    });
    const parts: Node[] = [listOf(facts, 'facts')];
    if (here) {
      const position = here.selectionRange.start;
      const params = { textDocument, position, dark: page.dark };
      const chart = await server.ask<Chart | null>('ptx/registerChart', params, documents);
      if (chart) parts.push(drawing(chart.svg, (line) => page.goTo(line)));
    }
    return parts;
  },
};

const flow: Pane = {
  id: 'flow',
  title: 'Control flow',
  follows: true,
  async content(page, server) {
    const params = { textDocument: { uri: page.uri }, position: page.position, dark: page.dark };
    const graph = await server.ask<FlowGraph | null>('ptx/flowGraph', params, {
      [page.uri]: page.text,
    });
    if (!graph) return note('Put the cursor into a function with a body.');
    return [drawing(graph.svg, (line) => page.goTo(line))];
  },
};

const protocols: Pane = {
  id: 'protocols',
  title: 'Protocols',
  async content(page, server) {
    const params = { textDocument: { uri: page.uri } };
    const found = await server.ask<FunctionProtocol[]>('ptx/protocols', params, { [page.uri]: page.text });
    if (found.length === 0) return note('The text has no barriers, asynchronous copies or allocations.');
    const parts: Node[] = [];
    let last = '';
    for (const protocol of found) {
      if (protocol.function !== last) parts.push(element('h2', protocol.function));
      last = protocol.function;
      parts.push(element('h3', protocol.title));
      const items = protocol.parts.map((it): Node[] => {
        const own: Node[] = [lineButton(page, it.range), document.createTextNode(` ${it.role}`)];
        it.partners.forEach((index, at) => {
          const partner = protocol.parts[index];
          if (!partner) return;
          own.push(document.createTextNode(at === 0 ? ', with ' : ', '), lineButton(page, partner.range));
        });
        return own;
      });
      parts.push(listOf(items, 'facts'));
    }
    return parts;
  },
};

const targets: Pane = {
  id: 'targets',
  title: 'Targets',
  async content(page, server) {
    const params = { textDocument: { uri: page.uri }, targets: [] };
    const { columns, groups } = await server.ask<TargetMatrix>('ptx/compareTargets', params, { [page.uri]: page.text });
    const items = columns.map(({ title, targets, errors }, index): Node[] => {
      const verdict = errors === 0 ? 'fits' : `${errors} ${errors === 1 ? 'error' : 'errors'}`;
      const mark = element('span', verdict, `severity ${errors === 0 ? 'good' : 'error'}`);
      const name = element('b', title);
      name.title = targets.map(({ target, version }) => `${target}: .version ${version} or later`).join('\n');
      const causes = groups.filter(({ wrong }) => wrong[index]).flatMap((it) => it.causes);
      if (causes.length === 0) return [mark, name];
      const list = listOf(
        causes.map(({ message, ranges }) => [
          document.createTextNode(`${message}: `),
          ...ranges.slice(0, 5).flatMap((it) => [lineButton(page, it), document.createTextNode(' ')]),
          document.createTextNode(ranges.length > 5 ? `and ${ranges.length - 5} more` : ''),
        ]),
        'facts',
      );
      const details = element('details');
      details.append(element('summary', causes.length === 1 ? '1 cause' : `${causes.length} causes`), list);
      details.open = causes.length <= 5;
      return [mark, name, details];
    });
    return [listOf(items, 'problems')];
  },
};

const tree: Pane = {
  id: 'tree',
  title: 'Syntax tree',
  follows: true,
  async content(page, server) {
    const { line } = page.position;
    const words = page.text.split('\n')[line]?.trimEnd() ?? '';
    // Without the blanks around it, which belong to the statements before and after.
    const start = { line, character: words.length - words.trimStart().length };
    const range = { start, end: { line, character: words.length } };
    const params = { textDocument: { uri: page.uri }, range };
    const documents = { [page.uri]: page.text };
    const text = await server.ask<string | null>('ptx/viewSyntaxTree', params, documents);
    return text ? [element('pre', text)] : note('There is no tree of this text.');
  },
};

const explanation: Pane = {
  id: 'explain',
  title: 'Explain',
  follows: true,
  async content(page, server) {
    const form = element('form', undefined, 'search');
    const input = element('input');
    input.type = 'search';
    input.name = 'word';
    input.ariaLabel = 'Instruction, modifier, directive, diagnostic or message';
    input.placeholder = 'mbarrier.try_wait, .relaxed, %clusterid …';
    input.value = page.word;
    const answer = element('div', undefined, 'markdown');
    form.append(input, element('button', 'Explain'));
    const ask = async (name: string): Promise<void> => {
      if (name === '') return;
      const found = await server.ask<Explanation[]>('ptx/explain', { name }, {});
      const parts = found.map((it) => {
        const box = element('section');
        box.innerHTML = sanitize(page.markdown(it.text));
        return box;
      });
      answer.replaceChildren(...(parts.length > 0 ? parts : note(`There is nothing about ${name}.`)));
    };
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void ask(input.value.trim());
    });
    await ask(page.word);
    return [form, answer];
  },
};

const difference: Pane = {
  id: 'difference',
  title: 'Difference',
  async content(page, server) {
    if (page.before === undefined) {
      return note('Choose Compare: the text is kept as the old one, and what you change or paste is compared with it.');
    }
    const old = `${page.uri}.old`;
    const params = { old: { uri: old }, new: { uri: page.uri } };
    const changes = await server.ask<Difference[]>('ptx/diff', params, { [old]: page.before, [page.uri]: page.text });
    if (changes.length === 0) return note('The texts are the same, apart from names, whitespace and comments.');
    const items = changes.map((it): Node[] => {
      const place = it.new ?? it.old;
      const parts: Node[] = [element('span', it.change, 'severity info')];
      parts.push(it.new && place ? lineButton(page, place, it.name) : element('b', it.name));
      const counts = [
        [it.added, 'added'],
        [it.removed, 'removed'],
        [it.moved, 'moved'],
      ] as const;
      const words = counts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
      if (words.length > 0) parts.push(element('p', `instructions: ${words.join(', ')}`));
      const [before, after] = it.registers;
      if (before !== null && after !== null) {
        parts.push(
          element('p', before === after ? `about ${after} registers` : `about ${before} → ${after} registers`),
        );
      }
      return parts;
    });
    return [listOf(items, 'facts')];
  },
};

export const PANES: Pane[] = [problems, runPane, registers, flow, protocols, targets, explanation, tree, difference];
