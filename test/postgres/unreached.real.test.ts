/** A second portal that joins with a key that the servers do not know looks well in all but one thing: it may lead next, and then nothing is ordered. */
import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { view } from '../integration/world.ts';
import { freePort, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { startPostgres } from '../support/postgres.ts';
import { startSshd } from '../support/sshd.ts';

interface Row {
  readonly name: string;
  readonly warning: boolean;
  readonly detail: string;
}

test('which portal does not reach the servers is told by each of them, until it does', async ({ onTestFinished }) => {
  const [database, sshd, folder] = [await startPostgres(), await startSshd({ accounts: 1 }), await mkdtemp(join(tmpdir(), 'svcu-'))];
  onTestFinished(async () => {
    await database.remove();
    await sshd.stop();
    await rm(folder, { recursive: true });
  });
  const [place, desired] = [await database.database(), join(folder, 'd')];
  await mkdir(desired);
  await writeFile(join(folder, 'password'), String(place.password), { mode: 0o600 });
  await writeFile(join(folder, 'portal-key'), randomBytes(32).toString('hex'), { mode: 0o600 });
  const files = { storePassword: { file: join(folder, 'password') }, portalKey: { file: join(folder, 'portal-key') } };
  const ssh = { host: '127.0.0.1', port: sshd.port, hostKey: sshd.hostKey, kit: sshd.kit, key: { file: 'server-key' } };
  const documents = [
    { kind: 'Portal', metadata: { name: 'casa' }, spec: { url: 'http://svc.localhost:1', store: place.name, ...files } },
    { kind: 'Server', metadata: { name: 'sirius' }, spec: { ssh } },
    { kind: 'Person', metadata: { name: 'ana' }, spec: { nome: 'Ana', login: 'ana', server: 'sirius', account: sshd.accounts[0]?.name } },
  ];
  await writeFile(join(desired, 'all.yaml'), documents.map((each) => JSON.stringify({ apiVersion: 'svc/v1', ...each })).join('\n---\n'));
  const other = await startSshd({ accounts: 0 });
  onTestFinished(async () => await other.stop());
  const start = async (name: string, key: string): Promise<RunningPortal> => {
    const state = join(folder, name);
    await mkdir(state);
    await copyFile(key, join(state, 'server-key'));
    const portal = await startPortal({ desired, state, args: ['--join', `127.0.0.1:${await freePort()}`] });
    onTestFinished(async () => await portal.stop());
    return portal;
  };
  const both = [await start('a', sshd.keyFile), await start('b', other.keyFile)];
  const row = async (portal: RunningPortal): Promise<Row | undefined> =>
    ((await portal.admin('GET', '/api/admin/doctor')).body as { readonly checks: readonly Row[] }).checks.find(
      ({ name }) => name === 'portals',
    );
  for (const portal of both) {
    const said = await until('the row', async () => ((await row(portal))?.warning === true ? await row(portal) : null));
    expect(said?.detail).toMatch(new RegExp(`^does not reach servers that another one reaches: .*process ${both[1]?.pid} \\(sirius\\)$`));
  }
  const seen = async (): Promise<unknown> => {
    const found = ((await view(both[0]!, 'Portal/casa'))?.details['portals'] ?? []) as readonly { readonly unreached: unknown }[];
    return found.map(({ unreached }) => unreached);
  };
  await until('the object', async () => JSON.stringify(await seen()) === '[[],["sirius"]]');
  await copyFile(sshd.keyFile, join(folder, 'b', 'server-key'));
  await both[1]!.kill();
  await both[1]!.again();
  await until('both reach it', async () => (await row(both[0]!))?.warning === false);
});
