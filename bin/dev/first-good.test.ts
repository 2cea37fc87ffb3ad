import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { firstGood, ignoring } from './first-good.ts';
import { judgeManifest } from './manifest.ts';
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

test('a mended .svcignore is a mend, also one that is saved before anything is watched', async () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  writeFileSync(
    path.join(dir, 'svc-app.json'),
    '{ "id": "a", "version": "1.0.0", "backend": { "runtime": "python3", "entrypoint": "main.py" } }',
  );
  const rules = (text: string): void => writeFileSync(path.join(dir, '.svcignore'), text);
  rules('*.py\n');
  const waiting = firstGood(dir, await ignoring(dir), wordsIn('en'), new Promise(() => undefined));
  await vi.waitFor(() => expect(said.mock.calls.at(-1)?.[0]).toContain('save any file of the folder'));
  rules('');
  expect((await waiting)?.id).toBe('a');
  rules('*.py\n');
  const early = await ignoring(dir);
  rules('');
  expect((await firstGood(dir, early, wordsIn('en'), Promise.resolve()))?.id).toBe('a');
  said.mockRestore();
});

test('a manifest may name files that are in the package and that nobody watches', async () => {
  const folder = path.join(dir, 'b');
  for (const name of ['data', 'tests', '.hidden']) mkdirSync(path.join(folder, name), { recursive: true });
  for (const file of ['data/icon.svg', 'tests/main.py', '.hidden/x.svg'])
    writeFileSync(path.join(folder, file), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  const manifest = (icon: string): void =>
    writeFileSync(
      path.join(folder, 'svc-app.json'),
      `{ "id": "b", "version": "1.0.0", "icon": "${icon}", "backend": { "runtime": "python3", "entrypoint": "tests/main.py" } }`,
    );
  const judge = async () => await judgeManifest(folder, await ignoring(folder));
  for (const icon of ['data/icon.svg', '.hidden/x.svg']) {
    manifest(icon);
    expect(await judge()).toMatchObject({ manifest: { id: 'b' }, errors: [] });
  }
  manifest('data/none.svg');
  expect((await judge()).errors.join('\n')).toContain('data/none.svg');
  writeFileSync(path.join(folder, '.svcignore'), 'data/\n');
  manifest('data/icon.svg');
  expect((await judge()).manifest).toBeNull();
});
