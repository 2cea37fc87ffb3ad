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

/** The page of rooms, with the part of `window.svc` that it uses; its address is what a page that is loaded again has. */
function openRooms(address: { href: string }) {
  const listeners: Record<string, (event: object) => void> = {};
  const buttons: { textContent: string; press: () => void }[] = [];
  const element = (id = '') => {
    const made = {
      id,
      hidden: false,
      textContent: '',
      elements: [],
      append: () => undefined,
      replaceChildren: () => undefined,
      setAttribute: () => undefined,
      addEventListener: (name: string, run: (event: object) => void) => {
        if (id === '') buttons.push(Object.assign(made, { press: () => run({}) }));
        listeners[`${id} ${name}`] = run;
      },
    };
    return made;
  };
  const elements = new Map<string, ReturnType<typeof element>>();
  const getElementById = (id: string) => elements.get(id) ?? elements.set(id, element(id)).get(id);
  const entered: string[] = [];
  const entrar = (id: string) => {
    entered.push(id);
    const doc = { getArray: () => Object.assign([], { observeDeep: () => undefined }) };
    return { doc, estado: 'sincronizado', podeEscrever: true, aoMudar: () => undefined, sair: async () => undefined };
  };
  const svc = {
    noAmbiente: true,
    app: { ao: () => undefined },
    salas: { ao: () => undefined, entrar, listar: async () => ({ salas: [{ id: 's1', nome: 'Compras' }] }) },
  };
  const script = readFileSync(path.join(import.meta.dirname, 'templates/rooms/frontend/app.mjs'), 'utf8');
  runInNewContext(`(async () => {${script.replace(/^import .*$/m, 'const awarenessProtocol = {}, Y = {};')}})()`, {
    document: {
      documentElement: {},
      baseURI: 'http://listas.svc.localhost/',
      getElementById,
      querySelectorAll: () => [],
      createElement: () => element(),
    },
    navigator: { language: 'en' },
    window: { svc },
    URL,
    URLSearchParams,
    location: {
      get search() {
        return new URL(address.href).search;
      },
      get pathname() {
        return new URL(address.href).pathname;
      },
    },
    history: { replaceState: (_state: null, _title: string, to: string) => (address.href = new URL(to, address.href).href) },
  });
  const press = async (what: string): Promise<void> => {
    (buttons.find(({ textContent }) => textContent === what)?.press ?? (() => listeners[`${what} click`]?.({})))();
    for (let at = 0; at < 5; at += 1) await turn();
  };
  return { entered, press };
}

test('a page of rooms that is loaded again opens the list that was open, and none after it was left', async () => {
  const address = { href: 'http://listas.svc.localhost/' };
  const first = openRooms(address);
  await turn();
  await first.press('Compras');
  expect([first.entered, address.href]).toEqual([['s1'], 'http://listas.svc.localhost/?sala=s1']);
  const again = openRooms(address);
  await turn();
  await turn();
  expect(again.entered).toEqual(['s1']);
  await again.press('voltar');
  const last = openRooms(address);
  await turn();
  await turn();
  expect([last.entered, address.href]).toEqual([[], 'http://listas.svc.localhost/']);
});
