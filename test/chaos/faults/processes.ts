/** Processes that die, stand still, or leave something over. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readTable } from '../processes.ts';
import { kill } from '../world.ts';
import type { FaultContext, FaultKind } from './kind.ts';

const backendsOf = ({ world, person, app }: FaultContext): readonly number[] => readTable(world).backends(person, app);

const signalled = (signal: NodeJS.Signals): FaultKind => ({
  name: `backend ${signal}`,
  on: 'backend',
  apply: (context) => {
    for (const pid of backendsOf(context)) kill(pid, signal);
  },
});

const paused = (
  name: string,
  on: FaultKind['on'],
  holdMs: readonly [number, number],
  find: (context: FaultContext) => readonly number[],
): FaultKind => ({
  name,
  on,
  holdMs,
  apply: (context) => {
    const pids = find(context);
    for (const pid of pids) kill(pid, 'SIGSTOP');
    return () => {
      for (const pid of pids) kill(pid, 'SIGCONT');
    };
  },
});

/** A process with the environment of the backend, in a session of its own: what a daemon that forked away looks like. */
function leaveChild(context: FaultContext, pid: number): void {
  const environ = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
  const env = Object.fromEntries(environ.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]));
  const uid = context.person.account.uid;
  spawn('sleep', ['3600'], { env, uid, gid: uid, detached: true, stdio: 'ignore', cwd: '/' }).unref();
}

export const processFaults: readonly FaultKind[] = [
  signalled('SIGKILL'),
  signalled('SIGTERM'),
  signalled('SIGSEGV'),
  signalled('SIGABRT'),
  paused('backend stands still for a while', 'backend', [1_000, 4_000], backendsOf),
  {
    name: 'backend dies and leaves a child of a session of its own',
    on: 'backend',
    apply: (context) => {
      for (const pid of backendsOf(context)) {
        leaveChild(context, pid);
        kill(pid, 'SIGKILL');
      }
    },
  },
  {
    name: 'backend dies twice in a row',
    on: 'backend',
    holdMs: [600, 1_500],
    apply: (context) => {
      for (const pid of backendsOf(context)) kill(pid, 'SIGKILL');
      return () => {
        for (const pid of backendsOf(context)) kill(pid, 'SIGKILL');
      };
    },
  },
  {
    name: 'every app of a person dies',
    on: 'person',
    apply: ({ world, person }) => {
      for (const { pid, uid, app } of world.sshd.processes()) if (uid === person.account.uid && app !== null) kill(pid, 'SIGKILL');
    },
  },
  {
    name: 'supervisor SIGKILL',
    on: 'person',
    spares: true,
    apply: ({ world, person }) => {
      for (const pid of readTable(world).supervisors(person)) kill(pid, 'SIGKILL');
    },
  },
  {
    name: 'supervisor SIGTERM',
    on: 'person',
    spares: true,
    apply: ({ world, person }) => {
      for (const pid of readTable(world).supervisors(person)) kill(pid, 'SIGTERM');
    },
  },
  {
    ...paused('supervisor stands still for a while', 'person', [3_000, 8_000], ({ world, person }) => readTable(world).supervisors(person)),
    spares: true,
  },
  {
    name: 'supervisor stands still for good',
    on: 'person',
    spares: true,
    apply: ({ world, person }) => {
      for (const pid of readTable(world).supervisors(person)) kill(pid, 'SIGSTOP');
    },
  },
  {
    name: 'supervisor and every app die at once',
    on: 'person',
    apply: ({ world, person }) => {
      for (const { pid, uid } of world.sshd.processes()) if (uid === person.account.uid) kill(pid, 'SIGKILL');
    },
  },
  {
    name: 'launchers die while the apps come back',
    on: 'person',
    holdMs: [400, 2_500],
    apply: ({ world, person }) => {
      for (const { pid, uid, app } of world.sshd.processes()) if (uid === person.account.uid && app !== null) kill(pid, 'SIGKILL');
      const hunt = setInterval(() => {
        for (const pid of readTable(world).launchers(person)) kill(pid, 'SIGKILL');
      }, 200);
      return () => clearInterval(hunt);
    },
  },
];
