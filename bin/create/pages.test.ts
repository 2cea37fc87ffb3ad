/** Answers as the pages of templates show them, by their scripts in a context that has no more of a browser than they use. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';

interface Element {
  textContent: string;
  value: string;
  readonly listeners: Record<string, (event: object) => void>;
  children: readonly { readonly textContent: string }[];
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
      children: [] as Element['children'],
      addEventListener: (name: string, run: () => void) => (listeners[name] = run),
      focus: () => undefined,
      replaceChildren: (...children: Element['children']) => (made.children = children),
    };
    const found = elements.get(id) ?? made;
    elements.set(id, found);
    return found;
  };
  const asked: string[] = [];
  let later: () => void = () => undefined;
  const fetch = async (where: string, { method = 'GET' }: { method?: string }): Promise<Response> => {
    asked.push(`${method} ${where}`);
    return answers[`${method} ${where}`]?.() ?? Promise.reject(new TypeError('no network'));
  };
  const script = readFileSync(path.join(import.meta.dirname, 'templates', template, 'frontend/app.js'), 'utf8');
  runInNewContext(script, {
    document: { documentElement: {}, getElementById, createElement: () => ({ textContent: '' }) },
    navigator: { language: 'en' },
    window: {},
    AbortSignal,
    setTimeout: (run: () => void) => (later = run),
    fetch,
  });
  const turns = async (): Promise<void> => {
    for (let at = 0; at < 10; at += 1) await turn();
  };
  const does = async (id: string, event: string): Promise<void> => {
    getElementById(id).listeners[event]?.({ preventDefault: () => undefined });
    await turns();
  };
  /** Runs the pending timer now. */
  const goesOn = async (): Promise<void> => {
    later();
    await turns();
  };
  return { asked, of: getElementById, does, turns, goesOn };
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

test('a job whose output can not be read costs the others nothing, and is read when it can be', async () => {
  const job = (id: string, estado: string) => ({ id, nome: id, estado, lugar: null, progresso: null });
  let missing = (): Response => Response.json({ error: 'gone' }, { status: 404 });
  const page = openPage('queue', {
    'GET api/trabalhos': () =>
      Response.json({ disponivel: true, motivo: null, trabalhos: [job('a', 'terminado'), job('b', 'terminado'), job('c', 'a-correr')] }),
    'GET api/palavras/a': () => missing(),
    'GET api/palavras/b': () => Response.json({ sol: 2 }),
  });
  await page.turns();
  const shown = () => page.of('trabalhos').children.map(({ textContent }) => textContent);
  expect(shown()).toEqual(['a · done · the words could not be read; trying again…', 'b · done · sol 2', 'c · running']);
  missing = () => Response.json({ lua: 1 });
  await page.goesOn();
  expect(shown()[0]).toBe('a · done · lua 1');
  expect(page.of('aviso').textContent).toBe('');
});

test('what a look had to say goes with the next one that goes well, and what a submission had to say stays', async () => {
  let list = (): Response => Response.json({ error: 'away' }, { status: 503 });
  const page = openPage('queue', { 'GET api/trabalhos': () => list() });
  await page.turns();
  await page.does('pedido', 'submit');
  expect(page.of('aviso').textContent).toBe('Write a text first. · It did not work: away');
  list = () => Response.json({ disponivel: true, motivo: null, trabalhos: [] });
  await page.goesOn();
  expect(page.of('aviso').textContent).toBe('Write a text first.');
});

/** The page of rooms, with the part of `window.svc` that it uses; its address is what a page that is loaded again has. */
function openRooms(address: { href: string }, left: Promise<void> = Promise.resolve()) {
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
    return { doc, estado: 'sincronizado', podeEscrever: true, aoMudar: () => undefined, sair: () => left };
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
  return { entered, press, of: (id: string) => elements.get(id) };
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

test('a list is left once, and at once, also when it is left twice while the desktop has not answered', async () => {
  const left = Promise.withResolvers<void>();
  const page = openRooms({ href: 'http://listas.svc.localhost/?sala=s1' }, left.promise);
  await turn();
  await turn();
  expect([page.entered, page.of('sala')?.hidden]).toEqual([['s1'], false]);
  await page.press('voltar');
  expect([page.of('sala')?.hidden, page.of('escolha')?.hidden]).toEqual([true, false]);
  await page.press('voltar');
  left.resolve();
  await page.press('nada');
  expect(page.of('aviso')?.textContent).toBe('');
});
