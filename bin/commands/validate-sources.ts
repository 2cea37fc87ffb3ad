/** Which files `svc validate` judges, and their bytes. */
import { lstatSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { isPassedOver, isYamlName, unreadYaml } from '../../controller/desired/unread-yaml.ts';
import type { DesiredFile } from '../../schema/desired/load.ts';
import type { FileReport } from '../../schema/findings.ts';
import { extensionFile } from '../../schema/extensions/file.ts';
import { limits } from '../../schema/limits.ts';
import type { Surroundings } from '../../schema/manifest/surroundings.ts';
import { readPlainFile, whyUnread } from '../../schema/plain-file.ts';
import { shopPageFile } from '../../schema/shop-page/file.ts';
import { isMissing } from '../../kit/atomic-file.ts';

export interface Found {
  readonly manifests: readonly string[];
  /** YAML files that make one desired state together. `isWhole`: nothing else belongs to it. */
  readonly desired: readonly { readonly files: readonly string[]; readonly isWhole: boolean }[];
  /** Documents in subfolders of a desired state. */
  readonly unread: readonly FileReport[];
  /** An empty message: a folder with nothing to judge. */
  readonly unreadable: readonly { readonly file: string; readonly message: string }[];
}

const depthMax = 3;

export async function findSources(paths: readonly string[]): Promise<Found> {
  const manifests: string[] = [];
  const desired: { files: string[]; isWhole: boolean }[] = [];
  const unreadable: { file: string; message: string }[] = [];
  const named: string[] = [];
  const unread: FileReport[] = [];
  for (const given of new Set(paths)) {
    const found = await stat(given).catch((error: NodeJS.ErrnoException) => error);
    if (found instanceof Error) unreadable.push({ file: given, message: whyUnread(found) });
    else if (!found.isDirectory())
      (isYamlName(path.basename(given)) || (!/\.json$/i.test(given) && !(await looksLikeJson(given))) ? named : manifests).push(given);
    else {
      const inside = await searchFolder(given, 0);
      manifests.push(...inside.manifests);
      if (inside.yaml.length > 0) desired.push({ files: inside.yaml, isWhole: true });
      if (inside.yaml.length > 0 || inside.manifests.length === 0) unread.push(...(await unreadYaml(given)));
      if (inside.manifests.length + inside.yaml.length === 0) unreadable.push({ file: given, message: '' });
    }
  }
  if (named.length > 0) desired.push({ files: named, isWhole: false });
  return { manifests, desired, unread, unreadable };
}

/** The YAML of the folder itself, as `svc up` reads it, and the manifests of packages and catalogues of extensions in it and below. */
async function searchFolder(dir: string, depth: number): Promise<{ manifests: string[]; yaml: string[] }> {
  const entries = (await readdir(dir, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  if (entries.some((entry) => entry.name === 'svc-app.json')) {
    const own = ['svc-app.json', ...(entries.some(({ name }) => name === shopPageFile) ? [shopPageFile] : [])];
    return { manifests: own.map((name) => path.join(dir, name)), yaml: [] };
  }
  const yaml = depth > 0 ? [] : entries.filter((entry) => isYamlName(entry.name)).map((entry) => path.join(dir, entry.name));
  const manifests = entries.some(({ name }) => name === extensionFile) ? [path.join(dir, extensionFile)] : [];
  for (const entry of entries) {
    if (!entry.isDirectory() || depth === depthMax || isPassedOver(entry.name)) continue;
    manifests.push(...(await searchFolder(path.join(dir, entry.name), depth + 1)).manifests);
  }
  return { manifests, yaml };
}

/** The other YAML beside these files; what can't be read there is not asked about. */
export async function siblingsOf(files: readonly string[]): Promise<DesiredFile[]> {
  const judged = new Set(files.map((file) => path.resolve(file)));
  const siblings: DesiredFile[] = [];
  for (const dir of new Set(files.map((file) => path.dirname(path.resolve(file))))) {
    const names = await readdir(dir).catch(() => []);
    for (const name of names.filter(isYamlName).slice(0, limits.yamlFilesMax)) {
      const file = path.join(dir, name);
      const bytes = judged.has(file) ? '' : await readBytes(file);
      if (typeof bytes !== 'string') siblings.push({ name: file, bytes });
    }
  }
  return siblings;
}

async function looksLikeJson(file: string): Promise<boolean> {
  const bytes = await readBytes(file, 64);
  return typeof bytes !== 'string' && /^\s*\{/.test(Buffer.from(bytes).toString('latin1'));
}

/** The bytes, at most one more than any reader takes. A text is the reason why not. */
export async function readBytes(file: string, bytesMax = limits.yamlFileBytesMax): Promise<Uint8Array | string> {
  return await readPlainFile(file, bytesMax).catch(whyUnread);
}

/** Looks for files beside the manifest of a package; unknown beside a manifest under another name. */
export function filesBeside(manifest: string): Surroundings['file'] {
  if (path.basename(manifest) !== 'svc-app.json') return () => 'unknown';
  return (name) => {
    try {
      const there = lstatSync(path.join(path.dirname(manifest), name));
      return there.isFile() || there.isSymbolicLink() ? 'present' : 'absent';
    } catch (error) {
      return isMissing(error) ? 'absent' : 'unknown';
    }
  };
}
