/**
 * A network that drops all it gets and says nothing (a tunnel that fell asleep, a router that forgot its table): connections stay open and nothing
 * comes. docs/decisions/0341-what-a-browser-may-refuse.md
 */
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../support/chromium.ts';
import { startPortal, type RunningPortal } from '../support/portal.ts';
import { newLink, newPage, openApp, windowOf } from './support/browser.ts';
import { openFileOn } from './support/open-file.ts';

/** The way from the browser to the portal, at another address with the same port. */
interface Way {
  /** Connections of before stay open, and nothing goes through them any more; new ones neither, until `mended`. */
  swallow(): void;
  mended(): void;
  close(): void;
}

const address = '127.0.0.2';

async function startWay(port: number): Promise<Way> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isSwallowing = false;
  const server: Server = createServer((from) => {
    from.on('error', () => undefined);
    if (isSwallowing) {
      from.resume();
      return;
    }
    const to = connect(port, '127.0.0.1');
    to.on('error', () => from.destroy());
    from.on('close', () => to.destroy());
    to.on('close', () => from.destroy());
    from.pipe(to).pipe(from);
    pairs.add([from, to]);
  });
  server.listen(port, address);
  await once(server, 'listening');
  return {
    swallow: () => {
      isSwallowing = true;
      for (const [from, to] of pairs) {
        from.unpipe(to);
        to.unpipe(from);
        from.resume();
        to.resume();
      }
    },
    mended: () => (isSwallowing = false),
    close: () => {
      for (const [from, to] of pairs) {
        from.destroy();
        to.destroy();
      }
      server.close();
    },
  };
}

let portal: RunningPortal;
let browser: Browser;
let way: Way;
let folder: string;
beforeAll(async () => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'svc-way-')));
  const [started, launched] = await Promise.all([
    startPortal({ apps: ['notas'] }),
    launchBrowser('shell', [`--host-resolver-rules=MAP svc.localhost ${address}, MAP *.svc.localhost ${address}`]),
  ]);
  [portal, browser] = [started, launched];
  way = await startWay(portal.port);
});
afterAll(async () => {
  await browser?.close();
  way?.close();
  await portal?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test(
  'the desktop, a terminal, an open folder and a window opened in it notice it, and go on over new connections',
  { timeout: 180_000 },
  async () => {
    const { page } = await newPage(browser);
    await page.goto(await newLink(portal));
    await page
      .getByRole('button', { name: /^Notas/ })
      .first()
      .waitFor();
    const status = page.locator('svc-taskbar .status');
    await status.and(page.locator('.online')).waitFor();
    await openFileOn(page, { caminho: folder, nome: path.basename(folder), isFolder: true });
    await page.locator('svc-window[top]:has(svc-files)').waitFor();
    await openApp(page, 'Terminal');
    const terminal = windowOf(page, 'Terminal');
    const rows = terminal.locator('svc-screen[shown] .xterm-rows');
    await expect.poll(async () => (await rows.allInnerTexts()).join('\n'), { timeout: 30_000 }).toMatch(/[$#]/);

    writeFileSync(path.join(folder, 'carta.txt'), 'caro leitor');
    way.swallow();
    // Nobody noticed it yet, and the script of the editor is still to come.
    await openFileOn(page, { caminho: path.join(folder, 'carta.txt'), nome: 'carta.txt' });
    const fromMs = performance.now();
    await status.and(page.locator('.offline')).waitFor();
    await terminal.getByText('Sem ligação com o terminal').waitFor();
    expect(performance.now() - fromMs).toBeLessThan(20_000);

    const backMs = performance.now();
    way.mended();
    writeFileSync(path.join(folder, 'novo.txt'), '');
    await status.and(page.locator('.online')).waitFor();
    await page.locator('svc-editor').getByText('caro leitor').waitFor();
    await terminal.getByText('Sem ligação com o terminal').waitFor({ state: 'detached' });
    await terminal.locator('svc-screen[shown] textarea').focus();
    await page.keyboard.type('echo de-$((40+2))\n');
    await expect.poll(async () => (await rows.allInnerTexts()).join('\n'), { timeout: 30_000 }).toContain('de-42');
    await page.locator('svc-files').getByText('novo.txt').waitFor();
    expect(performance.now() - backMs).toBeLessThan(20_000);
    await page.context().close();
  },
);
