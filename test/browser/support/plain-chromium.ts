/**
 * Chromium as a person has it: Playwright makes each page believe that it has the focus, and a script that it runs counts as a gesture. Here the
 * browser alone decides where a key goes.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface PlainPage {
  go(url: string): Promise<void>;
  /** A script in the page itself, with `deep(selector)` for what is in shadow roots. It is no gesture. */
  run<T>(script: string): Promise<T>;
  /** Waits until the script gives something true, and answers it. */
  until<T>(script: string): Promise<T>;
  /** In the middle of what the script gives. */
  press(script: string): Promise<void>;
  pressAt(x: number, y: number): Promise<void>;
  /** Presses the keys one after the other, with their release. */
  type(words: string, everyMs: number): Promise<void>;
  key(name: 'Escape' | 'Enter' | 'Tab'): Promise<void>;
  /** In front of the others. */
  show(): Promise<void>;
}

export interface PlainChromium {
  open(): Promise<PlainPage>;
  close(): Promise<void>;
}

type Answer = { readonly result?: unknown; readonly exceptionDetails?: { readonly exception?: { readonly description?: string } } };

const deep = `const deep = (selector, root = document) => { for (const each of root.querySelectorAll('*')) {
  if (each.matches(selector)) return each;
  const found = each.shadowRoot === null ? null : deep(selector, each.shadowRoot);
  if (found !== null) return found;
} return null; };`;

const codes: Readonly<Record<string, number>> = { Escape: 27, Enter: 13, Tab: 9 };

export async function launchPlainChromium(more: readonly string[] = []): Promise<PlainChromium> {
  const profile = await mkdtemp(path.join(tmpdir(), 'svcc-'));
  const flags = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--no-first-run',
    '--disable-background-networking',
    '--window-size=1280,900',
  ];
  const child = spawn(
    process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    [...flags, '--lang=pt-BR', '--accept-lang=pt-BR', '--remote-debugging-port=0', `--user-data-dir=${profile}`, ...more, 'about:blank'],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, LC_ALL: 'C.UTF-8' } },
  );
  let told = '';
  const address = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (data) => {
      told += String(data);
      const [, url] = /DevTools listening on (ws:\S+)/.exec(told) ?? [];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', () => reject(new Error(`Chromium ended: ${told}`)));
  });
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const waiting = new Map<number, PromiseWithResolvers<Answer>>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(String(data)) as { id?: number; result?: Answer; error?: { message: string } };
    const waits = waiting.get(id ?? -1);
    if (error === undefined) waits?.resolve(result ?? {});
    else waits?.reject(new Error(error.message));
  });
  let last = 0;
  const send = async (method: string, params: object, sessionId?: string): Promise<Answer> => {
    last += 1;
    const waits = Promise.withResolvers<Answer>();
    waiting.set(last, waits);
    socket.send(JSON.stringify({ id: last, method, params, sessionId }));
    return await waits.promise;
  };
  return {
    open: async () => {
      const { targetId } = (await send('Target.createTarget', { url: 'about:blank' })) as { readonly targetId: string };
      const { sessionId } = (await send('Target.attachToTarget', { targetId, flatten: true })) as { readonly sessionId: string };
      return pageOf(
        async (method, params = {}) => await send(method, params, sessionId),
        async () => void (await send('Target.activateTarget', { targetId })),
      );
    },
    close: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      socket.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function pageOf(send: (method: string, params?: object) => Promise<Answer>, show: () => Promise<void>): PlainPage {
  const run = async <T>(script: string): Promise<T> => {
    const expression = `(async () => { ${deep} return (${script}); })()`;
    const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? 'the script failed');
    return (result as { readonly value: T }).value;
  };
  const until = async <T>(script: string): Promise<T> => {
    for (const end = performance.now() + 60_000; ; await sleep(50)) {
      // The page may be about to become another one.
      const value = await run<T>(script).catch(() => undefined);
      if (value !== undefined && value !== null && value !== false) return value;
      if (performance.now() > end) throw new Error(`not so within a minute: ${script}`);
    }
  };
  const mouse = async (type: string, x: number, y: number, buttons: number): Promise<unknown> =>
    await send('Input.dispatchMouseEvent', { type, x, y, button: type === 'mouseMoved' ? 'none' : 'left', buttons, clickCount: 1 });
  const pressAt = async (x: number, y: number): Promise<void> => {
    await mouse('mouseMoved', x, y, 0);
    await mouse('mousePressed', x, y, 1);
    await mouse('mouseReleased', x, y, 0);
  };
  const keys = async (key: string, text?: string): Promise<void> => {
    const what = { key, windowsVirtualKeyCode: codes[key] ?? key.toUpperCase().charCodeAt(0), ...(text === undefined ? {} : { text }) };
    await send('Input.dispatchKeyEvent', { type: text === undefined ? 'rawKeyDown' : 'keyDown', ...what });
    await send('Input.dispatchKeyEvent', { type: 'keyUp', ...what });
  };
  return {
    run,
    until,
    show,
    pressAt,
    go: async (url) => {
      await send('Page.navigate', { url });
      await until(`location.href !== 'about:blank' && document.readyState === 'complete'`);
    },
    press: async (script) => {
      const { x, y } = await until<{ x: number; y: number }>(
        `(() => { const box = (${script})?.getBoundingClientRect(); return box?.width > 0 && { x: box.x + box.width / 2, y: box.y + box.height / 2 }; })()`,
      );
      await pressAt(x, y);
    },
    type: async (words, everyMs) => {
      for (const each of words) {
        await keys(each, each);
        await sleep(everyMs);
      }
    },
    key: async (name) => await keys(name, name === 'Enter' ? '\r' : undefined),
  };
}
