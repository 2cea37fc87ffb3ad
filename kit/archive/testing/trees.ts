/** Trees as values that a test can compare. */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder with a place for a target, and files beside it that no archive may touch. The caller removes `base`. */
export function placeWithCanaries(): { readonly base: string; readonly target: string } {
  const base = mkdtempSync(join(tmpdir(), 'svc-archive-'));
  mkdirSync(join(base, 'canary/inner'), { recursive: true });
  writeFileSync(join(base, 'canary/file'), 'untouched');
  mkdirSync(join(base, 'place'));
  return { base, target: join(base, 'place/target') };
}

/** Everything outside the target: names, types, modes and bytes. */
export function outside(base: string, target: string): string {
  const lines: string[] = [];
  const visit = (folder: string): void => {
    for (const name of readdirSync(folder).toSorted()) {
      const path = join(folder, name);
      if (path === target) continue;
      const stat = lstatSync(path);
      lines.push(`${path} ${stat.mode} ${stat.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : ''}`);
      if (stat.isDirectory()) visit(path);
    }
  };
  visit(base);
  return lines.join('\n');
}

/** Everything in the target, with its bytes; a folder ends in '/'. */
export function inside(target: string): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (folder: string, below: string): void => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const stat = lstatSync(path);
      if (stat.isDirectory()) {
        found[`${below}${name}/`] = '';
        visit(path, `${below}${name}/`);
      } else found[`${below}${name}`] = stat.isFile() ? readFileSync(path, 'latin1') : 'NEITHER FILE NOR FOLDER';
    }
  };
  visit(target, '');
  return found;
}
