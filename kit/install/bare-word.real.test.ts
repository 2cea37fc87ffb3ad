/** Meaning of `svc-app-install WORD`. Source: rules 4.4. Decision: docs/decisions/0364-a-bare-word-is-an-id.md */
import { chmodSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { testServer } from './test-server.ts';

test('a bare word is an id; where nobody has it, the folder of that name, if it is the own one', async ({ onTestFinished }) => {
  const server = testServer();
  onTestFinished(() => server.dispose());
  const folder = server.package('leitor', { id: 'leitor' });
  const beside = dirname(folder);
  mkdirSync(join(beside, 'vazia'));
  const missing = [1, { event: 'error', code: 'PACKAGE_SOURCE_MISSING' }] as const;
  for (const word of ['vazia', 'nada', 'leitor@1.0.0']) {
    const { code, last } = await server.runIn(beside, [word]);
    expect([code, last]).toMatchObject(missing);
  }
  chmodSync(folder, 0o777);
  const open = await server.runIn(beside, ['leitor']);
  expect([open.code, open.last]).toMatchObject([1, { message: expect.stringMatching(/: svc-app-install \.\/leitor$/) }]);
  chmodSync(folder, 0o755);
  expect(await server.runIn(beside, ['leitor'])).toMatchObject({ code: 0, last: { result: 'installed' } });
  // From now on it is an id that somebody has.
  expect(await server.runIn(beside, ['leitor'])).toMatchObject({ code: 0, last: { result: 'unchanged' } });
});
