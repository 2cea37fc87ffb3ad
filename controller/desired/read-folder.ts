/** Reads the desired-state folder from disk and judges it through schema/desired (design 4). Nothing is remembered here. */
import { open, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { limits } from '../../schema/limits.ts';
import { readDesired, type DesiredFile } from '../../schema/desired/load.ts';
import type { DesiredState, FileReport } from '../../schema/desired/documents.ts';
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
      const { ino, size, mtimeMs, ctimeMs } = await stat(path.join(dir, name));
      marks.push(`${name}\0${ino} ${size} ${mtimeMs} ${ctimeMs}`);
    }
    return marks.join('\n');
  } catch (error) {
    return `unreadable ${(error as NodeJS.ErrnoException).code ?? ''}`;
  }
}

const told: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'expected a folder, this is a file',
  EACCES: 'this account may not read it',
};

/** A folder that can't be read is an error, never an empty folder. */
export async function readFolder(dir: string): Promise<FolderAnswer> {
  let files: readonly DesiredFile[];
  try {
    files = await readFiles(dir);
  } catch (error) {
    const { path: at, code, message } = error as NodeJS.ErrnoException;
    return { ok: false, errors: [`${at ?? dir}:1:1 FOLDER_UNREADABLE ${told[code ?? ''] ?? code ?? message}`] };
  }
  const answer = readDesired(files);
  const texts = new Map(files.map((file) => [file.name, file.bytes.toString()]));
  const render = (reports: readonly FileReport[], which: 'errors' | 'warnings'): string[] =>
    reports.flatMap((report) => report[which].map((finding) => renderFinding(report, finding, texts.get(report.file) ?? '')));
  if (!answer.ok) return { ok: false, errors: render(answer.reports, 'errors') };
  return { ok: true, state: answer.state, warnings: render(answer.reports, 'warnings') };
}

/** Every *.yaml and *.yml in the folder, by name; hidden files are other programs' business. */
async function yamlNames(dir: string): Promise<readonly string[]> {
  return (await readdir(dir)).filter((name) => /^[^.].*\.ya?ml$/i.test(name)).sort();
}

async function readFiles(dir: string): Promise<readonly DesiredFile[]> {
  const names = await yamlNames(dir);
  const files: DesiredFile[] = [];
  for (const name of names.slice(0, limits.yamlFilesMax + 1)) {
    const handle = await open(path.join(dir, name), 'r');
    try {
      const { size } = await handle.stat();
      // One byte over the limit is enough for the reader to refuse it by its own words.
      const bytes = size > limits.yamlFileBytesMax ? Buffer.alloc(limits.yamlFileBytesMax + 1, 32) : await handle.readFile();
      files.push({ name, bytes });
    } finally {
      await handle.close();
    }
  }
  return files;
}
