/** Sources that the package leaves out where no build.sh makes anything of them: a change of them does nothing, which is told once. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { isSource } from './changes.ts';
import type { Chooser } from '../../kit/archive/walk.ts';
import { limits } from './limits.ts';
import { readPlainFileSync } from '../../schema/plain-file.ts';

/** Sources of languages that are compiled or bundled; also those that pages are made of. */
const sourceNames = /\.(?:[cm]?tsx?|jsx|vue|svelte|s[ac]ss|less|c|cc|cpp|h|hpp|rs|go|zig|java|kt|swift|cs)$/;

/** In order, below the folder; the first few folders and files are looked at. */
export async function leftOut(folder: string, ships: Chooser): Promise<readonly string[]> {
  const found: string[] = [];
  const folders = [''];
  for (let seen = 0; folders.length > 0 && seen < limits.leftOutSeenMax;) {
    const below = folders.shift() ?? '';
    for (const entry of await readdir(path.join(folder, below), { withFileTypes: true }).catch(() => [])) {
      seen += 1;
      const name = below + entry.name;
      if (entry.isDirectory() && !isHiddenOrMade(entry.name)) folders.push(`${name}/`);
      if (entry.isFile() && sourceNames.test(entry.name) && isSource(name, ships)) found.push(name);
    }
  }
  return found.toSorted();
}

const isHiddenOrMade = (name: string): boolean => name.startsWith('.') || name === 'node_modules';

/** Returns the command that writes a build.sh: the build of package.json or of a Makefile where there is one. */
export function buildLine(folder: string): string {
  const file = path.join(folder, 'package.json');
  try {
    const { scripts } = JSON.parse(existsSync(file) ? String(readPlainFileSync(file)) : '{}') as {
      readonly scripts?: { readonly build?: unknown };
    };
    if (scripts?.build !== undefined) return `echo 'npm run build' > build.sh`;
  } catch {
    // Not understood: whoever builds it will say so.
  }
  return existsSync(path.join(folder, 'Makefile')) ? `echo make > build.sh` : `echo 'COMMAND' > build.sh`;
}
