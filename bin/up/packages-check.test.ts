import { expect, test } from 'vitest';
import { packagesCheck } from './packages-check.ts';

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
