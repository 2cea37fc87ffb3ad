/** What the pages of templates say of an answer, by their scripts in a context that has no more of a browser than they use. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';

interface Element {
  textContent: string;
  value: string;
  readonly listeners: Record<string, (event: object) => void>;
}

/** `answers`: by the method and the path, what the backend says now. */
function openPage(template: string, answers: Readonly<Record<string, () => Response>>) {
  const elements = new Map<string, Element & object>();
  const getElementById = (id: string) => {
    const listeners: Element['listeners'] = {};
    const made = {
      textContent: '',
      value: '',
      listeners,
      addEventListener: (name: string, run: () => void) => (listeners[name] = run),
      focus: () => undefined,
      replaceChildren: () => undefined,
    };
    const found = elements.get(id) ?? made;
    elements.set(id, found);
    return found;
  };
  const asked: string[] = [];
  const fetch = async (where: string, { method = 'GET' }: { method?: string }): Promise<Response> => {
    asked.push(`${method} ${where}`);
    return answers[`${method} ${where}`]?.() ?? Promise.reject(new TypeError('no network'));
  };
  const script = readFileSync(path.join(import.meta.dirname, 'templates', template, 'frontend/app.js'), 'utf8');
  runInNewContext(script, {
    document: { documentElement: {}, getElementById },
    navigator: { language: 'en' },
    window: {},
    AbortSignal,
    setTimeout: () => 0,
    fetch,
  });
  const does = async (id: string, event: string): Promise<void> => {
    getElementById(id).listeners[event]?.({ preventDefault: () => undefined });
    for (let at = 0; at < 5; at += 1) await turn();
  };
  return { asked, of: getElementById, does };
}

test('a click that did not count stays on the page until one counts', async () => {
  let post = (): Response => Response.json({ error: 'x' }, { status: 500 });
  const page = openPage('page', { 'GET api/contagem': () => Response.json({ contagem: 3 }), 'POST api/contagem': () => post() });
  await page.does('contar', 'click');
  // Reading did go well after it.
  expect(page.asked.at(-1)).toBe('GET api/contagem');
  expect([page.of('contagem').textContent, page.of('aviso').textContent]).toEqual([3, 'It did not count: HTTP 500']);
  post = () => Response.json({ contagem: 4 });
  await page.does('contar', 'click');
  expect([page.of('contagem').textContent, page.of('aviso').textContent]).toEqual([4, '']);
});

test('without an answer both are said: that it did not count, and that the page tries again', async () => {
  const page = openPage('page', {});
  await page.does('contar', 'click');
  expect(page.of('aviso').textContent).toBe('It did not count: no answer · The count could not be read; trying again…');
});

test('an empty text for the queue is said to be empty, and not sent', async () => {
  const page = openPage('queue', { 'GET api/trabalhos': () => Response.json({ disponivel: true, motivo: null, trabalhos: [] }) });
  page.of('texto').value = ' \n';
  await page.does('pedido', 'submit');
  expect([page.of('aviso').textContent, page.asked.filter((each) => each.startsWith('POST'))]).toEqual(['Write a text first.', []]);
});
