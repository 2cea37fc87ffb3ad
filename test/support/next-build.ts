/**
 * Another build of svc, as the next one may be: this tree in a folder of its own, with another version, a step of the schema more, and a part of the desktop that only it has. Its
 * sources run, since its bundle is not of them.
 */
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repository } from './portal.ts';

const folders = ['api', 'bin', 'controller', 'kit', 'machines', 'reconcilers', 'schema', 'sdk', 'shell', 'store'];
/** Folders of build/ that a portal reads; the others hold packages and disks of tests, gigabytes of them. */
const builtParts = ['bin', 'create', 'kit', 'packages', 'sdk', 'server-kit', 'shell'] as const;

/** Columns that it adds to tables whose statements older portals have prepared. */
const step = ['sessions', 'rooms', 'room_people', 'portals', 'named_values'].map(
  (table) => `ALTER TABLE ${table} ADD COLUMN of_tomorrow TEXT;`,
);

export const nextVersion = '0.2.0';
/** On the origin of the portal. */
export const nextPart = '/parts/tomorrow-ABCD2345.js';

export async function makeNextBuild(tree: string): Promise<void> {
  await mkdir(tree);
  const options = { recursive: true, preserveTimestamps: true, filter: (file: string) => !/\.test\.ts$|\.map$/.test(file) };
  const copied = [...folders, ...builtParts.map((name) => join('build', name))];
  await Promise.all(copied.map(async (name) => await cp(join(repository, name), join(tree, name), options)));
  await cp(join(repository, 'package-lock.json'), join(tree, 'package-lock.json'), options);
  await symlink(join(repository, 'node_modules'), join(tree, 'node_modules'));
  const about = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as object;
  await writeFile(join(tree, 'package.json'), JSON.stringify({ ...about, version: nextVersion }));
  const file = join(tree, 'store/postgres-migrations.ts');
  const text = await readFile(file, 'utf8');
  const changed = text.replace(/\n\];\n/, `\n  \`${step.join(' ')}\`,\n];\n`);
  if (changed === text) throw new Error(`${file} has another form`);
  await writeFile(file, changed);
  await writeFile(join(tree, 'build/shell', nextPart), 'export {};\n');
}
