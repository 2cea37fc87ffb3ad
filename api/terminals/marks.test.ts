/** Terminals of the portal's own account, of people whom the Portal document makes administrators. */
import { expect, test } from 'vitest';
import { createManualClock } from '../testing/manual-clock.ts';
import { createTestShells } from '../testing/shells.ts';
import { limits } from './limits.ts';
import { createTerminals } from './terminals.ts';

test.for([
  ['as the portal, by the mark', true, true, []],
  ['as the portal, by a link', true, false, ['ana']],
  ['as themself', false, true, ['ana']],
] as const)('a terminal %s, when the mark is gone', async ([, asPortal, marked, left]) => {
  const clock = createManualClock();
  const shells = createTestShells();
  if (asPortal) shells.asPortal.add('ana');
  let isAdmin: boolean = marked;
  const people = { find: () => ({ usuario: 'ana', nome: 'Ana', login: 'ana', grupos: [], isAdmin }) };
  const terminals = createTerminals({ clock, people, commands: { openShell: shells.open }, log: { warn: () => undefined } });
  await terminals.open({ person: 'ana', admin: true }, { columns: 80, rows: 24 });
  clock.advance(limits.terminalSweepMs);
  expect(terminals.list('ana')).toHaveLength(1);
  isAdmin = false;
  clock.advance(limits.terminalSweepMs);
  expect(terminals.list('ana').map(() => 'ana')).toEqual(left);
  terminals.close();
});
