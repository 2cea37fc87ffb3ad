import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../controller/clock/system.ts';
import { createBus } from '../../store/bus.ts';
import { rememberStore } from './remembered-store.ts';
import { openMember, postgresPlace, storePlace } from './store-place.ts';

const of = (store: string) => postgresPlace({ store }, '/nonexistent');

test('each server of the database has a port, and over a network a certificate of its own name', async () => {
  const { others, ...first } = await of('postgres://svc@db1.example.org,[::1]:5433,127.0.0.1/portal');
  expect(first).toMatchObject({ host: 'db1.example.org', port: 5432, ssl: { rejectUnauthorized: true }, user: 'svc', database: 'portal' });
  expect(others).toEqual([
    { host: '::1', port: 5433, ssl: false },
    { host: '127.0.0.1', port: 5432, ssl: false },
  ]);
  expect((await of('postgres://svc@127.0.0.1:5433/portal')).others).toEqual([]);
});

test('the same server twice, or none, is refused', async () => {
  for (const wrong of [
    'postgres://svc@db1,db1:5432/portal',
    'postgres://svc@,db1/portal',
    'postgres://svc@/portal',
    'postgres://db1/portal',
  ])
    await expect(of(wrong)).rejects.toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining('different hosts') as string });
});

test('with errors in the folder and nothing remembered, a portal that joins others is told of them', async ({ onTestFinished }) => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-place-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const casa = (store: string): string => `apiVersion: svc/v1\nkind: Portal\nmetadata: { name: casa }\nspec: { store: "${store}" }\n`;
  writeFileSync(join(dir, 'casa.yaml'), casa('blah blah'));
  const place = await storePlace(dir, dir);
  expect(place.store).toBe('sqlite:svc.db');
  const joined = openMember(place, { stateDir: dir, fresh: false, clock: systemClock, local: createBus() });
  await expect(joined).rejects.toMatchObject({ code: 'BAD_REQUEST', message: expect.stringMatching(/casa\.yaml:4:\d+ PATTERN/) as string });
  // A place that can't be read is not the embedded store.
  symlinkSync('store', join(dir, 'store'));
  await expect(storePlace(dir, dir)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringContaining("can't be read") as string,
  });
  rmSync(join(dir, 'store'));
  rememberStore(dir, place);
  expect(JSON.parse(readFileSync(join(dir, 'store'), 'utf8'))).toEqual({ store: 'sqlite:svc.db' });
});
