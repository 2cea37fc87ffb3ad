/** A package that is not packed: a folder with its manifest, as a repository of unpacked packages holds them. */
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { SvcError } from '../../../schema/errors.ts';
import type { Manifest } from '../../../schema/manifest/manifest.ts';
import { validateManifest } from '../../../schema/manifest/validate.ts';
import { renderFinding } from '../../../schema/render.ts';

const known = new Map<string, { readonly mark: string; readonly manifest: Manifest }>();

/** The manifest of a package in the repository, judged whole; null when there is none. Rejects PACKAGE_REFUSED with every finding. */
export async function readSource(folder: string): Promise<Manifest | null> {
  const file = path.join(folder, 'svc-app.json');
  let mark: string;
  let text: string;
  try {
    const found = await stat(file);
    mark = `${found.ino}:${found.mtimeMs}:${found.ctimeMs}:${found.size}`;
    const before = known.get(file);
    if (before?.mark === mark) return before.manifest;
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
  const report = validateManifest(file, text);
  if (report.manifest === null) {
    throw new SvcError('PACKAGE_REFUSED', report.errors.map((finding) => renderFinding(report, finding, text)).join('\n'));
  }
  known.set(file, { mark, manifest: report.manifest });
  return report.manifest;
}
