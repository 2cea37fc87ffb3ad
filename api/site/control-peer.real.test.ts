/** The kernel is asked about real peers of a real socket. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect as connectTo, createServer, type Server } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askPeer, createPeerJudge } from './control-peer.ts';

let dir: string;
let server: Server;
const verdicts: (string | null)[] = [];
const uids: (number | null)[] = [];
const peers: (number | undefined)[] = [];
const judge = createPeerJudge();

beforeAll(async () => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-peer-'));
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    const ask = async (): Promise<void> => {
      peers.push((await askPeer(socket))?.pid);
      const { why, uid } = await judge(socket);
      verdicts.push(why);
      uids.push(uid);
      socket.end('asked\n');
    };
    void ask();
  });
  server.listen(path.join(dir, 's'));
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
  rmSync(dir, { recursive: true, force: true });
});

const client = `import socket,sys,os
if len(sys.argv) > 2 and os.fork(): os.wait(); sys.exit()
s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); sys.stdout.write(s.recv(100).decode())`;

async function connect(environment: Record<string, string>, ...args: string[]): Promise<ChildProcess> {
  const child = spawn('/usr/bin/python3', ['-c', client, path.join(dir, 's'), ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child, 'close');
  return child;
}

test('a program is let in, an app and what it starts are not, and the connection works on after the question', async () => {
  const plain = await connect({});
  expect([peers.at(-1), verdicts.at(-1), uids.at(-1)]).toEqual([plain.pid, null, process.getuid?.()]);
  const mark = { SVC_APP_ID: 'notas', SVC_APP_SOCKET: '/h/app.sock' };
  const app = await connect(mark);
  expect([peers.at(-1), verdicts.at(-1)]).toEqual([app.pid, `process ${app.pid} belongs to the app "notas"`]);
  const parent = spawn('/bin/sh', ['-c', 'env -i /usr/bin/python3 -c "$0" "$1"; :', client, path.join(dir, 's')], {
    env: { ...mark, PATH: '/usr/bin:/bin' },
    stdio: 'ignore',
  });
  await once(parent, 'close');
  expect(verdicts.at(-1)).toBe(`process ${peers.at(-1)} belongs to the app "notas"`);
  expect(peers.at(-1)).not.toBe(parent.pid);
});

test('a way through the portal itself, as the proxy to a socket that is a link to this one, is refused', async () => {
  const socket = connectTo(path.join(dir, 's'));
  await once(socket, 'data');
  expect([peers.at(-1), verdicts.at(-1)]).toEqual([process.pid, 'the portal does not ask itself: some socket leads to this one']);
  socket.destroy();
});
