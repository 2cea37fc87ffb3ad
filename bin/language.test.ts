import { expect, test } from 'vitest';
import { terminalLanguage } from './language.ts';

test.for([
  [{ LANG: 'pt_BR.UTF-8' }, 'pt'],
  [{ LANG: 'pt_BR.UTF-8', LC_ALL: 'C' }, 'en'],
  [{ LANG: 'en_US.UTF-8', LC_MESSAGES: 'pt' }, 'pt'],
  [{ LANG: 'pt_BR.UTF-8', LC_ALL: '' }, 'pt'],
  [{ LANG: 'ptx' }, 'en'],
  [{}, 'en'],
] as const)('%o reads %s', ([env, language]) => {
  expect(terminalLanguage(env)).toBe(language);
});
