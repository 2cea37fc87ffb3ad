/** Tools to test the programs of examples/ports with: their copies as published, their processes, memory and listeners, and another account that tries them. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import type { FrameLocator, Page } from 'playwright-core';
import { processesBelow, repository } from '../../test/support/portal.ts';

export const portsFolder = path.join(repository, 'examples/ports');
export const portIds = readdirSync(portsFolder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

export interface Port {
  readonly title: string;
  /** The command line of the process that is killed: the program itself. */
  readonly program: RegExp;
  /** Works with it as a person does. */
  readonly use: (app: FrameLocator, page: Page, home: string) => Promise<void>;
  /** Finds the result of `use` in a new window, after a restart. */
  readonly found: (app: FrameLocator, page: Page, home: string) => Promise<void>;
  /** For programs with --busy: begins and ends work. */
  readonly work?: {
    readonly begin: (app: FrameLocator, page: Page) => Promise<void>;
    readonly end: (app: FrameLocator, page: Page) => Promise<void>;
  };
}

/** A copy of the examples as they are published: what npm has is put into them by their `build.sh`. */
export function builtPorts(ids: readonly string[], folder: string): void {
  for (const id of ids) {
    const to = path.join(folder, id);
    cpSync(path.join(portsFolder, id), to, { recursive: true });
    if (!existsSync(path.join(to, 'build.sh'))) continue;
    const done = spawnSync('sh', [path.join(to, 'build.sh')], { encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`build.sh of ${id}: ${done.stdout}${done.stderr}`);
  }
}

interface Processes {
  readonly wrapper: readonly number[];
  readonly program: readonly number[];
}

/** The wrapper of the app with its guard, and all below them, whatever environment it has. */
export function processesOf(state: string, id: string): Processes {
  const marked = processesBelow(state).flatMap(({ pid, app }) => (app === id && isWrapper(pid) ? [pid] : []));
  const all = [...new Set(marked.flatMap(withChildren))];
  return { wrapper: all.filter(isWrapper), program: all.filter((pid) => !isWrapper(pid)) };
}

/** '' where the process ended meanwhile. */
function ofProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

const isWrapper = (pid: number): boolean => ofProcess(pid, 'comm').startsWith('svc-wrap');
const withChildren = (pid: number): readonly number[] => [
  pid,
  ...(ofProcess(pid, `task/${pid}/children`).match(/\d+/g) ?? []).flatMap((child) => withChildren(Number(child))),
];

/** Their share of the memory, in megabytes. */
export function megabytesOf(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) => Number(/^Pss: +(\d+)/m.exec(ofProcess(pid, 'smaps_rollup'))?.[1] ?? 0));
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024;
}

/** Inodes of the sockets that these processes have open. */
function socketsOf(pids: readonly number[]): ReadonlySet<string> {
  return new Set(pids.flatMap(linksOf).flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
}

function linksOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
  } catch {
    return [];
  }
}

const rowsOf = (pid: number, file: string): readonly (readonly string[])[] =>
  ofProcess(pid, file)
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/));

/** Where the app listens, in whatever network: ports, paths of sockets, and `@names` of abstract ones. */
export function listenersOf(state: string, id: string): readonly string[] {
  const { wrapper, program } = processesOf(state, id);
  const all = [...wrapper, ...program];
  const own = socketsOf(all);
  const found = new Set<string>();
  for (const pid of all) {
    for (const name of ['tcp', 'tcp6'])
      for (const row of rowsOf(pid, `net/${name}`))
        if (row[3] === '0A' && own.has(row[9] ?? '')) found.add(`port ${Number.parseInt(row[1]?.split(':')[1] ?? '', 16)}`);
    // Flags of /proc/net/unix: a listening one.
    for (const row of rowsOf(pid, 'net/unix')) if (row[3] === '00010000' && own.has(row[6] ?? '')) found.add(row[7] ?? '');
  }
  return [...found].toSorted();
}

/** As another account of this machine, connects to each; the ones that took the connection. */
export function reachedByAnother(listeners: readonly string[]): readonly string[] {
  const script = [
    'import socket, sys',
    'for place in sys.argv[1:]:',
    '    port = place.removeprefix("port ")',
    '    tries = [(socket.AF_INET, ("127.0.0.1", int(port))), (socket.AF_INET6, ("::1", int(port)))] if port != place else \\',
    '        [(socket.AF_UNIX, "\\0" + place[1:] if place[0] == "@" else place)]',
    '    for family, where in tries:',
    '        try:',
    '            s = socket.socket(family); s.settimeout(5); s.connect(where); print(place)',
    '        except OSError: pass',
  ];
  const done = spawnSync('/usr/bin/python3', ['-c', script.join('\n'), ...listeners], { uid: 65_534, gid: 65_534, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(done.stderr);
  return done.stdout.split('\n').filter(Boolean);
}
