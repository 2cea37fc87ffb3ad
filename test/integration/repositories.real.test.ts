/** Several repositories of one portal: which wins, whom each is for, and what holds while one is away. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { repository as root, runSvc } from '../../bin/testing/run-svc.ts';
import { openRepositoryFolder } from '../../kit/repository/publishing/folder.ts';
import { writeSecretKey } from '../../kit/repository/testing/secret-key.ts';
import type { ShopAnswer } from '../../schema/wire/shop.ts';
import { packageWorld, serveRepository, type PackageWorld } from '../support/packages.ts';
import { until } from '../support/portal.ts';
import { signInPage, type PageClient } from '../support/page-client.ts';

let world: PackageWorld;
beforeEach(async () => {
  world = await packageWorld();
});
afterEach(() => world.dispose());

const bia = 'kind: Person\nmetadata: { name: bia }\nspec: { nome: Bia, login: bia, server: casa, grupos: [ti] }';

async function signedIn(person: string): Promise<PageClient> {
  const { out } = await runSvc(world.dir, ['link', person, '--state', world.state]);
  return await signInPage(out.trim(), Number(new URL(world.up.url).port));
}

const shop = async (page: PageClient): Promise<ShopAnswer> => (await page.call('GET', '/api/loja')).json() as ShopAnswer;

test('the first that has an app offers it; one with groups is for them alone; one that is away takes nothing from the others', async () => {
  await world.publish('notas', '1.0.0');
  const second = world.unpacked('notas', '9.0.0');
  world.unpacked('mapa', '2.0.0', { icon: 'frontend/index.svg' });
  await world.write([bia], [world.repo, { url: second, grupos: ['ti'] }]);
  await world.begin();
  const pages = { ana: await signedIn('ana'), bia: await signedIn('bia') };
  const offered = async (page: PageClient) => (await shop(page)).apps.map(({ id, versions }) => `${id} ${versions[0]?.version}`);
  expect([await offered(pages.ana), await offered(pages.bia)]).toEqual([['notas 1.0.0'], ['notas 1.0.0', 'mapa 2.0.0']]);

  // As for an app that does not exist.
  const unknown = await pages.ana.call('POST', '/api/apps/nada/instalacao');
  for (const [method, path] of [
    ['POST', '/api/apps/mapa/instalacao'],
    ['GET', '/api/loja/mapa/icone?versao=2.0.0'],
  ] as const)
    expect((await pages.ana.call(method, path)).status).toBe(404);
  expect((await pages.ana.call('POST', '/api/apps/mapa/instalacao')).json()).toMatchObject({ code: unknown.json().code as string });
  // A wish that is stored all the same: somebody left the group after the click.
  await world.wish('mapa', '2.0.0');
  await world.when('Package/ana/mapa', 'missing', ({ reason, message }) => reason === 'ScopeRefused' && message.includes('group ti'));
  expect((await pages.bia.call('POST', '/api/apps/mapa/instalacao')).status).toBe(202);
  await world.when('Package/bia/mapa', 'installed');

  renameSync(world.repo, `${world.repo}-away`);
  await world.write([bia], [join(world.dir, 'nothing'), { url: second, grupos: ['ti'] }]);
  const { apps, problem } = await shop(pages.bia);
  expect(apps.map(({ id, installed }) => [id, installed])).toEqual([
    ['mapa', '2.0.0'],
    ['notas', null],
  ]);
  expect(problem).toMatch(/nothing/);
  expect(world.view('Package/bia/mapa')?.state).toBe('installed');
});

/** The command of an author. */
async function publish(
  folder: string,
  repository: string,
  ...more: readonly string[]
): Promise<{ readonly code: number | null; readonly out: string }> {
  const child = spawn(join(root, 'bin/svc-app-publish'), [folder, '--repository', repository, ...more], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, said] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, out: out + said };
}

/** As an administrator types it on a server. */
async function installByHand(prefix: string, ...words: readonly string[]): Promise<string> {
  const child = spawn(join(root, 'bin/svc-app-install'), words, {
    env: { ...process.env, SVC_PREFIX: prefix },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, said] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return `${child.exitCode} ${out}${said}`;
}

test('with a key only what it signed is offered and installed: not an unsigned version, other bytes, another record, an old one as new', async () => {
  const { dir, repo } = world;
  const source = (version: string): string => join(world.unpacked('notas', version), 'notas');
  const own = join(dir, 'own.key');
  writeSecretKey(own);
  const said = await publish(source('1.0.0'), repo, '--key', own);
  const chave = /chave: (RW\S{54})/.exec(said.out)?.[1] ?? said.out;
  const served = await serveRepository(repo);
  onTestFinished(served.close);
  await world.write([], [{ url: served.url, chave }]);
  await world.begin();
  const page = await signedIn('ana');
  const offered = async () => {
    const app = (await shop(page)).apps.find(({ id }) => id === 'notas');
    return [
      app?.versions[0]?.version,
      app?.signedBy === null ? null : 'signed',
      app?.refused.map(({ motivo, texto }) => `${motivo}: ${texto}`).join(),
    ];
  };
  expect(await offered()).toEqual(['1.0.0', 'signed', '']);
  expect((await page.call('POST', '/api/apps/notas/instalacao')).status).toBe(202);
  await world.when('Package/ana/notas', 'installed', ({ message }) => message === 'version 1.0.0');

  const refused = async (version: string, why: string): Promise<void> => {
    await until(version, async () => (await offered())[0] === version && String((await offered())[2]).includes(why)).catch(
      async (error: unknown) => {
        throw new Error(`${(error as Error).message}; it is ${JSON.stringify(await offered())}`);
      },
    );
    const answer = await page.call('POST', '/api/apps/notas/instalacao');
    expect([answer.status, answer.json().code]).toEqual([422, 'PACKAGE_REFUSED']);
  };
  await publish(source('1.1.0'), repo);
  await refused('1.1.0', 'assinatura: it is not signed');
  await world.wish('notas', '1.1.0');
  await world.when('Package/ana/notas', 'outdated', ({ reason }) => reason === 'SignatureRefused');
  const ask = async (...words: readonly string[]) => (await runSvc(dir, [...words, '--state', world.state])).out;
  expect(await ask('why', 'Package/ana/notas')).toContain('none that is good');
  expect(await ask('doctor')).toMatch(/repositories +without a good signature: notas 1\.1\.0/);
  // The same bytes again, signed.
  expect((await publish(source('1.1.0'), repo, '--key', own)).out).toContain('with the same bytes');
  await world.write([], [{ url: repo, chave }]);
  await world.wish('notas', '1.1.0');
  await world.when('Package/ana/notas', 'installed', ({ message }) => message === 'version 1.1.0');

  // An old tarball with its good signature under a newer version, record and catalogue as they must be.
  const files = join(repo, 'v1/pacote/notas');
  for (const end of ['tgz', 'minisig']) copyFileSync(join(files, `1.0.0.${end}`), join(files, `2.0.0.${end}`));
  const record = JSON.parse(readFileSync(join(files, '1.0.0.json'), 'utf8')) as { manifest: { version: string } };
  record.manifest.version = '2.0.0';
  writeFileSync(join(files, '2.0.0.json'), JSON.stringify(record));
  await openRepositoryFolder(repo);
  await refused('2.0.0', 'it is for "svc-app notas 1.0.0');
  const prefix = join(dir, 'by-hand');
  expect(await installByHand(prefix, 'notas@2.0.0', '--repository', repo, '--chave', chave)).toMatch(
    /^1 .*SIGNATURE_REFUSED.*svc-app notas 1\.0\.0/s,
  );

  // Other bytes in place of the tarball, with a record that fits them: by hand, too.
  const evil = Buffer.concat([readFileSync(join(files, '1.1.0.tgz')), Buffer.alloc(1)]);
  const now = JSON.parse(readFileSync(join(files, '1.1.0.json'), 'utf8')) as Record<string, unknown>;
  writeFileSync(join(files, '1.1.0.tgz'), evil);
  expect(await installByHand(prefix, 'notas@1.1.0', '--repository', repo, '--chave', chave)).toMatch(/^1 .*CHECKSUM_MISMATCH/s);
  writeFileSync(
    join(files, '1.1.0.json'),
    JSON.stringify({ ...now, sha256: createHash('sha256').update(evil).digest('hex'), tamanho: evil.length }),
  );
  await openRepositoryFolder(repo);
  expect(await installByHand(prefix, 'notas@1.1.0', '--repository', repo, '--chave', chave)).toMatch(/^1 .*SIGNATURE_REFUSED/s);
  expect(
    await installByHand(
      prefix,
      join(files, '1.1.0.tgz'),
      '--chave',
      chave,
      '--assinatura',
      readFileSync(join(files, '1.1.0.minisig')).toString('base64'),
    ),
  ).toMatch(/^1 .*the tarball has the sha256/s);
  expect(await installByHand(prefix, source('3.0.0'), '--chave', chave)).toMatch(/^1 .*SIGNATURE_MISSING.*nobody signs/s);
  expect(await installByHand(prefix, 'notas@1.0.0', '--repository', repo, '--chave', chave)).toMatch(/^0 /);
  expect(world.view('Package/ana/notas')?.details['installed']).toBe('1.1.0');
});
