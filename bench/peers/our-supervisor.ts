/** Our supervisor with its launcher, as the portal starts it, on packages of one shell script each. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Manager } from './manager.ts';
import type { SupervisorRequest } from '../../schema/supervisor-protocol.ts';

const program = resolve(import.meta.dirname, '../../bin/svc-app-supervisor');

type Unnumbered<R> = R extends { readonly id: number } ? Omit<R, 'id'> : never;

/** A client of the supervisor's socket, just enough for the bench: one request at a time. */
async function openClient(path: string): Promise<{ ask(request: Unnumbered<SupervisorRequest>): Promise<unknown>; close(): void }> {
  const socket = await connectWithin(path, 10_000);
  const waiting = new Map<number, (reply: unknown) => void>();
  createInterface({ input: socket }).on('line', (line) => {
    const reply = JSON.parse(line) as { id?: number };
    if (reply.id !== undefined) waiting.get(reply.id)?.(reply);
  });
  let id = 0;
  return {
    ask: (request) =>
      new Promise((done) => {
        id += 1;
        waiting.set(id, done);
        socket.write(`${JSON.stringify({ id, ...request })}\n`);
      }),
    close: () => socket.destroy(),
  };
}

async function connectWithin(path: string, msMax: number): Promise<Socket> {
  const endMs = performance.now() + msMax;
  for (;;) {
    const socket = connect(path);
    try {
      await once(socket, 'connect');
      return socket;
    } catch (error) {
      if (performance.now() > endMs) throw error;
      await sleep(20);
    }
  }
}

async function writePackage(folder: string, app: string): Promise<void> {
  const dir = join(folder, 'opt/svc-apps', app);
  await mkdir(join(dir, 'backend'), { recursive: true });
  await writeFile(
    join(dir, 'svc-app.json'),
    JSON.stringify({ id: app, version: '1.0.0', backend: { runtime: 'binary', entrypoint: 'backend/run.sh', aoFechar: 'manter' } }),
  );
  const script = join(dir, 'backend/run.sh');
  await writeFile(script, `#!/bin/sh\nSTARTS_FOLDER=${folder} exec ${folder}/backend.sh ${app}\n`);
  await chmod(script, 0o755);
}

export function ourManager(): Manager {
  let child: ChildProcess | null = null;
  let supervisorPid = 0;
  let client: Awaited<ReturnType<typeof openClient>> | null = null;
  let names: readonly string[] = [];
  let requests = 0;
  const start = async (app: string): Promise<void> => {
    requests += 1;
    const order = { token: 'bench-token', basePath: '/', pinned: false, requestId: `bench-${requests}`, variables: {} };
    const reply = (await client!.ask({ op: 'start', app, ...order })) as { ok: boolean };
    if (!reply.ok) throw new Error(`bench: start ${app}: ${JSON.stringify(reply)}`);
  };
  return {
    name: 'svc-app-supervisor',
    async start(folder, apps) {
      names = apps;
      const home = join(folder, 'h');
      await mkdir(home, { recursive: true, mode: 0o700 });
      for (const app of apps) await writePackage(folder, app);
      child = spawn(program, [], { stdio: 'ignore', cwd: home, env: { PATH: process.env['PATH'], HOME: home, SVC_PREFIX: folder } });
      client = await openClient(join(home, '.svc-apps/supervisor.sock'));
      const hello = (await client.ask({ op: 'hello' })) as { pid: number };
      supervisorPid = hello.pid;
      for (const app of apps) await start(app);
    },
    managerPids: () => [supervisorPid],
    reset: start,
    async stop() {
      for (const app of names) await client?.ask({ op: 'stop', app, requestId: `bench-stop-${app}`, reason: 'StoppedByAdmin' });
      for (let round = 0; round < 500 && names.length > 0; round += 1) {
        const { apps } = (await client!.ask({ op: 'snapshot' })) as { apps: readonly { process: unknown }[] };
        if (apps.every((snapshot) => snapshot.process === null)) break;
        await sleep(20);
      }
      await client?.ask({ op: 'quit' });
      client?.close();
      if (child !== null && child.exitCode === null) await once(child, 'exit');
    },
  };
}
