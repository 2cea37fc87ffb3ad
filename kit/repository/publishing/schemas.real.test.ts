/** The schema in the folder of a repository, beside those of other versions. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { publishedSchema, schemaText, schemaVersion } from '../../../schema/manifest/published.ts';
import { readSchema } from '../reading/schema.ts';
import { openRepositoryFolder } from './folder.ts';

let root: string;
beforeEach(async () => {
  root = mkdtempSync(path.join(tmpdir(), 'svc-schemas-'));
  await openRepositoryFolder(root);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const folder = () => path.join(root, 'v1/esquema/svc-app');
const file = (version: string) => path.join(folder(), `${version}.json`);
const another = (version: string): string => `${JSON.stringify(publishedSchema(version))}\n`;

test('a repository that is made has the schema of this svc, as its version and as atual', async () => {
  expect(readdirSync(folder()).toSorted()).toEqual([`${schemaVersion}.json`, 'atual.json'].toSorted());
  expect(await readSchema(root, schemaVersion)).toBe(schemaText());
  expect(await readSchema(root, 'atual')).toBe(schemaText());
  // A static server that sees it sends it as what it is.
  expect(statSync(file('atual')).mode & 0o777).toBe(0o644);
});

test('older versions are kept, and an older svc does not take atual back', async () => {
  writeFileSync(file('0.0.1'), another('0.0.1'));
  writeFileSync(file('99.0.0'), another('99.0.0'));
  writeFileSync(file('atual'), another('99.0.0'));
  await openRepositoryFolder(root);
  expect(readFileSync(file('atual'), 'utf8')).toBe(another('99.0.0'));
  expect(await readSchema(root, '0.0.1')).toBe(another('0.0.1'));
});

test('what is there already is not written again; what is half is', async () => {
  const before = statSync(file(schemaVersion)).ino;
  writeFileSync(file('atual'), '{');
  await openRepositoryFolder(root);
  expect(statSync(file(schemaVersion)).ino).toBe(before);
  expect(readFileSync(file('atual'), 'utf8')).toBe(schemaText());
});

test.for([
  ['2.0.0', 'NOT_FOUND'],
  ['../../catalogo', 'BAD_REQUEST'],
  ['', 'BAD_REQUEST'],
  ['0.0.2', 'REPOSITORY_INVALID'],
])('%j is %s', async ([version = '', code]) => {
  writeFileSync(file('0.0.2'), '{"$id": "something else"}');
  await expect(readSchema(root, version)).rejects.toMatchObject({ code });
});
