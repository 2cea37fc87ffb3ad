import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { firstGood, ignoring } from './first-good.ts';
import { wordsIn } from './words.ts';

const dir = mkdtempSync(path.join(tmpdir(), 'svc-fg-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test('of a broken app it is said what is wrong, what is waited for and what ends it; the mend begins', async () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const manifest = (comma: string): void =>
    writeFileSync(
      path.join(dir, 'svc-app.json'),
      `{ "id": "a"${comma} "version": "1.0.0", "backend": { "runtime": "python3", "entrypoint": "main.py" } }`,
    );
  writeFileSync(path.join(dir, 'main.py'), '');
  manifest('');
  const good = firstGood(dir, await ignoring(dir), wordsIn('en'), new Promise(() => undefined));
  await vi.waitFor(() => expect(said.mock.calls.at(-1)?.[0]).toBe('save any file of the folder to try again; Ctrl-C ends it\n'));
  expect(said.mock.calls[0]?.[0]).toContain('svc-app.json:1:');
  manifest(',');
  expect((await good)?.id).toBe('a');
  manifest('');
  expect(await firstGood(dir, await ignoring(dir), wordsIn('en'), Promise.resolve())).toBeNull();
  said.mockRestore();
});
