/** Meaning of `svc-app-install WORD`. Decision: docs/decisions/0364-a-bare-word-is-an-id.md */
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { testServer } from './test-server.ts';

test('a bare word is an id; where nobody has it, the folder that is called so is named by its path', async ({ onTestFinished }) => {
  const server = testServer();
  onTestFinished(() => server.dispose());
  const beside = dirname(server.package('leitor', { id: 'leitor' }));
  const refused = async (word: string): Promise<string> => {
    const { code, last } = await server.runIn(beside, [word]);
    expect([code, last]).toMatchObject([1, { event: 'error', code: 'PACKAGE_SOURCE_MISSING' }]);
    return last?.event === 'error' ? last.message : '';
  };
  expect(await refused('leitor')).toMatch(/: svc-app-install \.\/leitor$/);
  expect(await refused('nada')).not.toContain('./nada');
  expect(await server.runIn(beside, ['./leitor'])).toMatchObject({ code: 0, last: { result: 'installed' } });
});
