import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { editSite, openSite } from './site.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-site-'));
  // Accounts get to their homes in it.
  chmodSync(dir, 0o755);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const person = (name: string, server: string): string =>
  `kind: Person\nmetadata: { name: ${name} }\nspec: { nome: ${name}, login: ${name}, server: ${server} }`;
const write = (...documents: readonly string[]): void =>
  writeFileSync(path.join(dir, 'site.yaml'), documents.map((each) => `apiVersion: svc/v1\n${each}\n`).join('---\n'));

test.runIf(process.getuid?.() === 0)(
  'people of a local server who have accounts stay valid when a document is edited, also one who comes there',
  async () => {
    const servers = ['casa', 'torre'].map(
      (name) => `kind: Server\nmetadata: { name: ${name} }\nspec: { local: { prefix: ${path.join(dir, name)} } }`,
    );
    write(...servers, person('daemon', 'casa'), person('games', 'casa'), person('mail', 'torre'));
    const move = editSite(dir, 'otherwise', (site) => {
      site.set('Person', 'mail', ['spec', 'server'], 'casa', 'site.yaml');
      return site.write();
    });
    expect(await move).toEqual([path.join(dir, 'site.yaml')]);
    expect(readFileSync(path.join(dir, 'site.yaml'), 'utf8')).not.toContain('server: torre');
  },
);

test('a file that somebody else changed meanwhile keeps what they wrote', () => {
  write('kind: Server\nmetadata: { name: casa }\nspec: { local: { prefix: /x } }');
  const site = openSite(dir);
  site.set('Server', 'casa', ['spec', 'drain'], {}, 'site.yaml');
  const file = path.join(dir, 'site.yaml');
  writeFileSync(file, '# of somebody else\n');
  expect(() => site.write()).toThrow(`${file} was changed meanwhile: give this again`);
  expect(readFileSync(file, 'utf8')).toBe('# of somebody else\n');
});
