import { expect, test } from 'vitest';
import { judgePeer, type ProcessReader } from './control-peer.ts';

const own = { pid: 10, uid: 1_000 };
/** By pid: environ, cgroup and parent; null where it can't be read. */
const table = (rows: Readonly<Record<number, readonly [string | null, string, number]>>): ProcessReader => {
  const of = (pid: number): readonly [string | null, string, number] => {
    const row = rows[pid];
    if (row === undefined) throw new Error('ENOENT');
    return row;
  };
  return {
    environ: (pid) => {
      const [text] = of(pid);
      if (text === null) throw new Error('EACCES');
      return text;
    },
    cgroup: (pid) => of(pid)[1],
    parent: (pid) => of(pid)[2],
  };
};
const app = 'A=1\0SVC_APP_ID=notas\0SVC_APP_SOCKET=/h/app.sock\0';
const shell = 'HOME=/h\0';
const free = '0::/user.slice/session-1.scope\n';
const scope = '0::/user.slice/app.slice/svc-app-notas-7.scope\n';

test.for([
  ['a command in a shell', 5, table({ 5: [shell, free, 4], 4: [null, free, 1] }), null],
  ['a command of a user whose parents are hidden', 5, table({ 5: [shell, free, 4] }), null],
  ['an app', 5, table({ 5: [app, free, 1] }), 'process 5 belongs to the app "notas"'],
  [
    'what an app started without its environment',
    5,
    table({ 5: ['', free, 4], 4: [app, free, 1] }),
    'process 5 belongs to the app "notas"',
  ],
  ['what stayed in the scope of an app', 5, table({ 5: ['', scope, 1] }), 'process 5 belongs to the app "notas-7"'],
  ['half of the mark', 5, table({ 5: ['SVC_APP_ID=notas\0', free, 1] }), null],
  ['one that hides', 5, table({ 5: [null, free, 1] }), "process 5 can't be looked at, or is gone"],
  ['one that is gone', 5, table({}), "process 5 can't be looked at, or is gone"],
  ['the portal itself', 10, table({ 10: [shell, free, 1] }), 'the portal does not ask itself: some socket leads to this one'],
  ['a loop of parents', 5, table({ 5: [shell, free, 6], 6: [shell, free, 5] }), null],
] as const)('%s: %i', ([, pid, look, verdict]) => {
  expect(judgePeer({ pid, uid: own.uid }, own, look)).toBe(verdict);
});

test('other accounts stay out, root does not, and without python3 the mode of the file counts', () => {
  expect(judgePeer({ pid: 5, uid: 1_001 }, own, table({}))).toBe('for the account of the portal: uid 1000, not 1001');
  expect(judgePeer({ pid: 5, uid: 0 }, own, table({}))).toBeNull();
  expect(judgePeer(null, own, table({}))).toBeNull();
});
