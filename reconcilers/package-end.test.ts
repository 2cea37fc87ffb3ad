/** How an object that wants a package comes to its end: a removed document, a wish that was carried out or given up, a rollback that is over. */
import { expect, it } from 'vitest';
import { decidePackage } from './package.ts';
import type { PackageBusy, PackageDesired, PackageObserved } from './package-types.ts';

const document: PackageDesired = {
  name: 'notas',
  leaving: true,
  server: 'casa',
  app: 'notas',
  scope: 'sistema',
  person: null,
  version: null,
  generation: 1,
  requestId: null,
  cancels: false,
  paused: false,
  rollback: null,
};
const wish: PackageDesired = { ...document, name: 'ana/notas', leaving: false, scope: 'pessoa', person: 'ana', requestId: 'q' };
const cancel = { ...wish, cancels: true };
const there = { version: '1.0.0', hash: 'h', drift: false, previous: null };
const run = (act: PackageBusy['act']): PackageBusy => ({ act, version: '1.1.0', cancelled: false, reason: 'Installing', message: '' });
const nothing: PackageObserved = {
  host: { status: 'reachable', message: '' },
  targetObserved: true,
  isOthers: false,
  overruled: null,
  installed: null,
  offer: null,
  offered: [],
  problem: null,
  refusedThere: null,
  refusal: null,
  living: 0,
  answered: false,
  busy: null,
  failure: null,
};
const away = { host: { status: 'unreachable', message: 'no route' } } as const;
const held = { from: '1.0.0', to: '0.9.0', requestId: 'r' };

it.for([
  ['a removed document goes with its package', document, {}, 'removed', ['object/forget Package/notas']],
  ['not before it', document, { installed: there }, 'removing', ['package/remove notas']],
  ['not while somebody works on what it left', document, { busy: run('mend') }, 'removed', []],
  ['not while its server does not answer', document, away, 'unknown', []],
  [
    'at once when another one wants what is there',
    document,
    { installed: there, isOthers: true, ...away },
    'removed',
    ['object/forget Package/notas'],
  ],
  ['a wish for a removal goes with its package', wish, {}, 'removed', ['wish/end ana notas q removed']],
  ['not before it', wish, { installed: there }, 'removing', ['package/remove notas']],
  ['a removal ends an installation', wish, { busy: run('install') }, 'removed', ['package/cancel notas', 'wish/end ana notas q cancelled']],
  [
    'and what was there before stays',
    wish,
    { busy: run('install'), installed: there },
    'installing',
    ['package/cancel notas', 'wish/keep ana notas q 1.0.0'],
  ],
  ['it is cancelled once', wish, { busy: { ...run('install'), cancelled: true } }, 'removed', ['wish/end ana notas q cancelled']],
  ['who gives up a wish keeps what is there', cancel, { installed: there }, 'installed', ['wish/keep ana notas q 1.0.0']],
  ['or has nothing', cancel, {}, 'removed', ['wish/end ana notas q cancelled']],
  ['nobody knows what is there before the first look', cancel, { targetObserved: false }, 'unknown', []],
  ['nor while the server does not answer', cancel, away, 'unknown', []],
  [
    'a document overrules a wish for a removal',
    { ...document, leaving: false, scope: 'pessoa', person: 'ana', version: '1.0.0' },
    { installed: there, overruled: { person: 'ana', requestId: 'q' } },
    'installed',
    ['wish/end ana notas q overruled'],
  ],
  [
    'a rollback from a version that is wanted no longer is over',
    { ...document, leaving: false, version: '1.1.0', rollback: held },
    { ...away },
    'unknown',
    ['rollback/end Package/notas r'],
  ],
  [
    'and one of a package that goes',
    { ...document, rollback: held },
    {},
    'removed',
    ['rollback/end Package/notas r', 'object/forget Package/notas'],
  ],
] as const satisfies readonly (readonly [string, PackageDesired, Partial<PackageObserved>, string, readonly string[]])[])(
  '%s',
  ([, desired, seen, state, acts]) => {
    const decision = decidePackage(desired, { ...nothing, ...seen }, null, 1_000);
    const words = decision.actions.map(({ kind, ...rest }) => {
      const { key, person, app, requestId, outcome, version } = rest as Record<string, string | null>;
      return kind.startsWith('package/')
        ? `${kind} ${app}`
        : [kind, key, person, app, requestId, outcome ?? version].filter(Boolean).join(' ');
    });
    expect([decision.state, words]).toEqual([state, acts]);
    // The store may have refused it: it is asked again, whatever waits.
    const again = decidePackage(desired, { ...nothing, ...seen }, decision.memory, 1_001).actions;
    const kept = (actions: typeof again) => actions.filter(({ kind }) => !kind.startsWith('package/'));
    expect(kept(again)).toEqual(kept(decision.actions));
  },
);

it('the end of a rollback does not make the next attempt another one', () => {
  const upgrade = { ...document, leaving: false, version: '1.1.0', rollback: held };
  const seen = { ...nothing, installed: { ...there, version: '0.9.0' }, offer: { mark: 'm' } };
  const first = decidePackage(upgrade, seen, null, 1_000);
  expect(first.actions.map(({ kind }) => kind)).toEqual(['rollback/end', 'package/install']);
  expect(decidePackage({ ...upgrade, rollback: null }, seen, first.memory, 1_001).actions).toEqual([]);
});
