/**
 * Backups of a site of about two gigabytes beside `sqlite3 .backup` with `cp -a`: the first one, one after 1 % changed, a restore. Not part of `bench/run.ts`: it
 * takes minutes of disk. `node bench/backup.ts [SCALE [ROWS]]`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { addRooms, editRooms, makeSite, type SiteSize } from './backup-site.ts';

const scale = Number(process.argv[2] ?? 1);
const size: SiteSize = {
  rooms: 2_000 * scale,
  rowsPerRoom: Number(process.argv[3] ?? 10),
  attachments: 6_000 * scale,
  attachmentBytes: 300_000,
  events: 100_000 * scale,
};
const one: SiteSize = { ...size, rooms: size.rooms / 100, attachments: size.attachments / 100 };
const dir = mkdtempSync(join(tmpdir(), 'svc-bench-backup-'));
const [state, dest, copy] = [join(dir, 'state'), join(dir, 'dest'), join(dir, 'copy')];
const svc = resolve(import.meta.dirname, '../bin/svc');

function timed(what: string, act: () => void): number {
  const startMs = performance.now();
  act();
  const ms = performance.now() - startMs;
  process.stdout.write(`${what.padEnd(44)} ${(ms / 1_000).toFixed(2)} s\n`);
  return ms;
}

const backup = (...more: readonly string[]): void => {
  execFileSync(svc, ['backup', dest, '--state', state, ...more], { stdio: ['ignore', 'ignore', 'ignore'] });
};
/** By hand, as the operator's page had it. */
const byHand = (): void => {
  execFileSync('mkdir', ['-p', copy]);
  for (const name of ['svc.db', 'rooms.db']) execFileSync('sqlite3', [join(state, name), `.backup ${join(copy, name)}`]);
  execFileSync('cp', ['-a', '-u', join(state, 'anexos'), copy]);
  execFileSync('sync', ['-f', copy]);
};

try {
  await makeSite(state, size);
  execFileSync('sync', ['-f', dir]);
  execFileSync('sleep', ['3']);
  process.stdout.write(execFileSync('du', ['-sh', state], { encoding: 'utf8' }));
  const first = timed('svc backup, the first one', () => backup());
  timed('svc backup, nothing changed', () => backup());
  timed('sqlite3 .backup and cp -a, the first one', byHand);
  addRooms(state, size.rooms, one);
  editRooms(state, size.rooms / 100, size);
  execFileSync('sync', ['-f', dir]);
  const second = timed('svc backup, after 1 %', () => backup());
  timed('sqlite3 .backup and cp -a -u, after 1 %', byHand);
  timed('svc backup --check', () => backup('--check'));
  timed('svc restore', () => void execFileSync(svc, ['restore', dest, '--state', join(dir, 'restored'), '--yes'], { stdio: 'ignore' }));
  process.stdout.write(`the second is ${((second / first) * 100).toFixed(1)} % of the first\n`);
  process.stdout.write(execFileSync('du', ['-sh', dest, copy], { encoding: 'utf8' }));
} finally {
  rmSync(dir, { recursive: true, force: true });
}
