/** Several repositories of one portal: which wins, whom each is for, and what holds while one is away. */
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runSvc } from '../../bin/testing/run-svc.ts';
import type { ShopAnswer } from '../../schema/wire/shop.ts';
import { packageWorld, type PackageWorld } from '../support/packages.ts';
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
  mkdirSync(join(world.dir, 'empty'));
  await world.write([bia], [join(world.dir, 'nothing'), { url: second, grupos: ['ti'] }]);
  const { apps, problem } = await shop(pages.bia);
  expect(apps.map(({ id, installed }) => [id, installed])).toEqual([
    ['mapa', '2.0.0'],
    ['notas', null],
  ]);
  expect(problem).toMatch(/nothing/);
  expect(world.view('Package/bia/mapa')?.state).toBe('installed');
});
