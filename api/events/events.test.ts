/** `/ws/events` and window counts over real WebSockets (rules 6; rules 3.3 `encerrar`). */
import net from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { SvcError } from '../../schema/errors.ts';
import type { EventLine } from '../../schema/wire/events.ts';
import type { ManualClock } from '../testing/manual-clock.ts';
import { createPortalWorld, type Browser, type PortalWorld } from '../testing/portal-world.ts';

let portal: PortalWorld;
let ana: Browser;
let clock: ManualClock;

beforeEach(async () => {
  portal = await createPortalWorld();
  clock = portal.clock as ManualClock;
  ana = await portal.signedIn('ana');
});
afterEach(() => portal.close());

interface Page {
  readonly socket: WebSocket;
  readonly lines: EventLine[];
  readonly pagina: string;
  readonly closed: Promise<number>;
}

async function open(browser: Browser): Promise<Page> {
  const socket = browser.socket('/ws/events');
  const lines: EventLine[] = [];
  socket.on('message', (data: Buffer) => lines.push(JSON.parse(data.toString()) as EventLine));
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await new Promise((resolve, reject) => {
    socket.once('message', resolve);
    socket.once('error', reject);
  });
  const [hello] = lines;
  if (hello?.type !== 'ola') throw new Error('expected ola first');
  return { socket, lines, pagina: hello.pagina, closed };
}

describe('the events channel', () => {
  test('as a page the address has nothing, and no error: the desktop asks it so after refused handshakes', async () => {
    for (const path of ['/ws/events?pessoa=ana', '/ws/terminais/t1']) expect([path, (await ana.request(path)).status]).toEqual([path, 204]);
  });

  test('says hello first, then numbers what happens to this person only', async () => {
    const page = await open(ana);
    portal.world.backend('bia', 'notas').become('starting', 'Probing');
    portal.world.backend('ana', 'notas').become('starting', 'Probing');
    portal.bus.publish('ana', { type: 'apps-changed' });
    await expect.poll(() => page.lines).toHaveLength(3);
    expect(page.lines).toEqual([
      { type: 'ola', run: expect.any(String) as string, seq: 0, pagina: page.pagina },
      {
        seq: 1,
        atMs: clock.nowMs(),
        type: 'app-status',
        app: 'notas',
        status: 'starting',
        ready: false,
        reason: 'Probing',
        message: 'notas is starting',
      },
      { seq: 2, atMs: clock.nowMs(), type: 'apps-changed' },
    ]);
    const later = await open(ana);
    expect(later.lines[0]).toMatchObject({ seq: 2, run: (page.lines[0] as { run: string }).run });
  });

  test('what another portal may have said unheard is a gap, after which a page reads everything again', async () => {
    const page = await open(ana);
    portal.bus.edgesMissed();
    await expect.poll(() => page.lines).toHaveLength(2);
    expect(page.lines[1]).toMatchObject({ seq: 2, type: 'avisos' });
  });

  test('says every 5 s that the portal is there, with the number of the last event', async () => {
    const page = await open(ana);
    portal.bus.publish('ana', { type: 'apps-changed' });
    await expect.poll(() => page.lines).toHaveLength(2);
    clock.advance(4_999);
    clock.advance(1);
    clock.advance(5_000);
    await expect.poll(() => page.lines).toHaveLength(4);
    expect(page.lines.slice(2)).toEqual([
      { type: 'pulso', seq: 1 },
      { type: 'pulso', seq: 1 },
    ]);
  });

  test('signing out closes what that session opened', async () => {
    const page = await open(ana);
    const other = await open(await portal.signedIn('ana'));
    await ana.call('DELETE', '/api/sessao');
    expect(await page.closed).toBe(4401);
    portal.bus.publish('ana', { type: 'apps-changed' });
    await expect.poll(() => other.lines).toHaveLength(2);
  });

  test('an expired session is noticed at the next ping', async () => {
    const page = await open(ana);
    for (const session of await portal.store.sessionsOf('ana', clock.nowMs())) await portal.store.deleteSession(session.tokenHash);
    clock.advance(25_000);
    expect(await page.closed).toBe(4401);
  });

  test('a page that no longer answers pings is dropped', async () => {
    const page = await open(ana);
    page.socket.pause();
    clock.advance(25_000);
    const address = page.socket.readyState;
    await expect.poll(() => metric(portal, 'svc_event_sockets')).toBe('1');
    // The first ping is under way; unanswered at the second it counts.
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(25_000);
    await expect.poll(() => metric(portal, 'svc_event_sockets')).toBe('0');
    expect(address).toBe(1);
  });

  test('takes no messages: a page that talks is closed', async () => {
    const page = await open(ana);
    page.socket.send('{}');
    expect(await page.closed).toBe(1008);
    const loud = await open(ana);
    loud.socket.send(Buffer.alloc(4_096));
    expect(await loud.closed).toBe(1009);
  });

  test('has a number of connections per person', async () => {
    const pages = await Promise.all(Array.from({ length: 32 }, () => open(ana)));
    await expect(open(ana)).rejects.toThrow('429');
    await open(await portal.signedIn('bia'));
    const [first] = pages;
    first?.socket.close();
    await first?.closed;
    await expect
      .poll(() =>
        open(ana).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
  });

  test('a page that does not read is dropped at its budget, and others lose nothing', { tags: ['costly'] }, async () => {
    const good = await open(ana);
    const slow = await slowReader(portal, ana);
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const held = (): number => (collect(), process.memoryUsage().arrayBuffers);
    const before = held();
    const detail = 'x'.repeat(32_768);
    // More than the kernel's buffers and the budget together; the good reader keeps up with every burst.
    const sent = 800;
    for (let burst = 0; burst < sent / 16; burst += 1) {
      for (let each = 0; each < 16; each += 1) portal.bus.publish('ana', { type: 'app-step', app: 'notas', step: 'probe', detail });
      while (good.lines.length < (burst + 1) * 16 + 1) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await metric(portal, 'svc_event_sockets')).toBe('1');
    // The portal sent 25 MiB; only the lines within the budget may wait for the slow page, once the bytes on their way are gone.
    await expect.poll(() => held() - before).toBeLessThan(4 * 1_048_576);
    slow.resume();
    await slow.closed;
    portal.bus.publish('ana', { type: 'apps-changed' });
    await expect.poll(() => good.lines.at(-1)).toMatchObject({ type: 'apps-changed', seq: sent + 1 });
  });
});

describe('window counts', () => {
  const stored = () => portal.store.windows();
  const count = (page: Page, abertas: number, app = 'notas') =>
    ana.call('POST', `/api/apps/${app}/janelas`, { abertas, pagina: page.pagina });

  test('are summed over pages and end with the connection of their page', async () => {
    const one = await open(ana);
    const two = await open(ana);
    const enqueued: string[] = [];
    portal.bus.onEnqueue((key) => enqueued.push(key));
    expect((await count(one, 2)).json()).toEqual({ abertas: 2 });
    expect((await count(two, 1)).json()).toEqual({ abertas: 3 });
    expect(await stored()).toEqual([{ person: 'ana', app: 'notas', open: 3, zeroSinceMs: null }]);
    expect(enqueued).toEqual(['Backend/ana/notas', 'Backend/ana/notas']);
    one.socket.terminate();
    await expect.poll(stored).toEqual([{ person: 'ana', app: 'notas', open: 1, zeroSinceMs: null }]);
    clock.advance(1_000);
    two.socket.close();
    await expect.poll(stored).toEqual([{ person: 'ana', app: 'notas', open: 0, zeroSinceMs: clock.nowMs() }]);
  });

  test('a repeated zero does not begin the two minutes anew', async () => {
    const page = await open(ana);
    await count(page, 1);
    await count(page, 0);
    const zeroSinceMs = clock.nowMs();
    clock.advance(20_000);
    await count(page, 0);
    expect(await stored()).toEqual([{ person: 'ana', app: 'notas', open: 0, zeroSinceMs }]);
  });

  test('that the store refused are written a little later, those of a page that is gone too; the same count again is no count that is known', async () => {
    const page = await open(ana);
    await count(page, 1);
    const { putWindows } = portal.store;
    const refuse = async (): Promise<never> => {
      throw new SvcError('STORE_FAILED', 'the disk is full');
    };
    Object.assign(portal.store, { putWindows: refuse });
    expect((await count(page, 2)).status).toBe(500);
    Object.assign(portal.store, { putWindows });
    expect((await count(page, 2)).json()).toEqual({ abertas: 2 });
    expect(await stored()).toMatchObject([{ open: 2 }]);
    Object.assign(portal.store, { putWindows: refuse });
    const faults = portal.logLines.filter((line) => line.includes('portal fault')).length;
    page.socket.close();
    await page.closed;
    await expect.poll(() => portal.logLines.filter((line) => line.includes('portal fault')).length).toBeGreaterThan(faults);
    Object.assign(portal.store, { putWindows });
    clock.advance(5_000);
    await expect.poll(stored).toEqual([{ person: 'ana', app: 'notas', open: 0, zeroSinceMs: clock.nowMs() }]);
  });

  test('of a page that is not connected, or of another person, are refused', async () => {
    const page = await open(ana);
    const bia = await portal.signedIn('bia');
    const foreign = await bia.call('POST', '/api/apps/notas/janelas', { abertas: 1, pagina: page.pagina });
    expect([foreign.status, foreign.json()['code']]).toEqual([409, 'PAGE_UNKNOWN']);
    page.socket.close();
    await page.closed;
    await expect.poll(async () => (await count(page, 1)).status).toBe(409);
    expect((await count(await open(ana), 1, 'outra')).status).toBe(404);
    expect(await stored()).toEqual([]);
  });

  test('found open after a restart of the portal count as closed now', async () => {
    await portal.store.putWindows('', { person: 'ana', app: 'notas', open: 3, zeroSinceMs: null });
    await portal.store.putWindows('', { person: 'ana', app: 'relogio', open: 0, zeroSinceMs: 5 });
    const next = await createPortalWorld({ store: portal.store, clock });
    try {
      expect(await stored()).toEqual([
        { person: 'ana', app: 'notas', open: 0, zeroSinceMs: clock.nowMs() },
        { person: 'ana', app: 'relogio', open: 0, zeroSinceMs: 5 },
      ]);
    } finally {
      await next.close();
    }
  });
});

async function metric(world: PortalWorld, name: string): Promise<string | undefined> {
  const { text } = await world.control('GET', '/metrics');
  return new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1];
}

/** A client that shakes hands and then reads nothing. */
async function slowReader(world: PortalWorld, browser: Browser) {
  const socket = net.connect(world.port, '127.0.0.1');
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => {});
  const lines = [
    'GET /ws/events HTTP/1.1',
    `Host: ${world.host}`,
    `Origin: ${world.url}`,
    `Cookie: ${browser.cookies.get(world.host) ?? ''}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.pause();
  return { closed, resume: () => socket.resume() };
}
