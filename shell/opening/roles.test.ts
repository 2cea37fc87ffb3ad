import { expect, test } from 'vitest';
import { holderOf } from './roles.ts';
import { opener } from './testing/openers.ts';

const shell = opener('concha', { papel: 'terminal' });
const [code, other] = [opener('codigo', { papel: 'ide' }), opener('outro', { papel: 'ide' })];

// Source: rules 2.1 `handles`.
test.for([
  ['the desktop’s own until the person chose', 'terminal', [shell], {}, { by: 'desktop' }],
  ['the app that the person chose', 'terminal', [shell], { terminal: 'concha' }, { by: 'app', app: 'concha' }],
  ['the desktop’s own where the chosen app is gone', 'terminal', [], { terminal: 'concha' }, { by: 'desktop' }],
  ['not an app that handles another role', 'editor', [shell], { editor: 'concha' }, { by: 'desktop' }],
  ['nobody, of what the desktop lacks', 'ide', [shell], {}, null],
  ['the only app, of what the desktop lacks', 'ide', [code], {}, { by: 'app', app: 'codigo' }],
  ['asked, where two offer what the desktop lacks', 'ide', [code, other], {}, { by: 'ask' }],
  ['the chosen one of those two', 'ide', [code, other], { ide: 'outro' }, { by: 'app', app: 'outro' }],
  ['nobody, without a browser', 'browser', [code], {}, null],
] as const)('it is %s', ([, role, apps, padroes, holder]) => {
  expect(holderOf(role, apps, { padroes })).toEqual(holder);
});
