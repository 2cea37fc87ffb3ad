/**
 * `svc.salas.entrar` in a real browser, with a real y-protocols server and a shell of the test: what the connection does with the network, the
 * local copy and the close codes. The whole way through a portal: test/browser/rooms.real.test.ts.
 */
import { build } from 'esbuild';
import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test, type TestContext } from 'vitest';
import { servePages, type PageServer } from '../testing/page-server.ts';
import { startRoomServer } from '../testing/room-server.ts';
import { closePages, openBrowser } from '../../test/support/chromium.ts';

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
let pages: PageServer;
let shells: PageServer;

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
  browser = await openBrowser();
});
afterAll(async () => {
  await closePages(browser);
  for (const server of [pages, shells]) server.close();
});

/** A room server and a browser profile of one test: tests wait for pauses and time-outs at the same time. */
async function begin({ onTestFinished }: Pick<TestContext, 'onTestFinished'>) {
  const rooms = await startRoomServer();
  const context = await browser.newContext();
  const errors: string[] = [];
  onTestFinished(async () => {
    await context.close();
    await rooms.close();
    if (errors.length > 0) throw new Error(`errors in the page: ${errors.join('; ')}`);
  });
  const newPage = async (): Promise<Page> => {
    const page = await context.newPage();
    page.on('pageerror', (problem) => errors.push(problem.message));
    return page;
  };
  const at = {
    rooms,
    context,
    newPage,
    page: undefined as unknown as Page,
    frame: undefined as unknown as Frame,
    open: async (before = ''): Promise<void> => {
      at.page = await newPage();
      await at.page.addInitScript(`window.roomPort = ${rooms.port}; ${before}`);
      await at.page.goto(`http://svc.localhost:${shells.port}/`);
      at.frame = at.page.frames().find((one) => one.url().includes('/app'))!;
      await at.frame.waitForFunction('window.svc !== undefined && window.Y !== undefined');
    },
    enter: async (options = '{}'): Promise<string> => await at.frame.evaluate(`enter(${options})`),
    state: async (wanted: string): Promise<unknown> => await at.frame.waitForFunction(`room.estado === '${wanted}'`),
    text: async (): Promise<string> => await at.frame.evaluate('words.toString()'),
    write: async (words: string): Promise<void> =>
      await at.frame.evaluate(`words.insert(words.length, ${JSON.stringify(words)}); undefined`),
    held: (): string => rooms.doc.getText('t').toJSON(),
  };
  return at;
}

describe.concurrent('a connection', () => {
  test('is there at once, and synced when the portal has sent what the room held', async ({ expect, onTestFinished }) => {
    const at = await begin({ onTestFinished });
    at.rooms.doc.getText('t').insert(0, 'do portal');
    await at.open();
    expect(await at.enter()).toBe('conectando');
    await at.frame.evaluate('room.sincronizado');
    expect(await at.text()).toBe('do portal');
    expect(await at.frame.evaluate('[room.estado, room.papel, room.podeEscrever]')).toEqual(['sincronizado', 'editar', true]);
    expect(at.rooms.joins).toEqual(['/ws/salas/x/documento?bilhete=b1']);
    await at.write(' e daqui');
    await expect.poll(at.held).toBe('do portal e daqui');
  });

  test('joins the comments channel when told so', async ({ expect, onTestFinished }) => {
    const at = await begin({ onTestFinished });
    await at.open(`addEventListener('load', () => (role = 'comentar'))`);
    await at.enter(`{ canal: 'comentarios' }`);
    await at.state('sincronizado');
    expect(at.rooms.joins).toEqual(['/ws/salas/x/comentarios?bilhete=b1']);
    expect(await at.frame.evaluate('room.podeEscrever')).toBe(true);
  });

  test('shows presence both ways, with the colour of the person', async ({ expect, onTestFinished }) => {
    const at = await begin({ onTestFinished });
    await at.open();
    await at.enter();
    await at.state('sincronizado');
    at.rooms.presence.setLocalState({ user: { name: 'Bia' } });
    await at.frame.waitForFunction(`[...room.presenca.getStates().values()].some((one) => one.user?.name === 'Bia')`);
    const colour = await at.frame.evaluate<string>(`svc.pessoas.corDe('ana')`);
    expect(colour).toMatch(/^#[0-9a-f]{6}$/);
    await expect
      .poll(() => [...at.rooms.presence.getStates().values()].map((one) => one['user']))
      .toContainEqual({ name: 'Ana Souza', iniciais: 'AS', color: colour });
    await at.frame.evaluate('room.sair()');
    await expect.poll(() => at.rooms.presence.getStates().size).toBe(1);
    expect(await at.frame.evaluate('room.estado')).toBe('saiu');
    await expect.poll(() => at.rooms.open).toBe(0);
  });

  test('comes back by itself with a new ticket, and merges what both sides wrote meanwhile', async ({ expect, onTestFinished }) => {
    const at = await begin({ onTestFinished });
    await at.open();
    await at.enter();
    await at.state('sincronizado');
    at.rooms.deaf = true;
    at.rooms.kick(1006);
    await at.state('fora');
    await at.write('aqui ');
    at.rooms.doc.getText('t').insert(0, 'lá ');
    at.rooms.deaf = false;
    await at.state('sincronizado');
    await expect.poll(at.held).toContain('aqui');
    expect(await at.text()).toBe(at.held());
    const tickets = at.rooms.joins.map((join) => join.split('=')[1]);
    expect(new Set(tickets).size).toBe(tickets.length);
    expect(tickets.length).toBe(2);
  });

  test('is shown again to the others at once after it was away', async ({ expect, onTestFinished }) => {
    const at = await begin({ onTestFinished });
    await at.open();
    await at.enter();
    await at.state('sincronizado');
    await expect.poll(() => at.rooms.presence.getStates().size).toBe(1);
    at.rooms.kick(1006);
    await at.state('fora');
    await at.state('sincronizado');
    await expect.poll(() => at.rooms.presence.getStates().size, { timeout: 5_000 }).toBe(1);
  });

  test('tries at once when the browser is online again', async ({ expect, onTestFinished }) => {
    const at = await begin({ onTestFinished });
    await at.open();
    await at.enter();
    await at.state('sincronizado');
    await at.context.setOffline(true);
    await at.state('fora');
    await at.context.setOffline(false);
    await at.state('sincronizado');
    expect(at.rooms.joins.length).toBeGreaterThan(1);
  });

  test.for([
    [4403, 'sem-acesso'],
    [4410, 'apagada'],
  ] as const)(
    'closed with %i is %s: the text stays, later words stay on the page, nobody tries again',
    async ([code, final], { expect, onTestFinished }) => {
      const at = await begin({ onTestFinished });
      at.rooms.doc.getText('t').insert(0, 'texto');
      await at.open();
      await at.enter();
      await at.state('sincronizado');
      at.rooms.kick(code);
      await at.state(final);
      await at.write(' só aqui');
      expect(await at.text()).toBe('texto só aqui');
      const asked = await at.page.evaluate<number>('asked.length');
      await at.frame.evaluate(`dispatchEvent(new Event('online'))`);
      expect(await at.page.evaluate('asked.length')).toBe(asked);
      expect(at.rooms.joins.length).toBe(1);
      // The copy is gone: who enters again begins with nothing.
      await at.frame.evaluate('room.sair()');
      at.rooms.deaf = true;
      await at.enter();
      await at.state('fora');
      expect(await at.text()).toBe('');
    },
  );

  test('is what the ticket says: without access, deleted, or away', async ({ expect, onTestFinished }) => {
    const at = await begin({ onTestFinished });
    await at.open();
    for (const [given, expected] of [
      ['role = null', 'sem-acesso'],
      [`refusal = { code: 'ROOM_NOT_FOUND', message: '', status: 404 }`, 'apagada'],
      [`refusal = { code: 'FORBIDDEN', message: '', status: 403 }`, 'sem-acesso'],
      [`refusal = { code: 'SESSION_REQUIRED', message: '', status: 401 }`, 'fora'],
      [`refusal = { code: 'OFFLINE', message: '', status: 0 }`, 'fora'],
      [`signedIn = 'bia'`, 'sem-acesso'],
    ] as const) {
      await at.page.evaluate(`role = 'editar'; refusal = undefined; signedIn = undefined; ${given}; undefined`);
      await at.enter();
      await at.state(expected);
      const waits = await at.frame.evaluate<string>(
        `Promise.race([room.sincronizado.catch(({ code }) => code), new Promise((go) => setTimeout(go, 50, 'waits'))])`,
      );
      expect([given, waits]).toEqual([given, expected === 'fora' ? 'waits' : expected]);
      await at.frame.evaluate('room.sair()');
    }
    expect(at.rooms.joins).toEqual([]);
  });

  test('takes a role that changed while it is open', async ({ expect, onTestFinished }) => {
    const at = await begin({ onTestFinished });
    await at.open();
    await at.enter();
    await at.state('sincronizado');
    await at.page.evaluate(`role = 'ver'; port.postMessage({ evento: 'mudaram', dados: {} })`);
    await at.frame.waitForFunction(`room.papel === 'ver' && !room.podeEscrever`);
    expect(await at.frame.evaluate('states')).toEqual(['conectando editar', 'sincronizado editar', 'sincronizado ver']);
  });
});

describe.concurrent('the local copy', () => {
  test('keeps what was written without a network over a reload, and brings it to the room', async ({ expect, onTestFinished }) => {
    const at = await begin({ onTestFinished });
    await at.open();
    await at.enter();
    await at.state('sincronizado');
    await at.write('com rede; ');
    await expect.poll(at.held).toBe('com rede; ');
    at.rooms.deaf = true;
    at.rooms.kick(1006);
    await at.state('fora');
    await at.write('sem rede');
    await at.frame.evaluate('room.sair()');
    await at.page.close();
    await at.open();
    await at.enter();
    await at.frame.waitForFunction(`words.toString() === 'com rede; sem rede'`);
    expect(await at.frame.evaluate('[room.papel, room.podeEscrever]')).toEqual(['editar', true]);
    expect(at.held()).toBe('com rede; ');
    at.rooms.deaf = false;
    await at.state('sincronizado');
    await expect.poll(at.held).toBe('com rede; sem rede');
  });

  test('is the person’s own: nobody else at this browser sees it', async ({ expect, onTestFinished }) => {
    const at = await begin({ onTestFinished });
    await at.open();
    await at.enter();
    await at.state('sincronizado');
    await at.write('de ana');
    await at.frame.evaluate('room.sair()');
    await at.page.close();
    at.rooms.deaf = true;
    await at.open(`addEventListener('load', () => (person = 'bia'))`);
    await at.enter();
    await at.state('fora');
    expect(await at.text()).toBe('');
    await at.page.close();
    await at.open();
    await at.enter();
    await at.state('fora');
    expect(await at.text()).toBe('de ana');
  });

  test('is not made with guardarLocal: false', async ({ expect, onTestFinished }) => {
    const at = await begin({ onTestFinished });
    await at.open();
    await at.enter('{ guardarLocal: false }');
    await at.state('sincronizado');
    await at.write('passageiro');
    await expect.poll(at.held).toBe('passageiro');
    await at.frame.evaluate('room.sair()');
    expect(await at.frame.evaluate('indexedDB.databases()')).toEqual([]);
  });

  test('does not keep what a role that may not write wrote: after a reload the page shows what the room holds', async ({
    expect,
    onTestFinished,
  }) => {
    const at = await begin({ onTestFinished });
    at.rooms.doc.getText('t').insert(0, 'do portal');
    await at.open(`addEventListener('load', () => (role = 'ver'))`);
    at.rooms.readOnly = true;
    await at.enter();
    await at.state('sincronizado');
    await at.write(' só aqui');
    await at.frame.evaluate('room.sair()');
    await at.page.close();
    at.rooms.deaf = true;
    await at.open(`addEventListener('load', () => (role = 'ver'))`);
    await at.enter();
    await at.state('fora');
    expect(await at.text()).toBe('do portal');
  });

  test('is put together once it is many rows, and stays whole', async ({ expect, onTestFinished }) => {
    const at = await begin({ onTestFinished });
    await at.open();
    await at.enter();
    await at.state('sincronizado');
    await at.frame.evaluate(`for (let n = 0; n < 1000; n++) words.insert(words.length, n + ','); undefined`);
    await at.frame.evaluate('room.sair()');
    const rows = await at.frame.evaluate<number>(`new Promise((resolve) => {
      const opening = indexedDB.open('svc-salas');
      opening.onsuccess = () => {
        const all = opening.result.transaction('updates').objectStore('updates').count();
        all.onsuccess = () => resolve(all.result);
      };
    })`);
    expect(rows).toBeLessThan(400);
    at.rooms.deaf = true;
    await at.enter();
    await at.frame.waitForFunction(`words.toString().endsWith(',999,')`);
    expect((await at.text()).split(',').length).toBe(1_001);
  });
});

test('outside the shell entering degrades: a document to write in, fora, and a promise that says why', async ({
  expect,
  onTestFinished,
}) => {
  const at = await begin({ onTestFinished });
  at.page = await at.newPage();
  await at.page.goto(`http://app.svc.localhost:${pages.port}/app`);
  expect(await at.page.evaluate('enter()')).toBe('fora');
  expect(await at.page.evaluate('room.sincronizado.catch((error) => [error.code, error.message])')).toEqual([
    'fora-do-ambiente',
    'fora do ambiente salas.entrar',
  ]);
  await at.page.evaluate(`words.insert(0, 'aqui'); undefined`);
  expect(await at.page.evaluate('words.toString()')).toBe('aqui');
  expect(await at.page.evaluate(`svc.salas.listar()`)).toEqual({ salas: [] });
  expect(await at.page.evaluate(`svc.pessoas.eu()`)).toBeNull();
  expect(await at.page.evaluate(`svc.salas.criar('x').catch((error) => error.message)`)).toBe('fora do ambiente salas.criar');
  await at.page.evaluate('room.sair()');
  expect(await at.page.evaluate('room.estado')).toBe('saiu');
});
