/** A killed portal's leftovers beside their place are removed when the folder is listed, and nothing else is. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../clock/system.ts';
import { createListings } from './listing.ts';
import { createNodeFileSystem } from './node-file-system.ts';
import { createFileService } from './service.ts';

test('old ones go, folders with all that is in them; those that are young, in use, links or of another name stay', async () => {
  const home = await mkdtemp(path.join(tmpdir(), 'svc-left-'));
  const clock = systemClock;
  const files = createFileService({
    fs: createNodeFileSystem(),
    person: 'p',
    account: 'p',
    home: Buffer.from(home),
    listings: createListings(clock),
    clock,
  });
  const at = (name: string): string => path.join(home, name);
  const name = (char: string): string => `.svc-envio-${char.repeat(32)}`;
  const old = new Date(Date.now() - 3 * 24 * 60 * 60_000);
  const { id } = await files.beginUpload({ path: Buffer.from(at('sobe.txt')), bytes: 3, conflict: 'recusar', resume: null });
  for (const each of [name('a'), name('b'), '.svc-envio-curto', `${name('e')}0`]) await writeFile(at(each), 'x');
  await writeFile(at('alvo'), 'x');
  await symlink('alvo', at(name('c')));
  await mkdir(at(`${name('d')}/dentro`), { recursive: true });
  await writeFile(at(`${name('d')}/dentro/um`), 'x');
  await mkdir(at(name('f')));
  for (const each of [name('a'), '.svc-envio-curto', `${name('e')}0`, 'alvo', name('d'), `.svc-envio-${id}`])
    await utimes(at(each), old, old);
  await files.list(Buffer.from(home), {
    order: 'nome',
    reverse: false,
    hidden: true,
    mixed: false,
    from: 0,
    limit: 100,
    prefix: null,
    version: null,
  });
  await expect.poll(() => [name('a'), name('d')].filter((each) => existsSync(at(each)))).toEqual([]);
  const stay = [name('b'), '.svc-envio-curto', `${name('e')}0`, 'alvo', name('c'), name('f'), `.svc-envio-${id}`];
  expect(stay.filter((each) => !existsSync(at(each)))).toEqual([]);
  await rm(home, { recursive: true });
});
