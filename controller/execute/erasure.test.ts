import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Entries, PersonEntry } from '../entries.ts';
import { onTheirServer } from './erasure.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'svc-erase-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** On a server whose accounts are this one: the script is run by its real shell. */
async function act(home: string, what: 'look' | 'remove'): Promise<readonly string[]> {
  const host = {
    place: async () => ({ home, prefix: '' }),
    asPortal: async () => null,
    run: async (_: string, { argv, stdin, onLine }: { argv: readonly string[]; stdin: string; onLine: (line: string) => void }) => {
      const { stdout, stderr, status } = spawnSync(argv[0] ?? '', argv.slice(1), { input: stdin, cwd: folder, encoding: 'utf8' });
      for (const line of stdout.split('\n')) onLine(line);
      return { code: status, said: stderr };
    },
  };
  const person = { name: 'ana', account: 'ana', accountSeen: true, server: { name: 'casa', lost: false, kit: null, host } };
  const on = { entries: { people: new Map() } as unknown as Entries, ending: new AbortController().signal };
  return (await onTheirServer(on, person as unknown as PersonEntry, what)).map((held) => held.what);
}

test('a home whose name a shell would obey is looked at and erased as any other one', async () => {
  const home = path.join(folder, "o'brien$(touch made)'; touch made #");
  mkdirSync(path.join(home, '.svc-apps/notas'), { recursive: true });
  mkdirSync(path.join(home, 'own'));
  expect(await act(home, 'look')).toEqual(['~/.svc-apps of ana on casa']);
  expect(await act(home, 'remove')).toEqual([]);
  expect([readdirSync(home), readdirSync(folder)]).toEqual([['own'], [path.basename(home)]]);
});

test('what is behind a link in the home is somebody else’s, and stays', async () => {
  const home = path.join(folder, 'ana');
  const other = path.join(folder, 'other/share/svc-apps/notas');
  mkdirSync(other, { recursive: true });
  mkdirSync(path.join(home, '.svc-jobs'), { recursive: true });
  symlinkSync('../other', path.join(home, '.local'));
  expect(await act(home, 'remove')).toEqual(['~/.local/share/svc-apps of ana on casa']);
  expect([readdirSync(home), readdirSync(path.dirname(other))]).toEqual([['.local'], ['notas']]);
});
