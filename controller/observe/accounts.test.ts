import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { memoryHost } from '../hosts/testing/memory-host.ts';
import type { HostRun, HostRunEnd } from '../hosts/host.ts';
import { limits } from '../limits.ts';
import { observeAccounts } from './accounts.ts';

const said = [
  'U 500',
  'G alunos:2000',
  'M ana',
  'M bia',
  'P ana:x:1001:1001:Ana Souza,1:/home/ana:/bin/bash',
  'L ana',
  'I ana   2000',
  'N alunos:2000',
  'E',
];
const host = (lines: readonly string[], end: Partial<HostRunEnd> = {}, asked: HostRun[] = []) => ({
  ...memoryHost([]),
  run: async (_account: string | null, run: HostRun): Promise<HostRunEnd> => {
    asked.push(run);
    for (const line of lines) run.onLine(line);
    return { code: 0, signal: null, said: '', ...end };
  },
});
const ask = (lines: readonly string[], end?: Partial<HostRunEnd>) =>
  observeAccounts(host(lines, end), { group: 'alunos', known: [] }, null, new AbortController().signal);
const ana = { name: 'ana', uid: 1_001, gid: 1_001, gecos: 'Ana Souza,1', shell: '/bin/bash', groups: ['alunos'] };

test('what a server said is read', async () => {
  expect(await ask(said)).toEqual({
    kind: 'seen',
    said: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    seen: { group: { gid: 2_000, members: ['ana', 'bia'] }, uidMin: 500, accounts: [ana], directoryIsSilent: false },
  });
});

test.for([
  ['a directory of which no account is seen', ['U 500', 'D', 'G alunos:2000', 'P ana:x:1:1::/:', 'L ana', 'E'], true],
  ['a directory of which one is seen', ['U 500', 'D', 'G alunos:2000', 'P ana:x:1:1::/:', 'E'], false],
  ['a directory and nobody', ['U 500', 'D', 'G alunos:2000', 'E'], true],
  ['no directory', ['U 500', 'G alunos:2000', 'E'], false],
] as const)('%s is silent: %s', async ([, lines, directoryIsSilent]) =>
  expect(await ask(lines)).toMatchObject({ seen: { directoryIsSilent } }),
);

test.for([
  ['X', ['U 500', 'X'], {}, { kind: 'no-group' }],
  ['the group with that number', ['U 500', 'G other:2000', 'E'], {}, { kind: 'no-group' }],
  ['nothing', [], {}, { kind: 'unreadable', message: 'getent on casa did not come to its end' }],
  ['no end', said.slice(0, -1), {}, { kind: 'unreadable' }],
  [
    'an end behind which it failed',
    said,
    { code: 1, said: 'sh: \u001b[1mgetent\nnot found' },
    { message: 'getent on casa did not come to its end: sh:  [1mgetent not found' },
  ],
  ['a greeting', ['welcome', 'E'], {}, { kind: 'unreadable', message: "casa did not say from which uid on its accounts are people's" }],
  [
    'too many lines',
    [...Array.from({ length: limits.accountsLinesMax }, () => 'M a'), 'E'],
    {},
    { kind: 'unreadable', message: 'casa printed more than the accounts of 10000 people' },
  ],
  ['a line without end', [`M ${'a'.repeat(limits.accountsLineCharsMax)}`, 'E'], {}, { kind: 'unreadable' }],
  [
    'too many accounts',
    ['U 500', 'G alunos:2000', ...Array.from({ length: limits.peopleOfListMax + 1 }, (_, n) => `P a${n}:x:1:1::/:`), 'E'],
    {},
    { kind: 'unreadable', message: 'casa named 10001 accounts, and a document makes at most 10000 people' },
  ],
] as const)('a server that prints %s says nothing of anybody', async ([, lines, end, answer]) =>
  expect(await ask(lines, end)).toMatchObject(answer),
);

test.for([
  ['none', '', { kind: 'seen', seen: { accounts: [{ name: 'root', groups: expect.arrayContaining(['root']) as string[] }] } }],
  ['initgroups', 'kill -9 $$', { kind: 'unreadable' }],
  ['group', 'exit 255', { kind: 'unreadable' }],
  ['group', 'exit 2', { kind: 'seen' }],
] as const)('a getent %s that does %j', async ([table, act, expected], { onTestFinished }) => {
  const dir = mkdtempSync(path.join(tmpdir(), 'svc-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const real = execFileSync('sh', ['-c', 'command -v getent'], { encoding: 'utf8' }).trim();
  writeFileSync(path.join(dir, 'getent'), `#!/bin/sh\n[ "$1" != ${table} ] || { ${act === '' ? ':' : act}; }\nexec ${real} "$@"\n`, {
    mode: 0o755,
  });
  const run = async (_account: string | null, { stdin, onLine }: HostRun): Promise<HostRunEnd> => {
    const { status, stdout } = spawnSync('sh', ['-s'], { input: stdin, encoding: 'utf8', env: { PATH: `${dir}:${process.env['PATH']}` } });
    for (const line of stdout.split('\n').slice(0, -1)) onLine(line);
    return { code: status, signal: null, said: '' };
  };
  const asked = observeAccounts({ ...memoryHost([]), run }, { group: null, known: ['root'] }, null, new AbortController().signal);
  expect(await asked).toMatchObject(expected);
});

test('names go over standard input, and none that could be more than a name', async () => {
  const asked: HostRun[] = [];
  await observeAccounts(
    host(said, {}, asked),
    { group: null, known: ['ana', "eva'; reboot", '...', '-rf', 'x\ny'] },
    null,
    new AbortController().signal,
  );
  expect(asked[0]?.argv).toEqual(['sh', '-s']);
  expect(asked[0]?.stdin).toContain("cat <<'...'\nana\n...\n");
});

test('the same answer to the same question is not read again; to another one, or another answer, it is', async () => {
  const ask = async (lines: readonly string[], known: readonly string[], before: string | null) =>
    await observeAccounts(
      host(lines),
      { group: 'alunos', known },
      before === null ? null : { said: before, made: 7 },
      new AbortController().signal,
    );
  const first = await ask(said, [], null);
  const before = first.kind === 'seen' ? first.said : '';
  expect(await ask(said, [], before)).toEqual({ kind: 'same', made: 7 });
  expect((await ask(said, ['ana'], before)).kind).toBe('seen');
  expect((await ask(said.toSpliced(2, 1), [], before)).kind).toBe('seen');
});
