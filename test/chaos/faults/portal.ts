/** The portal, its state folder, its clock, the line to the server, the YAML. */
import { copyFileSync, existsSync, openSync, closeSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { connect } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { remount } from '../../support/mounts.ts';
import { until } from '../../support/portal.ts';
import { readTable } from '../processes.ts';
import { apps, kill, type ChaosWorld } from '../world.ts';
import type { FaultKind } from './kind.ts';

async function endPortal(world: ChaosWorld, signal: NodeJS.Signals): Promise<void> {
  const { pid } = world.portal;
  kill(pid, signal);
  await until('the portal to end', () => !existsSync(`/proc/${pid}`), 20_000);
  await world.portal.kill();
}

/** Ended, something done meanwhile, and started again. */
const restarted = (
  name: string,
  signal: NodeJS.Signals,
  meanwhile: (world: ChaosWorld) => Promise<void> | void = () => undefined,
): FaultKind => ({
  name,
  on: 'portal',
  spares: true,
  apply: async ({ world }) => {
    await endPortal(world, signal);
    await meanwhile(world);
    await world.portal.again();
  },
});

/** The file is damaged, the portal says so and begins nothing blank, its copy is put back. */
const damagedDatabase = (name: 'svc.db' | 'rooms.db'): FaultKind =>
  restarted(`${name} damaged and put back from a copy`, 'SIGKILL', async (world) => {
    const file = join(world.state, name);
    const copy = `${file}.copy`;
    const open = new DatabaseSync(file);
    open.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    open.close();
    copyFileSync(file, copy);
    const descriptor = openSync(file, 'r+');
    writeSync(descriptor, Buffer.alloc(8_192, 'x'), 0, 8_192, 0);
    closeSync(descriptor);
    const refused = await world.portal.again().then(
      () => null,
      (error: unknown) => String(error),
    );
    if (refused === null) await world.portal.kill();
    else if (!refused.includes(name)) throw new Error(`a damaged ${name} was refused without its name: ${refused.slice(-1_000)}`);
    for (const suffix of ['-wal', '-shm', '']) rmSync(`${file}${suffix}`, { force: true });
    copyFileSync(copy, file);
    rmSync(copy);
  });

const clockMoved = (seconds: number): FaultKind => ({
  name: `wall clock of the portal moved by ${seconds} s`,
  on: 'portal',
  spares: true,
  holdMs: [3_000, 9_000],
  apply: async ({ world }) => {
    await world.moveClock(seconds);
    return () => world.moveClock(0);
  },
});

const portalFaults: readonly FaultKind[] = [
  restarted('portal SIGKILL', 'SIGKILL'),
  restarted('portal SIGTERM', 'SIGTERM'),
  restarted('portal away for seven seconds', 'SIGKILL', () => sleep(7_000)),
  restarted('portal SIGKILL, lock and socket left over from a stranger', 'SIGKILL', (world) => {
    writeFileSync(join(world.state, 'svc.sock.old'), '');
    rmSync(join(world.state, 'svc.sock'), { force: true });
    writeFileSync(join(world.state, 'svc.sock'), 'not a socket');
  }),
  {
    name: 'portal stands still',
    on: 'portal',
    spares: true,
    holdMs: [3_000, 8_000],
    apply: ({ world }) => {
      const { pid } = world.portal;
      kill(pid, 'SIGSTOP');
      return () => void kill(pid, 'SIGCONT');
    },
  },
  {
    name: 'control socket deleted',
    on: 'portal',
    spares: true,
    apply: ({ world }) => rmSync(join(world.state, 'svc.sock'), { force: true }),
  },
  {
    name: 'lock of the state folder deleted',
    on: 'portal',
    spares: true,
    apply: ({ world }) => rmSync(join(world.state, 'lock'), { force: true }),
  },
  {
    name: 'state folder full',
    on: 'portal',
    spares: true,
    holdMs: [3_000, 9_000],
    apply: ({ world }) => {
      const filler = join(world.state, 'filler');
      try {
        for (let size = 64 << 20; size >= 4_096; size /= 2) fill(filler, size);
      } catch {
        // Not even the file could be made: it is full.
      }
      return () => rmSync(filler, { force: true });
    },
  },
  restarted('portal dies, its state folder is read-only for a while', 'SIGKILL', async (world) => {
    await remount(world.state, 'ro');
    const refused = await world.portal.again().then(
      () => null,
      (error: unknown) => String(error),
    );
    await remount(world.state, 'rw');
    if (refused === null) await world.portal.kill();
    else if (!/read-only/i.test(refused))
      throw new Error(`a read-only state folder was refused without that word: ${refused.slice(-1_000)}`);
  }),
  damagedDatabase('svc.db'),
  damagedDatabase('rooms.db'),
  clockMoved(86_400),
  clockMoved(-86_400),
  clockMoved(3_600),
  {
    name: 'noise on the control socket',
    on: 'portal',
    spares: true,
    apply: async ({ world }) => {
      for (const text of [
        '\u0000\u0001',
        'GET / HTTP/1.1\r\n',
        `GET /${'a'.repeat(100_000)} HTTP/1.1\r\n\r\n`,
        'POST /api/admin/apply HTTP/1.1\r\ncontent-length: 9\r\n\r\n{',
      ]) {
        if (!existsSync(join(world.state, 'svc.sock'))) return;
        const socket = connect(join(world.state, 'svc.sock'));
        socket.on('error', () => socket.destroy());
        socket.on('connect', () => socket.end(text));
        setTimeout(() => socket.destroy(), 300);
        await once(socket, 'close');
      }
    },
  },
  { name: 'lines of the writers cut', on: 'portal', spares: true, apply: ({ writers }) => writers.cut() },
];

function fill(file: string, size: number): void {
  for (let n = 0; n < 8; n += 1) {
    try {
      writeFileSync(file, Buffer.alloc(size), { flag: 'a' });
    } catch {
      return;
    }
  }
}

const serverFaults: readonly FaultKind[] = [
  { name: 'every line to the server cut', on: 'server', spares: true, apply: ({ world }) => world.sshd.cut() },
  { name: 'the lines of one account cut', on: 'server', spares: true, apply: ({ world, person }) => world.sshd.cut(person.account.name) },
  {
    name: 'sshd away',
    on: 'server',
    spares: true,
    holdMs: [2_000, 9_000],
    apply: async ({ world }) => {
      await world.sshd.halt();
      return () => world.sshd.resume();
    },
  },
  {
    name: 'sshd comes back with two sessions a connection',
    on: 'server',
    spares: true,
    holdMs: [6_000, 12_000],
    apply: async ({ world }) => {
      await world.sshd.halt();
      await world.sshd.resume(['MaxSessions 2']);
      return async () => {
        await world.sshd.halt();
        await world.sshd.resume();
      };
    },
  },
];

const yamlFaults: readonly FaultKind[] = [
  {
    name: 'YAML: an app turned on or off',
    on: 'yaml',
    apply: async ({ world, person, app }) => {
      world.want(person.name, app, !world.wanted(person.name, app));
      await world.writeDesired();
    },
  },
  {
    name: 'YAML: every app of a person turned',
    on: 'yaml',
    apply: async ({ world, person }) => {
      for (const app of apps) world.want(person.name, app, !world.wanted(person.name, app));
      await world.writeDesired();
    },
  },
  {
    name: 'YAML: a brace is missing',
    on: 'yaml',
    spares: true,
    holdMs: [1_000, 12_000],
    apply: ({ world }) => {
      writeFileSync(world.file, '{"apiVersion": "svc/v1", "kind": "Person"');
      return () => world.writeDesired();
    },
  },
  {
    name: 'YAML: the file is deleted',
    on: 'yaml',
    spares: true,
    holdMs: [1_000, 12_000],
    apply: ({ world }) => {
      rmSync(world.file);
      return () => world.writeDesired();
    },
  },
  {
    name: 'YAML: a pin is taken out and put back',
    on: 'yaml',
    spares: true,
    holdMs: [1_000, 12_000],
    apply: async ({ world, person, app }) => {
      await world.writeDesired((kind, name) => kind === 'Backend' && name === `${person.name}-${app}`);
      return () => world.writeDesired();
    },
  },
  {
    name: 'YAML: a person leaves and comes back',
    on: 'yaml',
    people: ['p3', 'p4'],
    apply: async ({ world, person }) => {
      await world.writeDesired(
        (kind, name) => (kind === 'Person' && name === person.name) || (kind === 'Backend' && name.startsWith(`${person.name}-`)),
      );
      await until(
        `${person.name} to have left`,
        () => readTable(world).supervisors(person).length === 0 && readTable(world).strays(person, () => false).length === 0,
        32_000,
      );
      await world.writeDesired();
    },
  },
];

const orderFaults: readonly FaultKind[] = [
  {
    name: 'ten orders at once against the pins',
    on: 'backend',
    apply: async ({ world, person, app }) => {
      const verbs = ['start', 'stop', 'restart', 'stop', 'start', 'restart', 'stop', 'start', 'stop', 'restart'];
      await Promise.all(verbs.map((verb) => world.admin('POST', `/api/admin/backends/${person.name}/${app}/${verb}`).catch(() => null)));
    },
  },
  {
    name: 'app restarted by order',
    on: 'backend',
    apply: async ({ world, person, app }) => {
      await world.admin('POST', `/api/admin/backends/${person.name}/${app}/restart`).catch(() => null);
    },
  },
];

export const allPortalFaults: readonly FaultKind[] = [...portalFaults, ...serverFaults, ...yamlFaults, ...orderFaults];
