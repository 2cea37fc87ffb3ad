/** In a process of its own: whoever runs the tests catches what nobody caught. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';

/** A server with defects on purpose, put together as the portal's (portal.ts): by path, in what a request began, in its body, in the bytes of a socket. */
const program = `
  import http from 'node:http';
  import { WebSocketServer } from 'ws';
  import { asOwner, containFaults, ownEvents } from './api/connections/fault-owner.ts';
  import { ownedBy, ownerOfRequest } from './api/connections/work-owner.ts';
  const say = (what) => process.stdout.write(JSON.stringify(what) + '\\n');
  containFaults({ error: ({ err, origin, person, work }, text) => say({ error: err.message, origin, person, work }) });
  const fail = (why) => { throw new Error(why); };
  const server = http.createServer((req, res) => asOwner(ownerOfRequest(req, true, () => void (res.closed || req.socket.destroy())), async () => {
    ownedBy({ person: req.headers.person ?? null });
    if (req.url.startsWith('/timer')) setTimeout(fail, 1, 'timer');
    else if (req.url === '/body') req.on('data', () => fail('body'));
    else if (req.url === '/promise') void Promise.reject(new Error('promise'));
    else if (req.url === '/answered') { res.end('x'); const later = () => (res.closed ? fail('answered') : setTimeout(later, 5)); setTimeout(later, 5); }
    else res.end('fine');
  }));
  const ws = new WebSocketServer({ noServer: true });
  server.on('upgrade', (req, socket, head) => {
    const owner = ownerOfRequest(req, false, () => socket.destroy());
    ownEvents(socket, owner);
    asOwner(owner, () => ws.handleUpgrade(req, socket, head, (page) => {
      ownedBy({ person: 'bia' });
      page.on('message', (data) => (String(data) === 'fail' ? fail('socket') : page.send(String(data))));
    }));
  });
  server.listen(0, '127.0.0.1', () => say({ port: server.address().port }));
  setInterval(() => { if (nobodyFails) { nobodyFails = false; fail('interval'); } }, 10);
  let nobodyFails = false;
  process.on('SIGUSR2', () => { nobodyFails = true; });
`;

test('a fault that nobody caught ends what it was part of, whose that was is in the log, and everybody else goes on', async () => {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program], {
    cwd: new URL('../..', import.meta.url),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<Record<string, unknown>> => {
      const { done, value } = await lines.next();
      if (done === true) throw new Error(`it ended: ${child.exitCode} ${child.signalCode}`);
      return JSON.parse(value) as Record<string, unknown>;
    };
    const { port } = await next();
    const url = `http://127.0.0.1:${String(port)}`;
    const page = async (): Promise<WebSocket> => {
      const socket = new WebSocket(url.replace('http', 'ws'));
      await new Promise((resolve) => socket.addEventListener('open', resolve));
      return socket;
    };
    const ended = (socket: WebSocket): Promise<unknown> => new Promise((resolve) => socket.addEventListener('close', resolve));
    const [others, hers] = [await page(), await page()];
    const failing = [
      ['/timer?secret=x', { error: 'timer', origin: 'uncaughtException', person: 'ana', work: 'GET /timer' }],
      ['/promise', { error: 'promise', origin: 'unhandledRejection', person: 'ana', work: 'GET /promise' }],
    ] as const;
    for (const [path, told] of failing) {
      await expect(fetch(`${url}${path}`, { headers: { person: 'ana' } })).rejects.toThrow('fetch failed');
      expect(await next()).toEqual(told);
    }
    await expect(fetch(`${url}/body`, { method: 'POST', body: 'x', headers: { person: 'ana' } })).rejects.toThrow('fetch failed');
    expect(await next()).toEqual({ error: 'body', origin: 'uncaughtException', person: 'ana', work: 'POST /body' });
    // A request that was answered already stays answered: its connection carries others.
    expect(await (await fetch(`${url}/answered`)).text()).toBe('x');
    expect(await next()).toMatchObject({ error: 'answered', work: 'GET /answered' });
    const end = ended(hers);
    hers.send('fail');
    expect(await next()).toEqual({ error: 'socket', origin: 'uncaughtException', person: 'bia', work: 'GET /' });
    await end;
    // Nobody's: nobody is ended for it.
    child.kill('SIGUSR2');
    expect(await next()).toEqual({ error: 'interval', origin: 'uncaughtException', person: null, work: null });
    const echo = new Promise((resolve) => others.addEventListener('message', ({ data }) => resolve(data)));
    others.send('still here');
    expect(await echo).toBe('still here');
    expect(await (await fetch(`${url}/`)).text()).toBe('fine');
    others.close();
  } finally {
    child.kill('SIGKILL');
  }
}, 60_000);
