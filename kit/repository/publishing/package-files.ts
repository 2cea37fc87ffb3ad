/** Which files of an author's folder go into the package: all but the built-in ones and those that `.svcignore` names. */
import { closeSync, fstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../../schema/errors.ts';
import { limits } from '../limits.ts';
import { isMissing } from '../../atomic-file.ts';
import { isExchanged, openFile } from '../../beneath.ts';
import type { Chooser } from '../../archive/walk.ts';

/** Never meant for anybody else; a line `!name` in `.svcignore` takes one in again. See docs/publishing.md. */
const builtIn = [
  '.git',
  '.hg/',
  '.svn/',
  '.svcignore',
  '.env',
  '.DS_Store',
  '__pycache__/',
  '*.pyc',
  '*.swp',
  '*~',
  '/.venv/',
  '/.vscode/',
  // The runtime that a server has, installed under its name for an editor.
  '/node_modules/svc/',
  'node_modules/.bin/',
  'node_modules/.cache/',
  '**/node_modules/.bin/',
  '**/node_modules/.cache/',
];

interface Rule {
  readonly parts: readonly string[];
  readonly folderOnly: boolean;
  readonly takesIn: boolean;
}

/** Throws BAD_REQUEST naming the line that is not understood: a file that someone believed ignored must not go out. */
export function packageChooser(dir: string): Chooser {
  let fd: number;
  try {
    fd = openFile(join(dir, '.svcignore'));
  } catch (error) {
    if (isMissing(error)) return chooserOf('');
    if (isExchanged(error)) throw new SvcError('BAD_REQUEST', '.svcignore is no file of its own: links are not followed');
    throw error;
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.size > 4 * limits.ignoreLinesMax * limits.ignoreLineCharsMax)
      throw new SvcError('BAD_REQUEST', '.svcignore is no file, or larger than its lines may be');
    return chooserOf(readFileSync(fd, 'utf8'));
  } finally {
    closeSync(fd);
  }
}

/** The rules in their order; the last that matches decides. A file in an excluded folder can't be included again, as with git. */
export function chooserOf(text: string): Chooser {
  const lines = text.split(/\r?\n/);
  if (lines.length > limits.ignoreLinesMax) throw new SvcError('BAD_REQUEST', `.svcignore: more than ${limits.ignoreLinesMax} lines`);
  const rules = [...builtIn.map((line) => ruleOf(line, 0)), ...lines.map((line, at) => ruleOf(line, at + 1))].filter(
    (rule) => rule !== null,
  );
  return (path) => {
    const isFolder = path.endsWith('/');
    const parts = (isFolder ? path.slice(0, -1) : path).split('/');
    const decisive = rules.findLast((rule) => (isFolder || !rule.folderOnly) && matchesAll(rule.parts, parts, '**', matchesPart));
    return decisive === undefined || decisive.takesIn;
  };
}

/** A subset of gitignore: `#`, `!`, a closing `/` for folders, a `/` before or within for places, `*`, `?` and `**`. */
function ruleOf(written: string, line: number): Rule | null {
  let pattern = written.trimEnd();
  if (pattern === '' || pattern.startsWith('#')) return null;
  if (/[[\]\\]/.test(pattern)) throw new SvcError('BAD_REQUEST', `.svcignore:${line}: "[", "]" and "\\" are not understood`);
  if (pattern.length > limits.ignoreLineCharsMax) throw new SvcError('BAD_REQUEST', `.svcignore:${line}: too long`);
  const takesIn = pattern.startsWith('!');
  if (takesIn) pattern = pattern.slice(1);
  const folderOnly = pattern.endsWith('/');
  if (folderOnly) pattern = pattern.slice(0, -1);
  const anchored = pattern.includes('/');
  if (pattern.startsWith('/')) pattern = pattern.slice(1);
  const parts = pattern.split('/');
  if (parts.some((part) => ['', '.', '..'].includes(part)))
    throw new SvcError('BAD_REQUEST', `.svcignore:${line}: an empty part, "." or ".." in a path`);
  return { parts: anchored ? parts : ['**', ...parts], folderOnly, takesIn };
}

function matchesPart(pattern: string, name: string): boolean {
  return matchesAll(
    Array.from(pattern.replaceAll(/\*+/g, '*')),
    Array.from(name),
    '*',
    (one, character) => one === '?' || one === character,
  );
}

/** Whether the items are those of the pattern, where `star` stands for any number of them. In n × m steps: no line takes long. */
function matchesAll(
  pattern: readonly string[],
  items: readonly string[],
  star: string,
  same: (one: string, item: string) => boolean,
): boolean {
  let at = 0;
  let lastStar = -1;
  let takenByStar = 0;
  for (let item = 0; item < items.length;) {
    const one = pattern[at];
    if (one === star) {
      lastStar = at;
      takenByStar = item;
      at += 1;
    } else if (one !== undefined && same(one, items[item] as string)) {
      at += 1;
      item += 1;
    } else if (lastStar !== -1) {
      at = lastStar + 1;
      takenByStar += 1;
      item = takenByStar;
    } else return false;
  }
  while (pattern[at] === star) at += 1;
  return at === pattern.length;
}
