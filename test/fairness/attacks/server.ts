/**
 * Attacks from the attacker's own account on the server: a process of theirs in the place of their supervisor, which greets as a supervisor does and
 * then misbehaves. It is this process that listens; its socket has the owner and the mode of a right one.
 */
import { chmodSync, chownSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { kitVersion, supervisorProtocolVersion } from '../../../schema/supervisor-protocol.ts';
import { theEnd, type Attack, type Attacker } from '../attack.ts';

type Misbehave = (socket: net.Socket, until: AbortSignal) => Promise<void>;

/** The supervisor of the account, and what holds its lock. */
function supervisors(account: string): readonly number[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const argv = /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : '';
      const environment =
        argv.includes('svc-app-supervisor') || argv.includes('supervise/main') ? readFileSync(`/proc/${pid}/environ`, 'utf8') : '';
      return environment.includes(`/home/${account}\0`) ? [Number(pid)] : [];
    } catch {
      return [];
    }
  });
}

function end(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
}

async function inPlaceOfSupervisor(attacker: Attacker, misbehave: Misbehave): Promise<void> {
  const path = `${attacker.home}/.svc-apps/supervisor.sock`;
  const { uid, gid } = statSync(attacker.home);
  const server = net.createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      for (const line of chunk.toString().split('\n').filter(Boolean)) {
        const { id, op } = JSON.parse(line) as { readonly id: number; readonly op: string };
        if (op === 'hello') socket.write(`${JSON.stringify({ id, ok: true, ...hello(attacker.home) })}\n`);
        else if (op === 'subscribe' || op === 'snapshot') {
          socket.write(`${JSON.stringify({ id, ok: true, apps: [] })}\n`);
          if (op === 'subscribe') void misbehave(socket, attacker.signal);
        }
      }
    });
  });
  const listen = async (): Promise<void> => {
    end(supervisors(attacker.person));
    rmSync(path, { force: true });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    chownSync(path, uid, gid);
    chmodSync(path, 0o600);
  };
  await listen();
  // The portal starts another supervisor where this one does not please it.
  const keep = setInterval(() => end(supervisors(attacker.person)), 500);
  await theEnd(attacker);
  clearInterval(keep);
  server.close();
  rmSync(path, { force: true });
}

const hello = (home: string) => ({
  protocol: supervisorProtocolVersion,
  version: kitVersion,
  pid: process.pid,
  bootId: 'x',
  home,
  outdated: false,
});

/** As fast as the portal takes it. */
async function pour(socket: net.Socket, until: AbortSignal, bytes: Buffer): Promise<void> {
  while (!until.aborted && !socket.destroyed) {
    if (socket.write(bytes)) await sleep(0);
    else
      await Promise.race([
        new Promise((resolve) => socket.once('drain', resolve)),
        new Promise((resolve) => socket.once('close', resolve)),
      ]);
  }
}

const push = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value)}\n`.repeat(500));

export const serverAttacks: readonly Attack[] = [
  {
    name: 'a supervisor that sends empty lines',
    run: (attacker) => inPlaceOfSupervisor(attacker, (socket, until) => pour(socket, until, Buffer.alloc(65_536, 10))),
  },
  {
    name: 'a supervisor whose line does not end',
    run: (attacker) => inPlaceOfSupervisor(attacker, (socket, until) => pour(socket, until, Buffer.alloc(65_536, 65))),
  },
  {
    name: 'a supervisor that tells of an app that is gone, again and again',
    run: (attacker) => inPlaceOfSupervisor(attacker, (socket, until) => pour(socket, until, push({ event: 'gone', app: 'notas' }))),
  },
  {
    name: 'a supervisor that answers what nobody asked',
    run: (attacker) =>
      inPlaceOfSupervisor(attacker, (socket, until) => pour(socket, until, push({ id: 999_999, ok: true, ...hello('/') }))),
  },
  {
    name: 'a supervisor that answers and hangs up',
    run: (attacker) =>
      inPlaceOfSupervisor(attacker, async (socket) => {
        await sleep(20);
        socket.destroy();
      }),
  },
];
