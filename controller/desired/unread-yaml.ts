/** Documents in subfolders of the desired-state folder, which nobody reads: a warning of the portal and of `svc validate`. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { FileReport } from '../../schema/findings.ts';
import { readPlainFile } from '../../schema/plain-file.ts';
import { limits } from '../limits.ts';

/** By the names that the reader of the folder takes. */
export const isYamlName = (name: string): boolean => /^[^.].*\.ya?ml$/i.test(name);

/** Where nobody looks for documents: what is hidden, and what belongs to an app or a package manager. */
export const isPassedOver = (name: string): boolean => name.startsWith('.') || name === 'node_modules';

/** Reports each subfolder that holds documents, with its first file. A folder that can't be listed has none. */
export async function unreadYaml(dir: string): Promise<readonly FileReport[]> {
  const left = { entries: limits.unreadYamlEntriesMax };
  const reports: FileReport[] = [];
  for (const folder of (await listed(dir, left)).folders) {
    const [first, ...more] = await documentsBelow(path.join(dir, folder), left, 1);
    if (first === undefined) continue;
    const others = more.length === 0 ? '' : `, as ${more.length} more of ${folder}/`;
    const message = `it lies in a subfolder, which is not read${others}: put it into ${dir} itself`;
    reports.push({ file: first, ok: true, errors: [], warnings: [{ code: 'NOT_READ', path: '', line: 1, column: 1, message }] });
  }
  return reports;
}

interface Left {
  entries: number;
}

async function documentsBelow(dir: string, left: Left, depth: number): Promise<readonly string[]> {
  const { files, folders } = await listed(dir, left);
  if (files.includes('svc-app.json')) return [];
  const found: string[] = [];
  for (const name of files.filter(isYamlName)) if (await isDocument(path.join(dir, name))) found.push(path.join(dir, name));
  if (depth < limits.unreadYamlDepthMax)
    for (const name of folders) found.push(...(await documentsBelow(path.join(dir, name), left, depth + 1)));
  return found;
}

async function listed(dir: string, left: Left): Promise<{ readonly files: readonly string[]; readonly folders: readonly string[] }> {
  const entries = (await readdir(dir, { withFileTypes: true }).catch(() => []))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .slice(0, left.entries);
  left.entries -= entries.length;
  const namesOf = (isFolder: boolean): readonly string[] =>
    entries.filter((entry) => entry.isDirectory() === isFolder).map(({ name }) => name);
  return { files: namesOf(false), folders: namesOf(true).filter((name) => !isPassedOver(name)) };
}

/** Other programs keep YAML there, too. */
async function isDocument(file: string): Promise<boolean> {
  const bytes = await readPlainFile(file, limits.unreadYamlBytesMax).catch(() => Buffer.alloc(0));
  return /^apiVersion:[ \t]*["']?svc\//m.test(bytes.toString('latin1'));
}
