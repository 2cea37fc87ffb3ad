/**
 * `svc.salas.entrar` in a real browser, with a real y-protocols server and a shell of the test: what the connection does with the network, the
 * local copy and the close codes. The whole way through a portal: test/browser/rooms.real.test.ts.
 */
import { build } from 'esbuild';
import { chromium, type Browser, type BrowserContext, type Frame, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { servePages, type PageServer } from '../testing/page-server.ts';
import { startRoomServer, type RoomServer } from '../testing/room-server.ts';

/** A parent that follows the protocol; `replies` are functions or errors by verb. */
const shell = (appPort: number): string => `<!doctype html><script>
  window.asked = [];
  window.person = 'ana';
  window.role = 'editar';
  window.tickets = 0;
  const reply = {
    'salas.lugar': () => ({ app: 'notas', usuario: person, nome: 'Ana Souza', iniciais: 'AS', portal: 'ws://' + location.hostname + ':' + window.roomPort }),
    'salas.bilhete': () => {
      if (window.refusal) throw window.refusal;
      return { bilhete: role === null ? null : 'b' + ++tickets, usuario: window.signedIn ?? person, caminho: '/ws/salas/x', papel: role, anexos: true };
    },
    'salas.ler': () => ({ sala: { papel: role }, pessoas: [], grupos: [] }),
  };
  addEventListener('message', (event) => {
    if (event.data?.svc !== 'ola') return;
    const { port1, port2 } = new MessageChannel();
    window.port = port1;
    port1.onmessage = ({ data }) => {
      asked.push(data.verbo);
      try { port1.postMessage({ id: data.id, ok: true, valor: (reply[data.verbo] ?? (() => null))(data.args) }); }
      catch (erro) { port1.postMessage({ id: data.id, ok: false, erro }); }
    };
    event.source.postMessage({ svc: 'porta', v: 1 }, event.origin, [port2]);
  });
</script><iframe src="http://app.svc.localhost:${appPort}/app" style="width:600px;height:400px"></iframe>`;

const app = `<!doctype html><head><script src="_sdk/svc.js"></script><script src="/yjs.js"></script></head><body>
<script>
  window.states = [];
  window.enter = (options = {}) => {
    window.room = svc.salas.entrar('s0123456789abcdefghijk', { Y, awarenessProtocol, ...options });
    room.aoMudar((change) => states.push(change.estado + (change.papel === null ? '' : ' ' + change.papel)));
    window.words = room.doc.getText('t');
    return room.estado;
  };
</script>`;

let browser: Browser;
let context: BrowserContext;
let pages: PageServer;
let shells: PageServer;
let rooms: RoomServer;
let page: Page;
let frame: Frame;
const errors: string[] = [];

beforeAll(async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: `import * as Y from 'yjs'; import * as awarenessProtocol from 'y-protocols/awareness'; Object.assign(window, { Y, awarenessProtocol });`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
  });
  pages = await servePages({ '/app': app, '/yjs.js': outputFiles[0]!.text });
  shells = await servePages({ '/': shell(pages.port) });
  browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
});
beforeEach(async () => {
  rooms = await startRoomServer();
  context = await browser.newContext();
});
afterEach(async () => {
  await context.close();
  await rooms.close();
  if (errors.length > 0) throw new Error(`errors in the page: ${errors.splice(0).join('; ')}`);
});
afterAll(async () => {
  await browser.close();
  for (const server of [pages, shells]) server.close();
});

async function open(before: string = ''): Promise<void> {
  page = await context.newPage();
  page.on('pageerror', (problem) => errors.push(problem.message));
  await page.addInitScript(`window.roomPort = ${rooms.port}; ${before}`);
  await page.goto(`http://svc.localhost:${shells.port}/`);
  frame = page.frames().find((one) => one.url().includes('/app'))!;
  await frame.waitForFunction('window.svc !== undefined && window.Y !== undefined');
}
const enter = async (options = '{}'): Promise<string> => await frame.evaluate(`enter(${options})`);
const state = async (wanted: string): Promise<unknown> => await frame.waitForFunction(`room.estado === '${wanted}'`);
const text = async (): Promise<string> => await frame.evaluate('words.toString()');
const write = async (words: string): Promise<void> =>
  await frame.evaluate(`words.insert(words.length, ${JSON.stringify(words)}); undefined`);
const held = (): string => rooms.doc.getText('t').toJSON();

describe('a connection', () => {
  test('is there at once, and synced when the portal has sent what the room held', async () => {
    rooms.doc.getText('t').insert(0, 'do portal');
    await open();
    expect(await enter()).toBe('conectando');
    await frame.evaluate('room.sincronizado');
    expect(await text()).toBe('do portal');
    expect(await frame.evaluate('[room.estado, room.papel, room.podeEscrever]')).toEqual(['sincronizado', 'editar', true]);
    expect(rooms.joins).toEqual(['/ws/salas/x/documento?bilhete=b1']);
    await write(' e daqui');
    await expect.poll(held).toBe('do portal e daqui');
  });

  test('joins the comments channel when told so', async () => {
    await open(`addEventListener('load', () => (role = 'comentar'))`);
    await enter(`{ canal: 'comentarios' }`);
    await state('sincronizado');
    expect(rooms.joins).toEqual(['/ws/salas/x/comentarios?bilhete=b1']);
    expect(await frame.evaluate('room.podeEscrever')).toBe(true);
  });

  test('shows presence both ways, with the colour of the person', async () => {
    await open();
    await enter();
    await state('sincronizado');
    rooms.presence.setLocalState({ user: { name: 'Bia' } });
    await frame.waitForFunction(`[...room.presenca.getStates().values()].some((one) => one.user?.name === 'Bia')`);
    const colour = await frame.evaluate<string>(`svc.pessoas.corDe('ana')`);
    expect(colour).toMatch(/^#[0-9a-f]{6}$/);
    await expect
      .poll(() => [...rooms.presence.getStates().values()].map((one) => one['user']))
      .toContainEqual({ name: 'Ana Souza', iniciais: 'AS', color: colour });
    await frame.evaluate('room.sair()');
    await expect.poll(() => rooms.presence.getStates().size).toBe(1);
    expect(await frame.evaluate('room.estado')).toBe('saiu');
    await expect.poll(() => rooms.open).toBe(0);
  });

  test('comes back by itself with a new ticket, and merges what both sides wrote meanwhile', async () => {
    await open();
    await enter();
    await state('sincronizado');
    rooms.deaf = true;
    rooms.kick(1006);
    await state('fora');
    await write('aqui ');
    rooms.doc.getText('t').insert(0, 'lá ');
    rooms.deaf = false;
    await state('sincronizado');
    await expect.poll(held).toContain('aqui');
    expect(await text()).toBe(held());
    const tickets = rooms.joins.map((join) => join.split('=')[1]);
    expect(new Set(tickets).size).toBe(tickets.length);
    expect(tickets.length).toBe(2);
  });

  test('is shown again to the others at once after it was away', async () => {
    await open();
    await enter();
    await state('sincronizado');
    await expect.poll(() => rooms.presence.getStates().size).toBe(1);
    rooms.kick(1006);
    await state('fora');
    await state('sincronizado');
    await expect.poll(() => rooms.presence.getStates().size, { timeout: 5_000 }).toBe(1);
  });

  test('tries at once when the browser is online again', async () => {
    await open();
    await enter();
    await state('sincronizado');
    await context.setOffline(true);
    await state('fora');
    await context.setOffline(false);
    await state('sincronizado');
    expect(rooms.joins.length).toBeGreaterThan(1);
  });

  test.for([
    [4403, 'sem-acesso'],
    [4410, 'apagada'],
  ] as const)('closed with %i is %s: the text stays, later words stay on the page, nobody tries again', async ([code, final]) => {
    rooms.doc.getText('t').insert(0, 'texto');
    await open();
    await enter();
    await state('sincronizado');
    rooms.kick(code);
    await state(final);
    await write(' só aqui');
    expect(await text()).toBe('texto só aqui');
    const asked = await page.evaluate<number>('asked.length');
    await frame.evaluate(`dispatchEvent(new Event('online'))`);
    expect(await page.evaluate('asked.length')).toBe(asked);
    expect(rooms.joins.length).toBe(1);
    // The copy is gone: who enters again begins with nothing.
    await frame.evaluate('room.sair()');
    rooms.deaf = true;
    await enter();
    await state('fora');
    expect(await text()).toBe('');
  });

  test.for([
    ['role = null', 'sem-acesso'],
    [`refusal = { code: 'ROOM_NOT_FOUND', message: '', status: 404 }`, 'apagada'],
    [`refusal = { code: 'FORBIDDEN', message: '', status: 403 }`, 'sem-acesso'],
    [`refusal = { code: 'SESSION_REQUIRED', message: '', status: 401 }`, 'fora'],
    [`refusal = { code: 'OFFLINE', message: '', status: 0 }`, 'fora'],
    [`signedIn = 'bia'`, 'sem-acesso'],
  ] as const)('when the ticket says: %s, it is %s', async ([given, expected]) => {
    await open(`addEventListener('load', () => { ${given} })`);
    await enter();
    await state(expected);
    expect(rooms.joins).toEqual([]);
    const waits = await frame.evaluate<string>(
      `Promise.race([room.sincronizado.catch(({ code }) => code), new Promise((go) => setTimeout(go, 50, 'waits'))])`,
    );
    expect(waits).toBe(expected === 'fora' ? 'waits' : expected);
  });

  test('takes a role that changed while it is open', async () => {
    await open();
    await enter();
    await state('sincronizado');
    await page.evaluate(`role = 'ver'; port.postMessage({ evento: 'mudaram', dados: {} })`);
    await frame.waitForFunction(`room.papel === 'ver' && !room.podeEscrever`);
    expect(await frame.evaluate('states')).toEqual(['conectando editar', 'sincronizado editar', 'sincronizado ver']);
  });
});

describe('the local copy', () => {
  test('keeps what was written without a network over a reload, and brings it to the room', async () => {
    await open();
    await enter();
    await state('sincronizado');
    await write('com rede; ');
    await expect.poll(held).toBe('com rede; ');
    rooms.deaf = true;
    rooms.kick(1006);
    await state('fora');
    await write('sem rede');
    await frame.evaluate('room.sair()');
    await page.close();
    await open();
    await enter();
    await frame.waitForFunction(`words.toString() === 'com rede; sem rede'`);
    expect(await frame.evaluate('[room.papel, room.podeEscrever]')).toEqual(['editar', true]);
    expect(held()).toBe('com rede; ');
    rooms.deaf = false;
    await state('sincronizado');
    await expect.poll(held).toBe('com rede; sem rede');
  });

  test('is the person’s own: nobody else at this browser sees it', async () => {
    await open();
    await enter();
    await state('sincronizado');
    await write('de ana');
    await frame.evaluate('room.sair()');
    await page.close();
    rooms.deaf = true;
    await open(`addEventListener('load', () => (person = 'bia'))`);
    await enter();
    await state('fora');
    expect(await text()).toBe('');
    await page.close();
    await open();
    await enter();
    await state('fora');
    expect(await text()).toBe('de ana');
  });

  test('is not made with guardarLocal: false', async () => {
    await open();
    await enter('{ guardarLocal: false }');
    await state('sincronizado');
    await write('passageiro');
    await expect.poll(held).toBe('passageiro');
    await frame.evaluate('room.sair()');
    expect(await frame.evaluate('indexedDB.databases()')).toEqual([]);
  });

  test('does not keep what a role that may not write wrote: after a reload the page shows what the room holds', async () => {
    rooms.doc.getText('t').insert(0, 'do portal');
    await open(`addEventListener('load', () => (role = 'ver'))`);
    rooms.readOnly = true;
    await enter();
    await state('sincronizado');
    await write(' só aqui');
    await frame.evaluate('room.sair()');
    await page.close();
    rooms.deaf = true;
    await open(`addEventListener('load', () => (role = 'ver'))`);
    await enter();
    await state('fora');
    expect(await text()).toBe('do portal');
  });

  test('is put together once it is many rows, and stays whole', async () => {
    await open();
    await enter();
    await state('sincronizado');
    await frame.evaluate(`for (let n = 0; n < 1000; n++) words.insert(words.length, n + ','); undefined`);
    await frame.evaluate('room.sair()');
    const rows = await frame.evaluate<number>(`new Promise((resolve) => {
      const opening = indexedDB.open('svc-salas');
      opening.onsuccess = () => {
        const all = opening.result.transaction('updates').objectStore('updates').count();
        all.onsuccess = () => resolve(all.result);
      };
    })`);
    expect(rows).toBeLessThan(400);
    rooms.deaf = true;
    await enter();
    await frame.waitForFunction(`words.toString().endsWith(',999,')`);
    expect((await text()).split(',').length).toBe(1_001);
  });
});

test('outside the shell entering degrades: a document to write in, fora, and a promise that says why', async () => {
  page = await context.newPage();
  page.on('pageerror', (problem) => errors.push(problem.message));
  await page.goto(`http://app.svc.localhost:${pages.port}/app`);
  expect(await page.evaluate('enter()')).toBe('fora');
  expect(await page.evaluate('room.sincronizado.catch((error) => [error.code, error.message])')).toEqual([
    'fora-do-ambiente',
    'fora do ambiente salas.entrar',
  ]);
  await page.evaluate(`words.insert(0, 'aqui'); undefined`);
  expect(await page.evaluate('words.toString()')).toBe('aqui');
  expect(await page.evaluate(`svc.salas.listar().catch((error) => error.message)`)).toBe('fora do ambiente salas.listar');
  expect(await page.evaluate(`svc.pessoas.eu().catch((error) => error.message)`)).toBe('fora do ambiente pessoas.eu');
  await page.evaluate('room.sair()');
  expect(await page.evaluate('room.estado')).toBe('saiu');
});
