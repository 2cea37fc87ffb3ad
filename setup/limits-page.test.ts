import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { limitFiles, limitsOf, limitsPage } from './limits-page.ts';

const root = path.resolve(import.meta.dirname, '..');

test('docs/limits.md says what the code says (node setup/limits-table.ts)', async () => {
  expect(readFileSync(path.join(root, 'docs/limits.md'), 'utf8')).toBe(await limitsPage());
});

/** The product's sources without its tests: where a limit is kept. */
const sources = ['schema', 'machines', 'reconcilers', 'store', 'controller', 'kit', 'api', 'shell', 'bin', 'sdk'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|(?:^|\/)testing\/|(?:^|[/-])limits\.ts$/.test(file))
    .map((file) => ({ file: `${folder}/${file}`, text: readFileSync(path.join(root, folder, file), 'utf8') })),
);

test('each limit has a name of its own, and is kept somewhere', async () => {
  const named = (await Promise.all(limitFiles().map(limitsOf))).flatMap((limits) => Object.keys(limits));
  expect(named.toSorted()).toEqual([...new Set(named)].toSorted());
  const kept = new Set(sources.flatMap(({ text }) => Array.from(text.matchAll(/\.(\w+)/g), ([, name]) => name)));
  expect(named.filter((name) => !kept.has(name))).toEqual([]);
});

test('a limit that is not shared stands in the folder that keeps it', async () => {
  const wrong: string[] = [];
  const uses = sources.flatMap(({ file, text }) => Array.from(text.matchAll(/[lL]imits\.(\w+)/g), ([, name]) => ({ file, name })));
  const usersOf = Map.groupBy(uses, ({ name }) => name);
  for (const file of limitFiles().slice(1)) {
    const folder = path.dirname(file);
    for (const name of Object.keys(await limitsOf(file)))
      if (!(usersOf.get(name) ?? []).some((user) => user.file.startsWith(`${folder}/`))) wrong.push(`${file} ${name}`);
  }
  expect(wrong).toEqual([]);
});
