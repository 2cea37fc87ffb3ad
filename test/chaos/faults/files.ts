/** Files of a person that are deleted, damaged, made unreadable, or that find no space. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { remount } from '../../support/mounts.ts';
import { until } from '../../support/portal.ts';
import { kill, type ChaosPerson } from '../world.ts';
import type { FaultContext, FaultKind } from './kind.ts';

/** An earlier fault took away what this one falls on. */
const nothing = (): void => undefined;

type AppFile = keyof ReturnType<ChaosPerson['app']>;

const pathOf = ({ person, app }: FaultContext, file: AppFile): string => person.app(app)[file];
/** Again when somebody writes into the folder meanwhile. */
const remove = (path: string): void => rmSync(path, { recursive: true, force: true, maxRetries: 5 });

/** Written as the person would: the file keeps its owner and mode, and a new one is the person's own. */
function damage({ person }: FaultContext, path: string, text: string): void {
  const isNew = !existsSync(path);
  if (isNew && !existsSync(dirname(path))) return;
  writeFileSync(path, text, { mode: 0o600 });
  if (isNew) chownSync(path, person.account.uid, person.account.uid);
}

/** Files without which running apps go on as they are. */
const deleted = (file: AppFile, spares: boolean): FaultKind => ({
  name: `${file} deleted`,
  on: 'backend',
  ...(spares ? { spares } : {}),
  apply: (context) => remove(pathOf(context, file)),
});

const damaged = (file: AppFile, what: string, text: string, spares: boolean): FaultKind => ({
  name: `${file} ${what}`,
  on: 'backend',
  ...(spares ? { spares } : {}),
  apply: (context) => damage(context, pathOf(context, file), text),
});

/** Mode and owner for a while, then as before. */
const closed = (name: string, on: 'backend' | 'person', path: (context: FaultContext) => string, how: 'mode' | 'owner'): FaultKind => ({
  name,
  on,
  spares: true,
  holdMs: [2_000, 14_000],
  apply: (context) => {
    const target = path(context);
    if (!existsSync(target)) return nothing;
    const { mode, uid, gid } = statSync(target);
    if (how === 'mode') chmodSync(target, 0o000);
    else {
      chownSync(target, 0, 0);
      chmodSync(target, 0o700);
    }
    return () => {
      if (!existsSync(target)) return;
      chownSync(target, uid, gid);
      chmodSync(target, mode & 0o7777);
    };
  },
});

/** A process of the person that has nothing to do with the app; its pid is written where the app's should be. */
async function plantForeignPid(context: FaultContext): Promise<() => void> {
  const { uid } = context.person.account;
  const bystander = spawn('sleep', ['3600'], { uid, gid: uid, env: {}, detached: true, stdio: 'ignore', cwd: '/' });
  await once(bystander, 'spawn');
  damage(context, pathOf(context, 'runPid'), `${bystander.pid}\n`);
  return () => {
    const { exitCode, signalCode } = bystander;
    bystander.kill('SIGKILL');
    if (exitCode !== null || signalCode !== null) throw new Error(`a process that is not the app's was ended: ${String(signalCode)}`);
  };
}

const fileFaults: readonly FaultKind[] = [
  deleted('runPid', true),
  damaged('runPid', 'damaged', 'not a pid\n', true),
  { name: 'runPid names a stranger', on: 'backend', holdMs: [8_000, 12_000], spares: true, apply: plantForeignPid },
  deleted('status', true),
  damaged('status', 'damaged', '{"state":', true),
  deleted('socket', false),
  {
    name: 'socket replaced by a file',
    on: 'backend',
    apply: (context) => {
      remove(pathOf(context, 'socket'));
      damage(context, pathOf(context, 'socket'), '');
    },
  },
  deleted('env', false),
  damaged('env', 'damaged', 'SVC_APP_TOKEN\u0000=\nnot a line\n', false),
  damaged('env', 'emptied', '', false),
  {
    name: 'env readable by others',
    on: 'backend',
    apply: (context) => {
      if (existsSync(pathOf(context, 'env'))) chmodSync(pathOf(context, 'env'), 0o644);
    },
  },
  { ...closed('env of somebody else', 'backend', (context) => pathOf(context, 'env'), 'owner') },
  deleted('limits', true),
  damaged('limits', 'damaged', '[', true),
  deleted('runLog', true),
  damaged('comingUp', 'left over', 'x', true),
  {
    name: 'secrets damaged',
    on: 'backend',
    spares: true,
    holdMs: [1_000, 4_000],
    apply: (context) => {
      damage(context, pathOf(context, 'secrets'), '{"A":');
      return () => remove(pathOf(context, 'secrets'));
    },
  },
  deleted('data', true),
  deleted('setUpHash', true),
  deleted('launchLock', true),
  closed('folder of an app unreadable', 'backend', (context) => pathOf(context, 'dir'), 'mode'),
  closed('folder of an app somebody else’s', 'backend', (context) => pathOf(context, 'dir'), 'owner'),
  { name: 'folder of an app deleted', on: 'backend', apply: (context) => remove(pathOf(context, 'dir')) },
];

const personFaults: readonly FaultKind[] = [
  closed('~/.svc-apps unreadable', 'person', ({ person }) => person.paths.root, 'mode'),
  closed('~/.svc-apps somebody else’s', 'person', ({ person }) => person.paths.root, 'owner'),
  closed('home unreadable', 'person', ({ person }) => person.account.home, 'mode'),
  { name: '~/.svc-apps deleted', on: 'person', apply: ({ person }) => remove(person.paths.root) },
  { name: 'supervisor socket deleted', on: 'person', spares: true, apply: ({ person }) => remove(person.paths.supervisorSocket) },
  { name: 'supervisor lock deleted', on: 'person', spares: true, apply: ({ person }) => remove(person.paths.supervisorLock) },
  {
    name: 'supervisor log cut',
    on: 'person',
    spares: true,
    apply: ({ person }) => {
      if (existsSync(person.paths.supervisorLog)) truncateSync(person.paths.supervisorLog);
    },
  },
  {
    name: 'noise on the supervisor socket',
    on: 'person',
    spares: true,
    apply: async ({ person, random }) => {
      for (const text of ['{"kind":', '\u0000\u0001\u0002\n', `${'x'.repeat(200_000)}\n`, '{"type":"start","app":"../x"}\n']) {
        const socket = connect(person.paths.supervisorSocket);
        socket.on('error', () => socket.destroy());
        socket.on('connect', () => socket.end(text));
        setTimeout(() => socket.destroy(), random.int(50, 500));
        await once(socket, 'close');
      }
    },
  },
  {
    name: 'home full',
    on: 'person',
    spares: true,
    holdMs: [3_000, 14_000],
    apply: ({ person }) => {
      const filler = join(person.account.home, 'filler');
      try {
        execFileSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1M', 'count=200'], { stdio: 'ignore' });
      } catch {
        // "No space left on device" is what is meant.
      }
      return () => remove(filler);
    },
  },
  {
    // A file that is open for writing forbids it, so everything of the person ends first, and comes back to a home that takes nothing.
    name: 'home read-only',
    on: 'person',
    holdMs: [3_000, 14_000],
    apply: async ({ world, person }) => {
      await until('the home to be read-only', async () => {
        for (const { pid, uid } of world.sshd.processes()) if (uid === person.account.uid) kill(pid, 'SIGKILL');
        return await remount(person.account.home, 'ro').then(
          () => true,
          () => false,
        );
      });
      return () => remount(person.account.home, 'rw');
    },
  },
];

/** Packages are root's; they are mended by the controller. */
const packageFaults: readonly FaultKind[] = [
  { name: 'package deleted', on: 'package', apply: ({ world, app }) => remove(world.packageFolder(app)) },
  {
    name: 'manifest of a package damaged',
    on: 'package',
    apply: ({ world, app }) => {
      const file = join(world.packageFolder(app), 'svc-app.json');
      if (existsSync(file)) writeFileSync(file, '{"id":');
    },
  },
  {
    name: 'entry of a package deleted',
    on: 'package',
    apply: ({ world, app }) => {
      const file = join(world.packageFolder(app), 'svc-app.json');
      if (!existsSync(file)) return;
      const { backend } = JSON.parse(readFileSync(file, 'utf8')) as { backend: { entrypoint: string } };
      remove(join(world.packageFolder(app), backend.entrypoint));
    },
  },
  {
    name: 'package unreadable',
    on: 'package',
    holdMs: [2_000, 10_000],
    apply: ({ world, app }) => {
      const folder = world.packageFolder(app);
      if (!existsSync(folder)) return nothing;
      chmodSync(folder, 0o000);
      return () => {
        if (existsSync(folder)) chmodSync(folder, 0o755);
      };
    },
  },
  {
    name: 'something foreign in a package',
    on: 'package',
    apply: ({ world, app }) => {
      const folder = world.packageFolder(app);
      if (existsSync(folder)) writeFileSync(join(folder, 'estranho.js'), 'throw new Error()');
    },
  },
];

export const allFileFaults: readonly FaultKind[] = [...fileFaults, ...personFaults, ...packageFaults];
