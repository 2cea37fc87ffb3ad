/** `svc dev --server` against a real sshd: each change is packed, sent, installed and run there as the account of the person. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDev, type RunningDev } from '../support/dev.ts';
import { repository, until } from '../support/portal.ts';
import { startSshd, type TestSshd } from '../support/sshd.ts';

let sshd: TestSshd;
let dev: RunningDev;
let desired: string;

beforeAll(async () => {
  [sshd, desired] = await Promise.all([startSshd({ accounts: 1 }), mkdtemp(join(tmpdir(), 'svcd-'))]);
  await mkdir(desired, { recursive: true });
  const ssh = {
    host: '127.0.0.1',
    port: sshd.port,
    hostKey: sshd.hostKey,
    key: { file: sshd.keyFile },
    kit: sshd.kit,
    prefix: sshd.dir,
  };
  const documents = [
    'kind: Portal\nmetadata: { name: casa }\nspec: {}',
    `kind: Server\nmetadata: { name: sirius }\nspec: ${JSON.stringify({ ssh })}`,
    `kind: Person\nmetadata: { name: rui }\nspec: { nome: Rui, login: rui, server: sirius, account: ${sshd.accounts[0]?.name} }`,
  ];
  await writeFile(join(desired, 'all.yaml'), documents.map((text) => `apiVersion: svc/v1\n${text}\n`).join('---\n'));
  dev = await startDev({ app: join(repository, 'examples/apps/notas'), args: ['--server', 'sirius', '--desired', desired] });
});
afterAll(async () => {
  await dev?.remove();
  await sshd?.stop();
  await rm(desired, { recursive: true, force: true });
});

const backends = (): readonly number[] =>
  sshd
    .processes()
    .filter(({ app, argv }) => app === 'notas' && argv.some((word) => word.endsWith('backend/main.py')))
    .map(({ pid }) => pid);

test('it runs there, a change is another version of it, and the end stops it', async () => {
  expect(dev.link('rui')).toMatch(/^http:\/\/svc\.localhost:/);
  await dev.says(/version 1\.0\.0\+dev\.\w+ listening/, 0);
  const [before] = await until('a backend on the server', () => (backends().length === 1 ? backends() : null));
  const from = await dev.edit('backend/main.py', (text) => `print('mudou', flush=True)\n${text}`);
  await dev.says(/backend\/main\.py → backend ready/, from);
  await dev.says('│ mudou', from);
  expect(backends()).not.toEqual([before]);
  expect(await dev.end('SIGTERM')).toBe(0);
  await until('no backend on the server', () => backends().length === 0);
});

test('a name that is in none of the documents is refused', async () => {
  await expect(startDev({ app: join(repository, 'examples/apps/notas'), args: ['--server', 'lab', '--desired', desired] })).rejects.toThrow(
    /no Server document lab/,
  );
});
