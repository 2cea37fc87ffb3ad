/** Files of root alone, beside a package that somebody else may change: their names, and whether any of their bytes came out. */
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const canaryFolders: readonly string[] = ['a', 'a/b', 'a/b/c', 'd'];
/** As in the package, so that a folder that is swapped holds what is looked for in it. */
export const canaryFiles: readonly string[] = ['a', 'a/b', 'a/b/c', 'd', 'd'].flatMap((folder, at) =>
  Array.from({ length: 4 }, (_, nth) => `${folder}/${at}${nth}.txt`),
);
export const secret = 'CANARY-OF-ROOT\n';
/** As long as the secret: a size alone gives nobody away. */
export const harmless = 'harmless bytes\n';

export function makeCanary(root: string): void {
  for (const file of canaryFiles) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), secret, { mode: 0o600 });
  }
  for (const folder of ['', ...canaryFolders]) chmodSync(join(root, folder), 0o700);
}

/** Names, owners, modes and bytes: equal before and after when nobody touched it. */
export function stateOf(root: string): string {
  const lines: string[] = [];
  const visit = (path: string): void => {
    const stat = lstatSync(path);
    lines.push(`${path} ${stat.uid}:${stat.gid} ${stat.mode.toString(8)} ${stat.isFile() ? readFileSync(path, 'utf8') : ''}`);
    if (stat.isDirectory()) for (const name of readdirSync(path).toSorted()) visit(join(path, name));
  };
  visit(root);
  return lines.join('\n');
}

/** Files below the folder that hold bytes of the secret, and names that are neither file nor folder. */
export function leaked(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const stat = lstatSync(join(root, name));
    return stat.isFile() ? readFileSync(join(root, name), 'utf8').includes('CANARY') : !stat.isDirectory();
  });
}
