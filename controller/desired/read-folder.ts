/**
 * Reads the desired-state folder from disk and validates it with schema/desired (design 4). Unchanged files, and unchanged documents of a file, are not parsed again, and the
 * work is done in slices, so that a folder with ten thousand people does not block the proxy on each edit.
 */
import { constants, type Stats } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { limits } from '../../schema/limits.ts';
import { joinFiles, openFile, type DesiredAnswer, type OpenFile } from '../../schema/desired/load.ts';
import { ownPeople } from './own-people.ts';
import { inSlices } from '../loop/slices.ts';
import type { DesiredState } from '../../schema/desired/documents.ts';
import type { FileReport } from '../../schema/findings.ts';
import { renderFinding } from '../../schema/render.ts';

export type FolderAnswer =
  | { readonly ok: true; readonly state: DesiredState; readonly warnings: readonly string[] }
  /** `errors` are ready to print: `file:line:col CODE message` with a caret below. */
  | { readonly ok: false; readonly errors: readonly string[] };

/** Changes whenever a file of the folder does, at the price of a stat each: the level look reads no YAML while it is the same. */
export async function folderMark(dir: string): Promise<string> {
  try {
    const marks: string[] = [];
    for (const name of await yamlNames(dir)) {
      marks.push(`${name}\0${markOf(await stat(path.join(dir, name)))}`);
    }
    return marks.join('\n');
  } catch (error) {
    return `unreadable ${(error as NodeJS.ErrnoException).code ?? ''}`;
  }
}

const messages: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'expected a folder, this is a file',
  EACCES: 'this account may not read it',
  ENXIO: 'expected a plain file, this is a socket or a device',
};

export interface FolderReader {
  /** A folder that can't be read is an error, never an empty folder. */
  read(dir: string): Promise<FolderAnswer>;
}

interface Kept {
  readonly mark: string;
  readonly open: OpenFile;
}

/** A folder with errors, and who had an account then: the same again has the same errors, whose places are found by parsing. */
interface Failed {
  readonly open: readonly OpenFile[];
  /** A digit for each document. */
  readonly accounts: string;
  readonly answer: FolderAnswer;
}

export function createFolderReader(askPeople: typeof ownPeople = ownPeople): FolderReader {
  /** By path: a plan of another folder takes nothing from this one. */
  let kept: ReadonlyMap<string, Kept> = new Map();
  let failed: Failed | null = null;
  return {
    read: async (dir) => {
      let files: ReadonlyMap<string, Kept>;
      try {
        files = await readFiles(dir, kept);
      } catch (error) {
        const { path: at, code, message } = error as NodeJS.ErrnoException;
        return {
          ok: false,
          errors: [`${at ?? dir}:1:1 FOLDER_UNREADABLE ${messages[code ?? ''] ?? (code === 'NOT_A_FILE' ? message : (code ?? message))}`],
        };
      }
      kept = files;
      const open = [...files.values()].map((file) => file.open);
      const documents = open.flatMap((file) => [...file.sources, ...file.broken].map(({ document }) => document));
      const { hasAccount, isKnown } = await askPeople(documents);
      const accounts = documents.map((one) => (one.kind === 'Person' && hasAccount(one) ? '1' : '0')).join('');
      // Accounts that can't be asked for change nothing.
      if (failed !== null && sameFiles(failed.open, open) && (failed.accounts === accounts || !isKnown)) return failed.answer;
      const answer = rendered(await inSlices(joinFiles(open, [], hasAccount)), open);
      failed = answer.ok ? null : { open, accounts, answer };
      return answer;
    },
  };
}

const sameFiles = (some: readonly OpenFile[], others: readonly OpenFile[]): boolean =>
  some.length === others.length && some.every((file, at) => file === others[at]);

/** Once, with nothing kept. */
export async function readFolder(dir: string): Promise<FolderAnswer> {
  return await createFolderReader().read(dir);
}

function rendered(answer: DesiredAnswer, open: readonly OpenFile[]): FolderAnswer {
  const texts = new Map(open.map((file) => [file.name, file.text]));
  const render = (reports: readonly FileReport[], which: 'errors' | 'warnings'): string[] =>
    reports.flatMap((report) => report[which].map((finding) => renderFinding(report, finding, texts.get(report.file) ?? '')));
  if (!answer.ok) return { ok: false, errors: render(answer.reports, 'errors') };
  return { ok: true, state: answer.state, warnings: render(answer.reports, 'warnings') };
}

/** Every *.yaml and *.yml in the folder, by name; hidden files are other programs' business. */
async function yamlNames(dir: string): Promise<readonly string[]> {
  return (await readdir(dir)).filter((name) => /^[^.].*\.ya?ml$/i.test(name)).sort();
}

async function readFiles(dir: string, kept: ReadonlyMap<string, Kept>): Promise<ReadonlyMap<string, Kept>> {
  const names = await yamlNames(dir);
  const files = new Map<string, Kept>();
  for (const name of names.slice(0, limits.yamlFilesMax + 1)) {
    const file = path.join(dir, name);
    files.set(file, await readFile(file, name, kept.get(file)));
  }
  return files;
}

async function readFile(file: string, name: string, before: Kept | undefined): Promise<Kept> {
  // Without O_NONBLOCK the opening of a named pipe waits for a writer, for ever.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    // Taken before the bytes: a write in between makes the next look read again.
    const stats = await handle.stat();
    if (!stats.isFile()) throw Object.assign(new Error(kindOfFile(stats)), { code: 'NOT_A_FILE', path: file });
    const mark = markOf(stats);
    if (before?.mark === mark) return before;
    // One byte over the limit is enough for the reader to refuse it by its own words.
    const bytes = stats.size > limits.yamlFileBytesMax ? Buffer.alloc(limits.yamlFileBytesMax + 1, 32) : await handle.readFile();
    return { mark, open: await inSlices(openFile({ name, bytes }, before?.open)) };
  } finally {
    await handle.close();
  }
}

function kindOfFile(stats: Stats): string {
  const what = stats.isFIFO() ? 'a named pipe' : stats.isDirectory() ? 'a folder' : 'a device';
  return `expected a plain file, this is ${what}`;
}

function markOf({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}
