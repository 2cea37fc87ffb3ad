/** The audit record of two real portals of one PostgreSQL, as `svc audit` shows it at either of them; a line that was changed, and a portal that is gone. */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AuditLine } from '../../schema/audit.ts';
import { runSvc } from '../../bin/testing/run-svc.ts';
import { freePort, startPortal, type RunningPortal } from '../support/portal.ts';
import { startPostgres } from '../support/postgres.ts';

test('what was done at any portal is shown at each of them', { timeout: 300_000 }, async ({ onTestFinished }) => {
  const [database, folder] = [await startPostgres(), await mkdtemp(join(tmpdir(), 'svca-'))];
  onTestFinished(async () => {
    await database.remove();
    await rm(folder, { recursive: true });
  });
  const [place, desired] = [await database.database(), join(folder, 'd')];
  await mkdir(desired);
  await writeFile(join(folder, 'password'), String(place.password), { mode: 0o600 });
  await writeFile(join(folder, 'portal-key'), randomBytes(32).toString('hex'), { mode: 0o600 });
  const files = { storePassword: { file: join(folder, 'password') }, portalKey: { file: join(folder, 'portal-key') } };
  const documents = [
    { kind: 'Portal', metadata: { name: 'casa' }, spec: { url: 'http://svc.localhost:1', store: place.name, ...files } },
    { kind: 'Server', metadata: { name: 'casa' }, spec: { local: { prefix: join(folder, 'casa') } } },
    { kind: 'Person', metadata: { name: 'ana' }, spec: { nome: 'Ana', login: 'ana', server: 'casa' } },
  ];
  await writeFile(join(desired, 'all.yaml'), documents.map((each) => JSON.stringify({ apiVersion: 'svc/v1', ...each })).join('\n---\n'));
  const addresses: string[] = [];
  const start = async (name: string): Promise<RunningPortal> => {
    const address = `127.0.0.1:${await freePort()}`;
    addresses.push(address);
    const portal = await startPortal({ desired, state: join(folder, name), args: ['--join', address] });
    onTestFinished(async () => await portal.stop());
    return portal;
  };
  const [one, two] = [await start('a'), await start('b')];
  const audit = (portal: RunningPortal, ...args: readonly string[]) => runSvc(folder, ['audit', '--state', portal.state, ...args]);
  await one.admin('POST', '/api/admin/links', { person: 'ana' });
  await two.admin('POST', '/api/admin/links', { person: 'ana', admin: true });
  await one.admin('POST', '/api/admin/links', { person: 'ana', admin: true });
  for (const portal of [one, two]) {
    const lines = JSON.parse((await audit(portal, '--action', 'link', '-o', 'json')).out) as AuditLine[];
    expect(lines.slice(-3).map((line) => `${line.portal} ${String(line.details?.['admin'])}`)).toEqual([
      `${addresses[0]} false`,
      `${addresses[1]} true`,
      `${addresses[0]} true`,
    ]);
    expect(await audit(portal, '--verify')).toMatchObject({ code: 0, err: '' });
  }

  const file = join(two.state, 'audit', (await readdir(join(two.state, 'audit'))).find((name) => name.endsWith('.jsonl')) ?? '');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('"admin":true', '"admin":false'));
  const changed = await audit(one, '--verify');
  expect([changed.code, changed.out]).toEqual([1, expect.stringMatching(new RegExp(`${addresses[1]}: .*\\.jsonl:\\d+ changed: `))]);
  await writeFile(file, text);

  await two.kill();
  const alone = await audit(one, '--action', 'link', '-o', 'json');
  expect(alone.err).toBe(`lines of these portals are missing, they do not answer: ${addresses[1]}\n`);
  expect((JSON.parse(alone.out) as AuditLine[]).map(({ portal }) => portal)).not.toContain(addresses[1]);
  expect(await audit(one, '--verify')).toMatchObject({ code: 1, out: expect.stringContaining(`${addresses[1]}: it does not answer`) });
});
