import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Entries, PersonEntry } from '../entries.ts';
import { onTheirServer } from './erasure.ts';

test('a home whose name a shell would obey is looked at and erased as any other one', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-erase-'));
  const home = path.join(folder, "o'brien$(touch made)'; touch made #");
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
  const act = async (what: 'look' | 'remove') => {
    const on = { entries: { people: new Map() } as unknown as Entries, ending: new AbortController().signal };
    return (await onTheirServer(on, person as unknown as PersonEntry, what)).map((held) => held.what);
  };
  try {
    mkdirSync(path.join(home, '.svc-apps/notas'), { recursive: true });
    mkdirSync(path.join(home, 'own'));
    expect(await act('look')).toEqual(['~/.svc-apps of ana on casa']);
    expect(await act('remove')).toEqual([]);
    expect([readdirSync(home), readdirSync(folder)]).toEqual([['own'], [path.basename(home)]]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
