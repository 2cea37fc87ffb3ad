import { expect, test } from 'vitest';
import { nameText, shownName } from './file-path.ts';

test.for([
  ['nota\u202egpj.exe', 'nota\ufffdgpj.exe'],
  ['a\u2066b\u2069.txt', 'a\ufffdb\ufffd.txt'],
  ['duas\nlinhas\u2028.txt', 'duas\ufffdlinhas\ufffd.txt'],
  ['nada\u200b.txt', 'nada\ufffd.txt'],
  ['cor\u001b[31m\u009b.txt', 'cor\ufffd[31m\ufffd.txt'],
  ['ação 👩‍🔬 (1).txt', 'ação 👩‍🔬 (1).txt'],
] as const)('the name %j is shown as %j', ([name, shown]) => {
  const bytes = new TextEncoder().encode(name);
  expect([shownName(bytes), nameText(bytes)]).toEqual([shown, name]);
});
