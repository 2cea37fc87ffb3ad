/** Reads the imports of the files of the tree, without the linter and the compiler. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

export function* sources(folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory() && entry.name !== 'node_modules') yield* sources(path);
    else if (/\.(ts|js|mjs|cjs)$/.test(entry.name) && !entry.name.endsWith('.test.ts')) yield path;
  }
}

/** Also for a type, and when it is loaded later. Paths from the root of the tree. */
export function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const found = text.matchAll(/(?:from|import|require)\s*\(?\s*['"](\.[^'"]+)['"]/g);
  return [...found].map((match) => relative(root, resolve(root, dirname(file), match[1]!)));
}
