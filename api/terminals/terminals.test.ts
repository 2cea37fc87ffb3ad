/** Terminals over real WebSockets and the real emulator; the shells are the test's. Decision: docs/decisions/0225-terminals.md */
import type { PassThrough } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import type { TerminalNews } from '../../schema/wire/terminals.ts';
import type { ManualClock } from '../testing/manual-clock.ts';
import { createPortalWorld, type Browser, type PortalWorld } from '../testing/portal-world.ts';
import type { TestShell } from '../testing/shells.ts';

let portal: PortalWorld;
let ana: Browser;
let clock: ManualClock;

beforeAll(async () => {
  portal = await createPortalWorld();
  clock = portal.clock as ManualClock;
});
afterAll(() => portal.close());
beforeEach(async () => {
  // The limits of a minute begin anew.
  clock.advance(60_000);
  ana = await portal.signedIn('ana');
});
afterEach(async () => {
  portal.world.shells.asPortal.clear();
  const after = await portal.signedIn('ana');
  const { terminais } = (await after.call('GET', '/api/terminais')).json() as { readonly terminais: readonly { readonly id: string }[] };
  for (const { id } of terminais) await after.call('DELETE', `/api/terminais/${id}`);
});

const size = { colunas: 80, linhas: 24 };

async function opened(browser = ana): Promise<{ readonly id: string; readonly shell: TestShell }> {
  const answer = await browser.call('POST', '/api/terminais', size);
  expect(answer.status).toBe(201);
  return { id: answer.json().id as string, shell: portal.world.shells.opened.at(-1)! };
}

interface Page {
  readonly socket: WebSocket;
  readonly news: TerminalNews[];
  /** Everything that it printed. */
  readonly printed: () => string;
  readonly closed: Promise<number>;
}

async function page(id: string, browser = ana): Promise<Page> {
  const socket = browser.socket(`/ws/terminais/${id}`);
  const news: TerminalNews[] = [];
  let printed = '';
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) printed += data.toString();
    else news.push(JSON.parse(data.toString()) as TerminalNews);
  });
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await new Promise((resolve, reject) => {
    socket.once('message', resolve);
    socket.once('error', reject);
  });
  return { socket, news, printed: () => printed, closed };
}

const statusOf = (id: string, browser: Browser, headers = {}, isBrief = false): Promise<number> =>
  new Promise((resolve, reject) => {
    const socket = browser.socket(`/ws/terminais/${id}`, headers);
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.once('open', () => {
      if (isBrief) socket.terminate();
      resolve(101);
    });
    socket.once('error', reject);
  });

describe('a terminal', () => {
  test('shows what the shell prints, passes on what is typed, and tells of sizes', async () => {
    const { id, shell } = await opened();
    const shown = await page(id);
    expect(shown.news).toEqual([{ tela: size }]);
    shell.output.write('olá\r\n');
    await expect.poll(shown.printed).toContain('olá\r\n');
    shown.socket.send(Buffer.from('ls -l\r'));
    await expect.poll(shell.typed).toBe('ls -l\r');
    shown.socket.send(JSON.stringify({ tamanho: { colunas: 120, linhas: 40 } }));
    await expect.poll(() => shell.sizes).toEqual([{ columns: 120, rows: 40 }]);
    shown.socket.terminate();
  });

  test('is found again as it was: screen, scrollback, colours and title, in the size it has', async () => {
    const { id, shell } = await opened();
    const first = await page(id);
    first.socket.send(JSON.stringify({ tamanho: { colunas: 100, linhas: 30 } }));
    shell.output.write(`${Array.from({ length: 60 }, (_, n) => `linha ${n}`).join('\r\n')}\r\n\u001b]2;obra\u0007\u001b[31mvermelho`);
    await expect.poll(() => first.news).toContainEqual({ titulo: 'obra' });
    first.socket.terminate();
    await expect.poll(async () => (await ana.call('GET', '/api/terminais')).json().terminais[0].paginas).toBe(0);
    shell.output.write('\u001b[0m e mais');
    const second = await page(id);
    await expect.poll(second.printed).toContain('e mais');
    expect(second.news).toEqual([{ tela: { colunas: 100, linhas: 30 } }, { titulo: 'obra' }]);
    expect(second.printed()).toContain('linha 0\r\n');
    expect(second.printed()).toContain('\u001b[31mvermelho');
    second.socket.terminate();
  });

  test('answers what a program asks once, however many pages look, and without any', async () => {
    const { id, shell } = await opened();
    shell.output.write('\u001b[6n');
    await expect.poll(shell.typed).toBe('\u001b[1;1R');
    const pages = [await page(id), await page(id)];
    shell.output.write('abc\u001b[6n');
    await expect.poll(shell.typed).toBe('\u001b[1;1R\u001b[1;4R');
    for (const { socket } of pages) socket.terminate();
  });

  test('counts an emoji as two columns, as the page does', async () => {
    const { shell } = await opened();
    shell.output.write('\u{1F600}\u{1F600}\u001b[6n');
    await expect.poll(shell.typed).toBe('\u001b[1;5R');
  });

  test('answers what colours there are once, with those of the page that said them last; before that nothing', async () => {
    const { id, shell } = await opened();
    shell.output.write('\u001b]11;?\u0007\u001b[6n');
    await expect.poll(shell.typed).toBe('\u001b[1;1R');
    const pages = [await page(id), await page(id)];
    const paleta = Array.from({ length: 16 }, (_, n) => `#0000${n.toString(16).padStart(2, '0')}`);
    const cores = { texto: '#e4e7ea', fundo: '#16191d', cursor: '#ffffff', paleta };
    pages[0]?.socket.send(JSON.stringify({ tamanho: size, cores }));
    await expect.poll(() => shell.sizes.length).toBe(1);
    shell.output.write('\u001b]10;?;?\u001b\\\u001b]4;1;?;15;?;16;?;x;?\u0007\u001b]4;2;#ffffff\u0007\u001b[6n');
    const told = ['10;rgb:e4e4/e7e7/eaea', '11;rgb:1616/1919/1d1d', '4;1;rgb:0000/0000/0101', '4;15;rgb:0000/0000/0f0f'];
    await expect.poll(shell.typed).toBe(`\u001b[1;1R${told.map((each) => `\u001b]${each}\u001b\\`).join('')}\u001b[1;1R`);
    pages[1]?.socket.send(JSON.stringify({ tamanho: size, cores: { ...cores, fundo: 'url(x)' } }));
    expect(await pages[1]?.closed).toBe(1008);
    for (const { socket } of pages) socket.terminate();
  });

  test('takes the beginning of a title of any length, and no half of a character', async () => {
    const { id, shell } = await opened();
    const shown = await page(id);
    shell.output.write(`\u001b]2;${'x'.repeat(199)}\u{1F600}${'y'.repeat(200_000)}\u0007`);
    await expect.poll(() => shown.news).toContainEqual({ titulo: 'x'.repeat(199) });
    shown.socket.terminate();
  });

  test('tells how the shell ended, and is gone then', async () => {
    const { id, shell } = await opened();
    const shown = await page(id);
    shell.output.write('adeus');
    shell.finish({ code: 3 });
    await expect.poll(() => shown.news).toContainEqual({ fim: { codigo: 3, sinal: null } });
    expect(shown.printed()).toContain('adeus');
    expect((await ana.call('GET', '/api/terminais')).json()).toEqual({ terminais: [], maximo: 6 });
    expect(await statusOf(id, ana)).toBe(404);
  });

  test('that ended while no page looked says so to the next one, once', async () => {
    const { id, shell } = await opened();
    shell.output.write('sozinho');
    shell.finish({ signal: 'SIGKILL' });
    await expect
      .poll(async () => (await ana.call('GET', '/api/terminais')).json().terminais[0].fim)
      .toEqual({ codigo: null, sinal: 'SIGKILL' });
    const shown = await page(id);
    await expect.poll(() => shown.news.at(-1)).toEqual({ fim: { codigo: null, sinal: 'SIGKILL' } });
    expect(shown.printed()).toContain('sozinho');
    expect((await ana.call('GET', '/api/terminais')).json().terminais).toEqual([]);
  });

  test('is hung up on order, when the portal ends, after twelve hours that nobody looks', async () => {
    const { id, shell } = await opened();
    expect((await ana.call('DELETE', `/api/terminais/${id}`)).status).toBe(204);
    expect(await shell.ended).toEqual({ code: null, signal: 'SIGHUP' });
    expect((await ana.call('DELETE', `/api/terminais/${id}`)).status).toBe(404);
    const away = await opened();
    clock.advance(12 * 3_600_000 - 120_000);
    expect((await ana.call('GET', '/api/terminais')).json().terminais).toHaveLength(1);
    clock.advance(240_000);
    expect(await away.shell.ended).toEqual({ code: null, signal: 'SIGHUP' });
    expect((await ana.call('GET', '/api/terminais')).json().terminais).toEqual([]);
  });
});

describe('whose it is', () => {
  test('nobody else sees, shows or ends it, and no page of another origin opens it', async () => {
    const { id } = await opened();
    const bia = await portal.signedIn('bia');
    expect((await bia.call('GET', '/api/terminais')).json().terminais).toEqual([]);
    expect((await bia.call('DELETE', `/api/terminais/${id}`)).status).toBe(404);
    expect(await statusOf(id, bia)).toBe(404);
    expect(await statusOf(id, portal.browser())).toBe(401);
    expect(await statusOf(id, ana, { origin: `http://${portal.appHost('notas')}` })).toBe(403);
    expect(await statusOf(`${id}?pessoa=bia`, ana)).toBe(409);
    expect((await portal.browser().call('POST', '/api/terminais', size)).status).toBe(401);
    expect((await portal.control('POST', '/api/terminais', size)).status).toBe(401);
  });

  test('who would get the account of the portal is refused, but for administrators', async () => {
    portal.world.shells.asPortal.add('ana');
    const refused = await ana.call('POST', '/api/terminais', size);
    expect([refused.status, refused.json().code]).toEqual([403, 'TERMINAL_AS_PORTAL']);
    await opened(await portal.signedIn('ana', { admin: true }));
  });

  test('signing out takes the pages away and leaves the shell to who signs in again', async () => {
    const { id, shell } = await opened();
    const shown = await page(id);
    await ana.call('DELETE', '/api/sessao');
    expect(await shown.closed).toBe(4401);
    const again = await page(id, await portal.signedIn('ana'));
    shell.output.write('ainda aqui');
    await expect.poll(again.printed).toContain('ainda aqui');
    again.socket.terminate();
  });
});

describe('limits', () => {
  test('six of a person, four pages of one, and sizes and frames within their bounds', { tags: ['costly'] }, async () => {
    const first = await opened();
    for (let n = 1; n < 6; n += 1) await opened();
    const seventh = await ana.call('POST', '/api/terminais', size);
    expect([seventh.status, seventh.json().code]).toEqual([409, 'TERMINALS_FULL']);
    const pages = await Promise.all([1, 2, 3, 4].map(() => page(first.id)));
    expect(await statusOf(first.id, ana)).toBe(429);
    for (const wrong of [{ colunas: 1, linhas: 24 }, { colunas: 80, linhas: 201 }, { colunas: 80 }, { ...size, x: 1 }]) {
      expect((await ana.call('POST', '/api/terminais', wrong)).status).toBe(400);
    }
    for (const [at, wrong] of ['{', '{"tamanho":{"colunas":0,"linhas":1}}', '[]'].entries()) {
      pages[at]!.socket.send(wrong);
      expect(await pages[at]!.closed).toBe(1008);
    }
    pages[3]!.socket.send(Buffer.alloc(65 * 1_024));
    expect(await pages[3]!.closed).toBeGreaterThan(1_000);
    expect(first.shell.sizes).toEqual([]);
  });

  test('answers to a program that reads none are left out', { tags: ['costly'], timeout: 90_000 }, async () => {
    const { id, shell } = await opened();
    const shown = await page(id);
    (shell.input as PassThrough).pause();
    for (let n = 0; n < 200; n += 1) shell.output.write('\u001b[c\u001b[6n'.repeat(500));
    shell.output.write('\u001b]2;drawn\u0007');
    await expect.poll(() => shown.news, { timeout: 60_000 }).toContainEqual({ titulo: 'drawn' });
    (shell.input as PassThrough).resume();
    shell.output.write('\r\nend\u001b[6n');
    await expect.poll(() => shell.typed().endsWith('\u001b[2;4R')).toBe(true);
    shown.socket.terminate();
    // The bytes that the pipe holds by itself, and those that may wait before it.
    expect(shell.typed().length).toBeLessThan(64 * 1_024);
  });

  test('of many sizes the first and the last are taken, and a person shows terminals only so quickly', async () => {
    const { id, shell } = await opened();
    const shown = await page(id);
    for (let n = 0; n < 200; n += 1) shown.socket.send(JSON.stringify({ tamanho: { colunas: 100 + n, linhas: 30 } }));
    await expect.poll(() => shell.sizes.length).toBe(1);
    shown.socket.send(Buffer.from('.'));
    await expect.poll(shell.typed).toBe('.');
    clock.advance(101);
    expect(shell.sizes).toEqual([
      { columns: 100, rows: 30 },
      { columns: 299, rows: 30 },
    ]);
    shown.socket.terminate();
    const answers: number[] = [];
    for (let n = 0; n < 32; n += 1) {
      answers.push(await statusOf(id, ana, {}, true));
      await expect.poll(async () => (await ana.call('GET', '/api/terminais')).json().terminais[0].paginas).toBe(0);
    }
    expect(answers.filter((status) => status === 101)).toHaveLength(29);
    expect(answers.at(-1)).toBe(429);
  });

  test(
    'a page that reads nothing holds the shell up for ten seconds, and is let go then',
    { tags: ['costly'], timeout: 90_000 },
    async () => {
      const { id, shell } = await opened();
      const slow = await page(id);
      slow.socket.pause();
      let written = 0;
      const piece = Buffer.from(`${'x'.repeat(1_023)}\n`);
      const all = 16 * 1_024 ** 2;
      /** False: it is held up, nothing was taken for so long. */
      const drained = (ms: number): Promise<boolean> =>
        Promise.race([new Promise<boolean>((resolve) => shell.output.once('drain', () => resolve(true))), pause(ms).then(() => false)]);
      const flood = async (patienceMs: number): Promise<void> => {
        while (written < all) {
          if (shell.output.writableNeedDrain && !(await drained(patienceMs))) return;
          shell.output.write(piece);
          written += piece.length;
        }
      };
      await flood(500);
      expect(written).toBeLessThan(all);
      // On a busy machine the shell waits for the screen before it waits for the page.
      await expect
        .poll(
          async () => {
            clock.advance(10_001);
            await flood(2_000);
            return written;
          },
          { timeout: 60_000 },
        )
        .toBe(all);
      const next = await page(id);
      next.socket.terminate();
    },
  );
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
