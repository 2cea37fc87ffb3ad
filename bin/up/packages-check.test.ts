import { expect, test } from 'vitest';
import { packagesCheck } from './packages-check.ts';
import { repositoriesCheck } from './repositories-check.ts';

const one = (key: string, isChanged: boolean, by: 'document' | 'wish' = 'document') => ({
  key,
  wanted: { by },
  decision: { conditions: [{ type: 'Stale', status: isChanged ? 'True' : 'False' }] },
  source: { folder: `/apps/${key.split('/').at(-1)}` },
});

test('names what differs from its source, each fix once, and how many more there are', () => {
  expect(packagesCheck([one('Package/a', false), { ...one('Package/b', true), decision: null }])).toMatchObject({ ok: true, fix: null });
  const wishes = ['ana', 'bia', 'caio', 'davi'].map((person) => one(`Package/${person}/notas`, true, 'wish'));
  const { ok, warning, detail, fix } = packagesCheck([one('Package/a', false), ...wishes]);
  expect([ok, warning]).toEqual([false, true]);
  expect(detail.en).toMatch(/^Package\/ana\/notas: was installed .* \/apps\/notas .*; Package\/bia\/.*; Package\/caio\/.*; and 1 more$/);
  expect(fix?.pt.match(/aumente "version"/g)).toHaveLength(1);
  expect(fix?.en).toMatch(/^raise "version" in \/apps\/notas\/svc-app\.json: the shop .*; svc why Package\/NAME$/);
});

test('repositories: what can not be read, and what has no good signature', () => {
  const app = (id: string, refused: boolean) => ({
    id,
    repository: { place: '/r', key: 'RW', groups: null },
    versions: [
      {
        version: '1.0.0',
        tamanho: 1,
        sha256: 'a',
        publicadoEm: null,
        novidades: '',
        manifest: {},
        signature: refused ? { refused: 'it is not signed' } : { text: '', signedBy: 'A' },
      },
    ],
  });
  const told = (apps: readonly ReturnType<typeof app>[], problem: string | null = null, count = 1) => {
    const { ok, detail } = repositoriesCheck(count, { apps, problem });
    return [ok, detail.en];
  };
  expect(told([], 'gone', 0)).toEqual([true, 'the Portal document names none']);
  expect(told([app('notas', false)])).toEqual([true, '1 read, 1 apps']);
  expect(told([app('notas', false)], 'http://x does not answer')).toEqual([false, 'http://x does not answer']);
  expect(told([app('notas', false), app('mapa', true)])).toEqual([false, 'without a good signature: mapa 1.0.0']);
});
