import { expect, test } from 'vitest';
import type { Entries } from '../../controller/entries.ts';
import { judgeSeparation, separations } from './separation.ts';

/** People in capitals have an account. */
const world = (spec: object, ...people: string[]) => {
  const why = (name: string) => (name === name.toUpperCase() ? null : { pt: `não há conta ${name}`, en: `there is no account ${name}` });
  const host = { installed: async () => [], asPortal: async (name: string) => ('ssh' in spec ? null : why(name)) };
  return {
    servers: new Map([['casa', { name: 'casa', placed: { document: { spec } }, host }]]),
    people: new Map(people.map((name) => [name, { name, account: name, server: { name: 'casa' } }])),
  } as unknown as Entries;
};
const told = async (...args: Parameters<typeof separations>) => (await separations(...args)).map(({ en }) => en);
const svc = { name: 'svc', isRoot: false };
const root = { name: 'root', isRoot: true };

test('several people on a local server, and root, are told; an ssh server separates', async () => {
  expect(await separations(world({ local: {} }, 'ana'), svc)).toEqual([]);
  expect(await separations(world({ local: {} }), root)).toEqual([]);
  expect(await separations(world({ ssh: {} }, 'ana', 'bia'), root)).toEqual([]);
  expect(await told(world({ local: { trusted: true } }, 'ana', 'bia'), svc)).toEqual([
    "on the local server casa the apps of ana and bia run as the account of the portal, svc: each may read everybody's data and be administrator",
  ]);
  expect(await told(world({ local: {} }, 'ana'), root)).toEqual([
    'on the local server casa the apps of ana run as the account of the portal, root: each may do everything on this machine (there is no account ana)',
  ]);
  const many = await told(world({ local: {} }, 'a', 'b', 'c', 'd', 'e', 'f', 'g'), root);
  expect(many[0]).toMatch(/of a, b, c, d, e and 2 more run .* be administrator, of this machine too \(there is no account a; .*\)$/);
});

test('a portal that is root lends accounts, and names whom it has none for', async () => {
  expect(await told(world({ local: {} }, 'ANA', 'BIA'), root)).toEqual([]);
  expect(await told(world({ local: { trusted: true } }, 'ANA', 'bia'), root)).toEqual([
    "on the local server casa the apps of bia run as the account of the portal, root: each may read everybody's data and be administrator, of this machine too (there is no account bia)",
  ]);
});

test('the doctor warns, and breaks nothing', () => {
  expect(judgeSeparation([], true)).toMatchObject({ ok: true, warning: false });
  expect(judgeSeparation([{ pt: 'x', en: 'y' }], true)).toMatchObject({
    ok: false,
    warning: true,
    detail: { pt: 'x', en: 'y' },
    fix: { en: expect.stringContaining('ssh server') },
  });
  expect(judgeSeparation([], false)).toMatchObject({ ok: false, warning: true, fix: { en: 'install python3' } });
});
