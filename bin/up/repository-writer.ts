/** Publishing as the repository's HTTP side takes it: staged while it arrives, judged whole, then put into the folder. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { RepositoryWriter } from '../../api/repository/serve.ts';
import { checkArchive, extractArchive } from '../../kit/archive/extract.ts';
import { removeTree } from '../../kit/archive/folder-writer.ts';
import { engineArchive, packageArchive } from '../../kit/archive/rules.ts';
import { type PackageToPublish, type Staged, discard, publishEngine, publishPackage, stage } from '../../kit/publish/repository-folder.ts';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../../schema/limits.ts';
import { validateManifest } from '../../schema/manifest/validate.ts';
import { renderFinding } from '../../schema/render.ts';
import { iconTypes } from '../../schema/repository/records.ts';

export function createRepositoryWriter(root: string, clock: Clock): RepositoryWriter {
  const take = async <T>(
    body: AsyncIterable<Uint8Array>,
    bytesMax: number,
    sha256: string | null,
    publish: (staged: Staged) => Promise<T>,
  ): Promise<T> => {
    const staged = await stage(root, body, bytesMax);
    try {
      if (sha256 !== null && sha256 !== staged.sha256) {
        throw new SvcError('DIGEST_MISMATCH', `the bytes that arrived have sha256 ${staged.sha256}, announced was ${sha256}`);
      }
      return await publish(staged);
    } catch (error) {
      await discard(staged);
      throw error;
    }
  };
  return {
    putPackage: (id, version, body, { novidades, sha256 }) =>
      take(body, limits.packageTarballBytesMax, sha256, async (staged) => {
        const judged = await judgePackage(root, staged, id, version);
        return await publishPackage(root, staged, { ...judged, novidades }, clock.nowMs());
      }),
    putEngine: (nome, versao, body, { sha256 }) =>
      take(body, limits.engineTarballBytesMax, sha256, async (staged) => {
        await checkArchive(staged.path, { limits: engineArchive });
        return await publishEngine(root, staged, { nome, versao }, clock.nowMs());
      }),
  };
}

/** Extracts it into a folder of its own, which is gone afterwards. Rejects ARCHIVE_REFUSED, MANIFEST_INVALID or PACKAGE_REFUSED. */
async function judgePackage(root: string, staged: Staged, id: string, version: string): Promise<PackageToPublish> {
  const folder = path.join(root, '.svc/tmp', `check-${randomBytes(9).toString('hex')}`);
  try {
    await extractArchive(staged.path, folder, { limits: packageArchive, root: `${id}-${version}` });
    const text = await readFile(path.join(folder, 'svc-app.json'), 'utf8').catch(() => {
      throw new SvcError('PACKAGE_REFUSED', 'the package has no svc-app.json');
    });
    const report = validateManifest('svc-app.json', text);
    const { manifest } = report;
    if (manifest === null) {
      const told = report.errors.map((finding) => renderFinding(report, finding, text)).join('\n');
      throw new SvcError('MANIFEST_INVALID', told, { errors: report.errors });
    }
    if (manifest.id !== id || manifest.version !== version) {
      throw new SvcError('PACKAGE_REFUSED', `the package is ${manifest.id} ${manifest.version} and not ${id} ${version}`);
    }
    return { manifest, icon: await readIcon(folder, manifest.icon) };
  } finally {
    removeTree(folder);
  }
}

async function readIcon(folder: string, icon: string | undefined): Promise<NonNullable<PackageToPublish['icon']> | null> {
  if (icon === undefined) return null;
  const type = iconTypes.find((one) => icon.toLowerCase().endsWith(`.${one}`));
  const file = path.resolve(folder, icon);
  if (!file.startsWith(folder + path.sep)) throw new SvcError('PACKAGE_REFUSED', `icon ${JSON.stringify(icon)} is not in the package`);
  const bytes = await readFile(file).catch(() => {
    throw new SvcError('PACKAGE_REFUSED', `icon ${JSON.stringify(icon)} is not in the package`);
  });
  if (bytes.length > limits.packageFileBytesMax) throw new SvcError('PACKAGE_REFUSED', 'the icon is too large');
  return type === undefined ? null : { type, bytes };
}
