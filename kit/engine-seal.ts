/**
 * Whether an engine on disk is still what was unpacked. The list of its files, with their sizes and times, stands beside it as `.VERSION.seal`; what
 * somebody added is no damage. Decision: docs/decisions/0348-engines-that-lost-files.md
 */
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { isMissing, writeFileAtomic } from './atomic-file.ts';
import { limits } from './limits.ts';

/** `place`: the folder of one version. */
const sealOf = (place: string): string => join(dirname(place), `.${basename(place)}.seal`);
/** The version whose list has this name. */
export const sealedBy = (name: string): string => name.replace(/^\.(.*)\.seal$/, '$1');

/** Seals the content of `folder` that is going to be at `place`. Writes nothing when it holds too many files to be checked each time. */
export function sealEngine(folder: string, place: string): void {
  const lines: string[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    lines.push(`${stampOf(path)} ${relative(folder, path)}\0`);
    if (lines.length > limits.sealedFilesMax) return;
  }
  writeFileAtomic(sealOf(place), lines.join(''), { mode: 0o644, durable: true });
}

/** Without a list (an older installation, too many files) there is nothing to compare; a file that can't be read is no damage. */
export function isWholeEngine(place: string): boolean {
  try {
    return readFileSync(sealOf(place), 'utf8')
      .split('\0')
      .every((line) => {
        const [, stamp = '', path = ''] = /^(\S+ \S+) (.*)$/s.exec(line) ?? [];
        return line === '' || stampOf(join(place, path)) === stamp;
      });
  } catch (error) {
    return !isMissing(error) || lstatSync(sealOf(place), { throwIfNoEntry: false }) === undefined;
  }
}

function stampOf(path: string): string {
  const { size, mtimeMs } = lstatSync(path);
  return `${size} ${mtimeMs}`;
}
