import { expect, test } from 'vitest';
import type { PortalEvent } from '../../schema/wire/events.ts';
import { createRemovedApps } from './removed-apps.ts';

const progress = (app: string, state: string): PortalEvent =>
  ({ type: 'install-progress', app, state, reason: 'Uninstalled', message: '', progress: null }) as unknown as PortalEvent;

function world() {
  const gone: string[] = [];
  return { gone, ...createRemovedApps((app) => void gone.push(app)) };
}
const both = new Set(['notas', 'relogio']);
const one = new Set(['relogio']);

test.for([
  ['the list after the word', ['word', 'list']],
  ['the word after the list', ['list', 'word']],
] as const)('an app whose removal was told and that is listed no more is gone, once: %s', ([, order]) => {
  const { gone, heard, listed } = world();
  listed(both);
  heard(progress('notas', 'removing'));
  expect(gone).toEqual([]);
  for (const what of order) {
    if (what === 'word') heard(progress('notas', 'removed'));
    else listed(one);
  }
  listed(one);
  expect(gone).toEqual(['notas']);
});

test('a list without an app alone takes nothing away: the portal may not have looked yet', () => {
  const { gone, heard, listed } = world();
  listed(both);
  listed(new Set());
  heard(progress('relogio', 'outdated'));
  listed(both);
  expect(gone).toEqual([]);
});

test('an app that is there in another way, or wanted again, stays', () => {
  const { gone, heard, listed } = world();
  listed(both);
  heard(progress('notas', 'removed'));
  listed(both);
  heard(progress('notas', 'installing'));
  listed(one);
  expect(gone).toEqual([]);
});
