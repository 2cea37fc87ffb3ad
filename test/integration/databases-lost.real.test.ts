/**
 * Databases of a running portal that are damaged, deleted or cut: reported with the fix, written to no more, and back with the backup.
 * The tests go on at the same time, each with a portal of its own: they wait for resyncs of ten seconds. A seed takes one of
 * the damages under a running portal: store/database-watch.test.ts has them all.
 */
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { describe, test as plain } from 'vitest';
import { runSvc } from '../../bin/testing/run-svc.ts';
import type { DoctorCheck } from '../../schema/gateway.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { startPortal, until, type RunningPortal } from '../support/portal.ts';
import { everyNth } from '../support/share.ts';
import { writeDesired } from './world.ts';

/** A resync with its jitter, and the delay of a busy machine. */
const roundMsMax = 10_000 + 1_000 + 20_000;

interface Place {
  readonly dir: string;
  readonly state: string;
  readonly desired: string;
  start(): Promise<RunningPortal>;
}

const test = plain.extend<{ place: Place }>({
  // oxlint-disable-next-line no-empty-pattern
  place: async ({}, use) => {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'svcl-'));
    const state = path.join(dir, 'st');
    const desired = await writeDesired(path.join(dir, 'desired'), { apps: [] });
    const started: RunningPortal[] = [];
    await use({
      dir,
      state,
      desired,
      start: async () => {
        const portal = await startPortal({ desired, state });
        started.push(portal);
        return portal;
      },
    });
    for (const portal of started) await portal.stop();
    rmSync(dir, { recursive: true, force: true });
  },
});

async function doctor(running: RunningPortal, name: string): Promise<DoctorCheck | undefined> {
  const { body } = await running.admin('GET', '/api/admin/doctor');
  return (body as { readonly checks: readonly DoctorCheck[] }).checks.find((check) => check.name === name);
}
const saysLost = (running: RunningPortal): Promise<boolean> =>
  until('the loss is told', () => running.output().includes('written to no more'), roundMsMax);

test.concurrent(
  'a store that is no database, or damaged, ends the start with the line that mends it; a lost one costs no room',
  { timeout: 300_000 },
  async ({ place: { dir, state, desired, start }, expect }) => {
    const file = path.join(state, 'svc.db');
    mkdirSync(state, { mode: 0o700 });
    for (const damage of [(name: string) => writeFileSync(name, 'x'.repeat(20_000)), scribble]) {
      await (await openSqliteStore(file)).close();
      damage(file);
      const { code, err: stderr } = await runSvc(dir, ['up', desired, '--state', state, '--listen', '127.0.0.1:0']);
      expect(code).toBe(1);
      expect(stderr).toContain(`svc: STORE_FAILED the store ${file} can't be opened`);
      const mend = /begin with an empty one.*: (mv .*)$/m.exec(stderr)?.[1] ?? '';
      await promisify(execFile)('sh', ['-c', mend]);
      expect(existsSync(file)).toBe(false);
    }
    const running = await start();
    await running.kill();
    for (const name of readdirSync(state)) if (name.startsWith('svc.db')) rmSync(path.join(state, name));
    await running.again();
    expect(running.output()).toContain('belong to another store');
    expect(await doctor(running, 'attachments')).toMatchObject({ ok: false, fix: expect.stringContaining('rm STATE/anexos/.store') });
  },
);

/** Overwrites pages that are not the first. */
function scribble(file: string): void {
  const database = new DatabaseSync(file);
  const { page_size: size } = database.prepare('PRAGMA page_size').get() as { page_size: number };
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  const bytes = readFileSync(file);
  bytes.fill(0x5a, size, size * 4);
  writeFileSync(file, bytes);
}

describe.concurrent.for(
  everyNth(3, [
    ['deleted', (file: string) => rmSync(file)],
    ['emptied', (file: string) => truncateSync(file)],
    ['cut', (file: string) => truncateSync(file, statSync(file).size >> 1)],
  ] as const),
)('svc.db that is %s under a running portal', ([, damage]) => {
  test('is told within a round, without a stack; no byte is written to it; the backup is taken again', async ({
    place: { dir, state, start },
    expect,
  }) => {
    const running = await start();
    const file = path.join(state, 'svc.db');
    const backup = path.join(dir, 'backup.db');
    new DatabaseSync(file, { readOnly: true }).exec(`VACUUM INTO '${backup}'`);
    damage(file);
    const size = sizeOf(file);
    await saysLost(running);
    expect(running.output()).not.toContain('"stack"');
    expect(await doctor(running, 'databases')).toMatchObject({ ok: false, detail: expect.stringContaining('svc.db') });
    expect(await doctor(running, 'store')).toMatchObject({ ok: false, fix: expect.stringContaining('databases') });
    expect(await running.admin('POST', '/api/admin/links', { person: 'ana' })).toMatchObject({
      status: 500,
      body: { code: 'STORE_FAILED' },
    });
    process.kill(running.pid, 'SIGTERM');
    await until('the end of the portal', () => !existsSync(`/proc/${running.pid}`));
    expect(sizeOf(file)).toBe(size);
    for (const name of readdirSync(state)) if (name.startsWith('svc.db')) rmSync(path.join(state, name));
    cpSync(backup, file);
    await running.again();
    expect(await doctor(running, 'databases')).toMatchObject({ ok: true });
  });
});

test.concurrent('rooms.db that is deleted under a running portal is told within a round, and the portal goes on', async ({
  place: { state, start },
  expect,
}) => {
  const running = await start();
  rmSync(path.join(state, 'rooms.db'));
  await saysLost(running);
  expect(await doctor(running, 'databases')).toMatchObject({ ok: false, detail: expect.stringContaining('rooms.db was deleted') });
  expect((await running.admin('POST', '/api/admin/links', { person: 'ana' })).status).toBe(200);
});

function sizeOf(file: string): number | null {
  return existsSync(file) ? statSync(file).size : null;
}
