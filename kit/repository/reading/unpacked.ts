/** A package that is not packed: a folder with its manifest, as a repository of unpacked packages holds them. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { SvcError } from '../../../schema/errors.ts';
import { isNoPlainFile, readPlainFile, whyUnread } from '../../../schema/plain-file.ts';
import { limits } from '../../../schema/limits.ts';
import type { Manifest } from '../../../schema/manifest/manifest.ts';
import { validateManifest } from '../../../schema/manifest/validate.ts';
import { renderFinding } from '../../../schema/render.ts';
import { isMissing } from '../../atomic-file.ts';

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
    text = String(await readPlainFile(file, limits.manifestBytesMax));
  } catch (error) {
    if (isMissing(error)) return null;
    // As `svc validate` says it.
    if (isNoPlainFile(error)) throw new SvcError('PACKAGE_REFUSED', `${file}:1:1 UNREADABLE ${whyUnread(error)}`);
    throw error;
  }
  const report = validateManifest(file, text);
  if (report.manifest === null) {
    throw new SvcError('PACKAGE_REFUSED', report.errors.map((finding) => renderFinding(report, finding, text)).join('\n'));
  }
  known.set(file, { mark, manifest: report.manifest });
  return report.manifest;
}
