/**
 * The apps' use of processors and memory, read only on request: by the scope's counters where the app has one (`cpu.stat`, `memory.current` without
 * `inactive_file`, `pids.current`); otherwise, or where the scope lacks one of them, from /proc, over its process group and the descendants of its
 * leader (a child in another session counts as long as its parent lives). Memory from /proc is the sum of the private part of each process
 * (`RssAnon`) and the largest of their shared parts, which would otherwise count once for each. The figures are in no snapshot: they differ each
 * time, and each change of a snapshot is a write, a push and a decision. The reply holds totals since the start; the portal makes the rate of two
 * readings, at least 1 s and at most 15 s apart, for any number of clients. `cpu` is percent of one processor: two busy ones are 200. A server that
 * does not answer within 3 s is `uso: null`. Apps of `escopo: servidor` have no figures: the service manager of the server runs them.
 */
import { readFileSync } from 'node:fs';
import type { AppUse } from '../../schema/supervisor-lines.ts';
import { livingPids } from '../processes.ts';
import type { App } from './app-state.ts';

/** The part of /proc/PID/stat that is asked for here. */
interface TableRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Own time and that of children that were waited for. */
  readonly cpuMs: number;
}

/** Clock ticks for user space are 10 ms on every Linux. */
const tickMs = 10;

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}

/** Null for a zombie too: it holds nothing any more. */
export function parseStatRow(pid: number, text: string): TableRow | null {
  const rest = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (rest[0] === 'Z' || rest[0] === 'X') return null;
  const ticks = [11, 12, 13, 14].reduce((sum, field) => sum + Number(rest[field]), 0);
  const row = { pid, parent: Number(rest[1]), group: Number(rest[2]), cpuMs: ticks * tickMs };
  return Number.isFinite(row.cpuMs) && Number.isInteger(row.parent) && Number.isInteger(row.group) ? row : null;
}

function processTable(): readonly TableRow[] {
  return livingPids().flatMap((pid) => parseStatRow(pid, readText(`/proc/${pid}/stat`) ?? '') ?? []);
}

/** The leader, its group and what descends from any of these. A table is in the order of pids, and a child may have the smaller one. */
export function membersOf(leader: number, table: readonly TableRow[]): readonly TableRow[] {
  const members = new Map(table.filter(({ pid, group }) => pid === leader || group === leader).map((row) => [row.pid, row]));
  for (let before = -1; before !== members.size;) {
    before = members.size;
    for (const row of table) if (members.has(row.parent)) members.set(row.pid, row);
  }
  return [...members.values()];
}

const field = (text: string, name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);

/**
 * Pages of files and of shared memory stand in every process that maps them: of these the largest counts, of what each has for itself all.
 */
function ofProcesses(rows: readonly TableRow[]): Omit<AppUse, 'app' | 'pid'> {
  let [own, shared, tasks] = [0, 0, 0];
  for (const { pid } of rows) {
    const text = readText(`/proc/${pid}/status`) ?? '';
    own += field(text, 'RssAnon');
    shared = Math.max(shared, field(text, 'RssFile') + field(text, 'RssShmem'));
    tasks += field(text, 'Threads');
  }
  return { cpuMs: rows.reduce((sum, row) => sum + row.cpuMs, 0), memoryBytes: (own + shared) * 1_024, tasks };
}

/** Null unless the scope counts all three. Memory without the page cache that the kernel reclaims on demand. */
export function ofScope(folder: string): Omit<AppUse, 'app' | 'pid'> | null {
  const usec = /^usage_usec (\d+)$/m.exec(readText(`${folder}/cpu.stat`) ?? '')?.[1];
  const current = /^\d+/.exec(readText(`${folder}/memory.current`) ?? '')?.[0];
  const tasks = /^\d+/.exec(readText(`${folder}/pids.current`) ?? '')?.[0];
  if (usec === undefined || current === undefined || tasks === undefined) return null;
  const cache = Number(/^inactive_file (\d+)$/m.exec(readText(`${folder}/memory.stat`) ?? '')?.[1] ?? 0);
  return { cpuMs: Math.floor(Number(usec) / 1_000), memoryBytes: Math.max(0, Number(current) - cache), tasks: Number(tasks) };
}

/** Usage of every app with a process. Walks over the process table once, and only when some app has no scope. */
export function usageOf(apps: Iterable<App>, root = '/sys/fs/cgroup'): readonly AppUse[] {
  let table: readonly TableRow[] | null = null;
  return [...apps].flatMap(({ id, process: live }) => {
    if (live === null) return [];
    const { pid } = live.identity;
    const scope = live.cgroup === null ? null : ofScope(`${root}${live.cgroup}`);
    if (scope !== null) return [{ app: id, pid, ...scope }];
    table ??= processTable();
    const members = membersOf(pid, table);
    return members.length === 0 ? [] : [{ app: id, pid, ...ofProcesses(members) }];
  });
}
