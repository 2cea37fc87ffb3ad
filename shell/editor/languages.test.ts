import { expect, test } from 'vitest';
import { grammarOf, languageOf } from './languages.ts';

test.for([
  ['conta.py', 'Python'],
  ['a.b.TS', 'TypeScript'],
  ['Dockerfile', 'Dockerfile'],
  ['.bashrc', 'Shell'],
  ['nota.txt', undefined],
  ['sem', undefined],
] as const)('%s is %s', ([name, language]) => expect(grammarOf(name)?.name).toBe(language));

test('each grammar is there and reads a line', async () => {
  const ends =
    'py js ts json sh yaml toml ini css scss less html xml sql r jl f90 tex go rs rb lua pl c cpp cs java kt scala dart cmake dockerfile diff';
  for (const end of ends.split(' ')) {
    const grammar = grammarOf(`a.${end}`);
    if (grammar === null) throw new Error(`no grammar of ${end}`);
    const tree = (await languageOf(grammar)).parser.parse('if (x == 1) { "a" } # b\n');
    expect([end, tree.length]).toEqual([end, 24]);
  }
});
