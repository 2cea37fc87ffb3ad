import { expect, test as plain } from 'vitest';
import { homeFixture, type TestHome } from '../test-home.ts';

const test = plain.extend<{ home: TestHome }>(homeFixture);

/** Holds 64 MB; a child of its own session keeps a processor busy. */
const hungry = `
import os, socket, threading
s = socket.socket(socket.AF_UNIX); s.bind(os.environ['SVC_APP_SOCKET']); os.chmod(os.environ['SVC_APP_SOCKET'], 0o600); s.listen(64)
held = bytearray(os.urandom(1024 * 1024)) * 64
if os.fork() == 0:
    os.setsid()
    while True: pass
threading.Thread(target=lambda: threading.Event().wait(), daemon=True).start()
while True: s.accept()
`;

test('what an app uses is told when asked for, of all its processes, and is no part of its snapshot', async ({ home }) => {
  home.install('faminto', {}, { 'main.py': hungry });
  const { client } = await home.supervisor();
  await client.call('subscribe');
  await client.call('start', { app: 'faminto', token: 'um-token-bem-longo', basePath: '/', pinned: false, requestId: 'r1', variables: {} });
  const { process: live } = await client.state('faminto', ({ state }) => state === 'running');
  const use = async () => {
    const { atMs, apps } = await client.call('usage');
    return { atMs, one: apps.find(({ app }) => app === 'faminto') };
  };
  const first = await use();
  expect(first.one?.pid).toBe(live?.pid);
  // The child is busy for at least a tenth of a second between two readings, however loaded the machine is.
  const end = performance.now() + 30_000;
  let second = await use();
  while ((second.one?.cpuMs ?? 0) < (first.one?.cpuMs ?? 0) + 100 || (second.one?.tasks ?? 0) < 3) {
    expect(performance.now()).toBeLessThan(end);
    second = await use();
  }
  expect(second.atMs).toBeGreaterThan(first.atMs);
  expect(second.one?.memoryBytes).toBeGreaterThan(64 * 1024 * 1024);
  expect(second.one?.memoryBytes).toBeLessThan(256 * 1024 * 1024);
  expect(second.one?.tasks).toBe(3);
});
