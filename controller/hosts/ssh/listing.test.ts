import { expect, test } from 'vitest';
import { limits } from '../limits.ts';
import type { ListLine } from '../../../schema/list-lines.ts';
import { createListing } from './listing.ts';
import { moving } from '../../../schema/testing/moving.ts';

const manifest = (id: string, version = '1.0.0'): string =>
  JSON.stringify({ id, version, backend: { runtime: 'node', entrypoint: 'main.js' } });
const hash = 'a'.repeat(64);

/** A server whose lines the test says; each run waits until it is let go. */
function createServer() {
  let nowMs = 1_000;
  const runs: { readonly asked: string; readonly answer: (lines: readonly (ListLine | string)[]) => void }[] = [];
  const bad: string[] = [];
  const listing = createListing({
    clock: { nowMs: moving(() => nowMs), monotonicMs: moving(() => nowMs), at: () => () => undefined },
    run: (asked, onLine) =>
      new Promise((resolve) => {
        const answer = (lines: readonly (ListLine | string)[]): void => {
          for (const line of lines) onLine(typeof line === 'string' ? line : JSON.stringify(line));
          resolve({ code: 0, signal: null, said: '' });
        };
        runs.push({ asked, answer });
      }),
    onBadPackage: (folder) => bad.push(folder),
    kitFix: '',
    admin: 'root',
  });
  return { listing, runs, bad, pass: (ms: number) => (nowMs += ms) };
}
const end: ListLine = { event: 'end', version: '9.9.9' };
const account = (name: string, home: string | null = `/home/${name}`): ListLine => ({ event: 'account', account: name, home });
const packaged = (app: string, over: Partial<Extract<ListLine, { event: 'package' }>> = {}): ListLine => ({
  event: 'package',
  account: null,
  app,
  hash,
  delivered: hash,
  previous: null,
  manifest: manifest(app),
  ...over,
});
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('who asks while a look runs that tells of them shares it; who asks freshly gets one that begins afterwards, all of them the same', async () => {
  const { listing, runs } = createServer();
  const first = listing.observe(['ana'], false);
  const shared = listing.observe(['ana'], false);
  const fresh = [listing.observe([], true), listing.observe(['ana'], true), listing.observe(['ana'], true)];
  runs[0]!.answer([account('ana'), end]);
  expect(await shared).toBe(await first);
  await turn();
  runs[1]!.answer([account('ana'), end]);
  const [one, two, three] = await Promise.all(fresh);
  expect([two === one, three === one, one === (await first), runs.length]).toEqual([true, true, false, 2]);
});

test('whoever was asked for once is in every look', async () => {
  const { listing, runs, pass } = createServer();
  const looks = [listing.observe(['ana'], false)];
  runs[0]!.answer([account('ana'), end]);
  await looks[0];
  pass(limits.systemListingMs);
  looks.push(listing.observe(['bia'], false));
  expect(runs[1]!.asked).toBe('ana\nbia\n');
  runs[1]!.answer([account('ana'), account('bia', null), end]);
  expect((await looks[1]!).accounts.get('bia')).toEqual({ home: null, own: [] });
});

test('what was installed meanwhile makes a look stale, homes stay', async () => {
  const { listing, runs } = createServer();
  const before = listing.observe(['ana'], false);
  listing.changed();
  runs[0]!.answer([account('ana'), end]);
  await before;
  expect(await listing.whereabouts('ana')).toEqual({ home: '/home/ana', kit: '9.9.9' });
  expect(runs).toHaveLength(1);
  void listing.observe(['ana'], false);
  expect(runs).toHaveLength(2);
});

test.for([
  ['no JSON', 'Bem-vindo!'],
  ['an event that is none', '{"event":"rm"}'],
  ['a home that is no path', '{"event":"account","account":"ana","home":"../root"}'],
  ['a home with a newline', '{"event":"account","account":"ana","home":"/a\\nb"}'],
  ['an account that is none', '{"event":"account","account":"-o","home":"/"}'],
  ['a hash that is none', JSON.stringify({ ...packaged('notas'), hash: 'x' })],
  ['an app that is a path', JSON.stringify({ ...packaged('notas'), app: '../x' })],
] as const)('a line that is not ours is passed over: %s', async ([, line]) => {
  const { listing, runs } = createServer();
  const look = listing.observe(['ana'], false);
  runs[0]!.answer([line, end]);
  expect(await look).toEqual({
    kit: '9.9.9',
    engines: null,
    system: [],
    closed: new Map(),
    accounts: new Map([['ana', { home: null, own: [] }]]),
  });
});

test('a manifest that can not be acted on, or is another app’s, hides no other and is told', async () => {
  const { listing, runs, bad } = createServer();
  const look = listing.observe([], true);
  runs[0]!.answer([packaged('torta', { manifest: '{' }), packaged('notas', { manifest: manifest('outra') }), packaged('boa'), end]);
  expect((await look).system.map(({ app }) => app)).toEqual(['boa']);
  expect(bad).toEqual(['/torta', '/notas']);
});

test('an unchanged package is the same object at each look', async () => {
  const { listing, runs } = createServer();
  const found = [];
  for (let n = 0; n < 3; n += 1) {
    const look = listing.observe([], true);
    runs[n]!.answer([packaged('notas', n === 2 ? { delivered: null } : {}), end]);
    found.push((await look).system[0]);
  }
  expect([found[0] === found[1], found[1] === found[2], found[2]?.delivered]).toEqual([true, false, null]);
});

const stamped = (account: string | null, stamp: string): ListLine => ({ event: 'stamp', account, stamp });

test('what is as it was is neither asked for nor told again', async () => {
  const { listing, runs } = createServer();
  const looks = async (lines: readonly ListLine[]) => {
    const look = listing.observe(['ana'], true);
    runs.at(-1)!.answer([...lines, end]);
    const { system, accounts } = await look;
    return [runs.at(-1)!.asked, [...system, ...(accounts.get('ana')?.own ?? [])].map(({ app }) => app).join(' ')];
  };
  const own = packaged('meu', { account: 'ana' });
  expect(await looks([account('ana'), stamped('ana', '1a'), stamped(null, '2b'), packaged('notas'), own])).toEqual(['ana\n', 'notas meu']);
  const same: readonly ListLine[] = [account('ana'), { event: 'same', account: 'ana' }, { event: 'same', account: null }];
  expect(await looks(same)).toEqual(['ana\n= 2b\n=ana 1a\n', 'notas meu']);
  // Only one of them is the same.
  expect(await looks([account('ana'), { event: 'same', account: 'ana' }, stamped(null, '3c')])).toEqual(['ana\n= 2b\n=ana 1a\n', 'meu']);
  expect(await looks(same)).toEqual(['ana\n= 3c\n=ana 1a\n', 'meu']);
  // A kit that knows no stamps tells everything.
  expect(await looks([account('ana'), packaged('notas')])).toEqual(['ana\n= 3c\n=ana 1a\n', 'notas']);
  expect(await looks([account('ana')])).toEqual(['ana\n', '']);
});

test('what could not be read is what it was, and is asked for whole until it can be', async () => {
  const { listing, runs, bad } = createServer();
  const looks = async (lines: readonly ListLine[]) => {
    const look = listing.observe(['ana'], true);
    runs.at(-1)!.answer([account('ana'), stamped('ana', '1a'), stamped(null, '2b'), ...lines, end]);
    const { system, accounts } = await look;
    return [runs.at(-1)!.asked, [...system, ...(accounts.get('ana')?.own ?? [])].map(({ app }) => app).join(' ')];
  };
  const refused = (account: string | null, folder: string, unread?: string): ListLine => ({
    event: 'bad',
    account,
    folder,
    message: 'EIO',
    ...(unread === undefined ? {} : { unread }),
  });
  await looks([packaged('notas'), packaged('relogio'), packaged('meu', { account: 'ana' })]);
  const unread = [refused(null, '/opt/svc-apps/notas', 'notas'), packaged('relogio'), refused('ana', '/home/ana/x', 'all')];
  expect(await looks(unread)).toEqual(['ana\n= 2b\n=ana 1a\n', 'relogio notas meu']);
  expect(await looks(unread)).toEqual(['ana\n', 'relogio notas meu']);
  expect((await listing.observe([], false)).system).toMatchObject([{ app: 'relogio' }, { app: 'notas', unread: 'EIO' }]);
  expect(await looks([packaged('notas'), packaged('relogio'), refused('ana', '/home/ana/x', 'all')])).toEqual([
    'ana\n',
    'notas relogio meu',
  ]);
  expect((await listing.observe([], false)).system[0]).not.toHaveProperty('unread');
  // Nor is one gone whose line can't be taken.
  expect(await looks([packaged('notas', { hash: 'x' }), packaged('relogio')])).toEqual(['ana\n= 2b\n', 'relogio notas']);
  // A damaged package is not listed.
  expect(await looks([refused(null, '/opt/svc-apps/notas'), packaged('relogio')])).toEqual(['ana\n=ana 1a\n', 'relogio']);
  expect(bad).toContain('/opt/svc-apps/notas');
});

test.for([
  [127, 'sh: 1: svc-app-list: not found', 'KIT_MISSING', 'is not on the server (sh: 1: svc-app-list: not found): svc server add vega'],
  [
    1,
    'sudo: svc-app-list: command not found',
    'KIT_MISSING',
    'is not on the server (sudo: svc-app-list: command not found): svc server add vega',
  ],
  [1, 'sudo: a password is required', 'ADMIN_REFUSED', 'bia does not become root: sudo: a password is required'],
  [127, 'bash: line 1: sudo: command not found', 'ADMIN_REFUSED', 'bia does not become root: bash: line 1: sudo: command not found'],
  [127, 'sh: 1: sudo: not found', 'ADMIN_REFUSED', 'bia does not become root: sh: 1: sudo: not found'],
  [137, '', 'SERVER_UNREACHABLE', 'ended with 137: '],
] as const)('a command that did not come to its end: %i %s', async ([exit, said, code, message]) => {
  const listing = createListing({
    clock: { nowMs: moving(() => 0), monotonicMs: moving(() => 0), at: () => () => undefined },
    run: async () => ({ code: exit, signal: null, said }),
    onBadPackage: () => undefined,
    kitFix: 'svc server add vega',
    admin: 'bia',
  });
  await expect(listing.observe([], true)).rejects.toMatchObject({ code, message: expect.stringContaining(message) as string });
});
