/**
 * Reads the desired-state folder from disk and validates it with schema/desired. Unchanged files, and unchanged documents of a file, are
 * not parsed again, and the work is done in slices, so that a folder with ten thousand people does not block the proxy on each edit.
 */
import type { Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { limits } from '../../schema/limits.ts';
import { joinFiles, openFile, type DesiredAnswer, type OpenFile } from '../../schema/desired/load.ts';
import { ownPeople } from './own-people.ts';
import { inSlices } from '../clock/slices.ts';
import { isPassedOver, isYamlName, unreadYaml } from './unread-yaml.ts';
import type { DesiredState } from '../../schema/desired/documents.ts';
import type { FileReport } from '../../schema/findings.ts';
import { errorCode } from '../../schema/system-error.ts';
import { openPlainFile, whyUnread } from '../../schema/plain-file.ts';
import { renderFinding } from '../../schema/render.ts';

export type FolderAnswer =
  | { readonly ok: true; readonly state: DesiredState; readonly warnings: readonly string[] }
  /** `errors` are ready to print: `file:line:col CODE message` with a caret below. */
  | { readonly ok: false; readonly errors: readonly string[] };

/** Changes whenever a file of the folder does, at the price of a stat each: a resync reads no YAML while it is the same. */
export async function folderMark(dir: string): Promise<string> {
  try {
    const entries = await readdir(dir, { withFileTypes: true });
    // Subfolders count: documents in them cause a warning.
    const counts = entries.filter((entry) => isYamlName(entry.name) || (entry.isDirectory() && !isPassedOver(entry.name)));
    const marks: string[] = [];
    for (const name of counts.map((entry) => entry.name).sort()) marks.push(`${name}\0${markOf(await stat(path.join(dir, name)))}`);
    return marks.join('\n');
  } catch (error) {
    return `unreadable ${(error as NodeJS.ErrnoException).code ?? ''}`;
  }
}

const messages: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'expected a folder, this is a file',
  EACCES: 'this account may not read it',
};

/** A file of the folder with another text than it has, for a question of what would be. */
export interface Instead {
  readonly name: string;
  readonly text: string;
}

export interface FolderReader {
  /** A folder or a file that can't be read is an error, never an empty one. With `instead` nothing is kept of what was read. */
  read(dir: string, instead?: Instead): Promise<FolderAnswer>;
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
    read: async (dir, instead) => {
      let read: Read;
      try {
        read = await readFiles(dir, kept, instead);
      } catch (error) {
        return { ok: false, errors: [`${dir}:1:1 FOLDER_UNREADABLE ${messages[errorCode(error)] ?? whyUnread(error)}`] };
      }
      if (read.errors.length > 0) return { ok: false, errors: read.errors };
      const { files } = read;
      if (instead === undefined) kept = files;
      const open = [...files.values()].map((file) => file.open);
      const documents = open.flatMap((file) => [...file.sources, ...file.broken].map(({ document }) => document));
      const { hasAccount, isKnown } = await askPeople(documents);
      const accounts = documents.map((one) => (one.kind === 'Person' && hasAccount(one) ? '1' : '0')).join('');
      // Accounts that can't be asked for change nothing.
      if (failed !== null && sameFiles(failed.open, open) && (failed.accounts === accounts || !isKnown)) return failed.answer;
      const answer = rendered(await inSlices(joinFiles(open, [], hasAccount)), open, await unreadYaml(dir));
      if (instead === undefined) failed = answer.ok ? null : { open, accounts, answer };
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

function rendered(answer: DesiredAnswer, open: readonly OpenFile[], unread: readonly FileReport[]): FolderAnswer {
  const texts = new Map(open.map((file) => [file.name, file.text]));
  const render = (reports: readonly FileReport[], which: 'errors' | 'warnings'): string[] =>
    reports.flatMap((report) => report[which].map((finding) => renderFinding(report, finding, texts.get(report.file) ?? '')));
  if (!answer.ok) return { ok: false, errors: render(answer.reports, 'errors') };
  return { ok: true, state: answer.state, warnings: render([...answer.reports, ...unread], 'warnings') };
}

interface Read {
  readonly files: ReadonlyMap<string, Kept>;
  /** Errors of each unreadable file, as `svc validate` words them. */
  readonly errors: readonly string[];
}

/** Every *.yaml and *.yml in the folder, by name; hidden files are other programs' business. */
async function readFiles(dir: string, kept: ReadonlyMap<string, Kept>, instead?: Instead): Promise<Read> {
  const there = (await readdir(dir)).filter(isYamlName);
  const names = [...new Set(instead === undefined ? there : [...there, instead.name])].sort();
  const files = new Map<string, Kept>();
  const errors: string[] = [];
  for (const name of names.slice(0, limits.yamlFilesMax + 1)) {
    const file = path.join(dir, name);
    try {
      const { open } = kept.get(file) ?? {};
      if (name === instead?.name)
        files.set(file, { mark: '', open: await inSlices(openFile({ name, bytes: Buffer.from(instead.text) }, open)) });
      else files.set(file, await readFile(file, name, kept.get(file)));
    } catch (error) {
      errors.push(`${file}:1:1 UNREADABLE ${whyUnread(error)}`);
    }
  }
  return { files, errors };
}

async function readFile(file: string, name: string, before: Kept | undefined): Promise<Kept> {
  const { handle, stats } = await openPlainFile(file);
  try {
    // Taken before the bytes: a write in between makes the next pass read again.
    const mark = markOf(stats);
    if (before?.mark === mark) return before;
    // A length of one byte over the limit is enough for the reader to refuse the file with its own message.
    const bytes = stats.size > limits.yamlFileBytesMax ? Buffer.alloc(limits.yamlFileBytesMax + 1, 32) : await handle.readFile();
    return { mark, open: await inSlices(openFile({ name, bytes }, before?.open)) };
  } finally {
    await handle.close();
  }
}

function markOf({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}
