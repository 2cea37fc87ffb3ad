/**
 * A process that runs and stops answering is reported with the reason, and the report is withdrawn when it answers again (machines/health.ts with
 * real processes).
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test as plain } from 'vitest';
import { homeFixture, type TestHome } from '../test-home.ts';

const test = plain.extend<{ home: TestHome }>(homeFixture);

/** Answers 200 from one thread; SIGUSR1 hangs it for as long as the file `hang` is in its data folder. */
const backend = `
import os, signal, socket, time
hang = os.path.join(os.environ['SVC_APP_DATA_DIR'], 'hang')
def on_signal(*_):
    while os.path.exists(hang): time.sleep(0.02)
signal.signal(signal.SIGUSR1, on_signal)
s = socket.socket(socket.AF_UNIX); s.bind(os.environ['SVC_APP_SOCKET']); os.chmod(os.environ['SVC_APP_SOCKET'], 0o600); s.listen(5)
while True:
    c = s.accept()[0]
    try:
        request = c.recv(4000)
        if request: print(request.decode().split('\\r\\n')[0], os.environ['SVC_APP_TOKEN'] in request.decode())
        c.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\nok')
    except OSError: pass
    c.close()
`;

async function running(home: TestHome) {
  home.install('muda', { backend: { healthcheckPath: '/vivo?a=b' } }, { 'main.py': backend });
  const { client } = await home.supervisor();
  await client.call('subscribe');
  await client.call('start', { app: 'muda', token: 'token-long', basePath: '/', pinned: false, requestId: 'r1', variables: {} });
  const { process: live } = await client.state('muda', (s) => s.state === 'running' && s.socket === 'listening');
  return { client, pid: live!.pid };
}

test.concurrent('a process that is stopped by a signal is told within a round, and as running again when it goes on', async ({ home }) => {
  const { client, pid } = await running(home);
  process.kill(pid, 'SIGSTOP');
  const told = await client.state('muda', (s) => s.reason === 'Suspended', 20_000);
  expect(told).toMatchObject({ state: 'running', failures: 0, process: { pid } });
  expect(told.message).toBe(`its process ${pid} is stopped by a signal (SIGSTOP, or a debugger); it goes on with SIGCONT`);
  process.kill(pid, 'SIGCONT');
  expect(await client.state('muda', (s) => s.reason !== 'Suspended', 10_000)).toMatchObject({
    state: 'running',
    reason: 'Listening',
    process: { pid },
  });
});

test.concurrent('an app that hangs is told after three looks when somebody waits for it, is not ended, and is well by its first answer', async ({
  home,
}) => {
  const { client, pid } = await running(home);
  const hang = join(home.paths('muda').data, 'hang');
  writeFileSync(hang, '');
  process.kill(pid, 'SIGUSR1');
  const doubting = setInterval(() => void client.call('doubt', { app: 'muda' }), 1_000);
  const told = await client.state('muda', (s) => s.reason === 'NotAnswering', 60_000);
  clearInterval(doubting);
  expect(told).toMatchObject({ state: 'running', process: { pid }, failures: 0 });
  expect(told.message).toContain('does not answer GET /vivo?a=b');
  rmSync(hang);
  expect(await client.state('muda', (s) => s.reason !== 'NotAnswering', 10_000)).toMatchObject({
    state: 'running',
    reason: 'Listening',
    process: { pid },
  });
  // Asked on its health path, with its token.
  const { text } = await client.call('log', { app: 'muda', tail: 20, previous: false });
  expect(text).toContain('GET /vivo?a=b HTTP/1.1 True');
});
