/** Publishing as it comes in over HTTP (api/repository/serve.ts): staged while it arrives, judged whole, then put into the folder. */
import { randomBytes } from 'node:crypto';
import about from '../../../package.json' with { type: 'json' };
import path from 'node:path';
import { checkArchive, extractArchive } from '../../archive/extract.ts';
import { removeTree } from '../../archive/folder-writer.ts';
import { engineArchive, packageArchive } from '../../archive/rules.ts';
import { walkFolder } from '../../archive/walk.ts';
import { repositoryPaths } from '../layout/paths.ts';
import type { RepositoryWriter } from '../layout/writer.ts';
import { judgePackage } from './judge-package.ts';
import { type PackageToPublish, type Staged, discard, publishEngine, publishPackage, stage } from './folder.ts';
import { diskError } from '../../disk-error.ts';
import type { Clock } from '../../../schema/clock.ts';
import { SvcError } from '../../../schema/errors.ts';
import { limits } from '../../../schema/limits.ts';
import { renderFinding } from '../../../schema/render.ts';

export function createRepositoryWriter(root: string, clock: Clock): RepositoryWriter {
  const take = async <T>(
    body: AsyncIterable<Uint8Array>,
    bytesMax: number,
    sha256: string | null,
    publish: (staged: Staged) => Promise<T>,
  ): Promise<T> => {
    const staged = await stage(root, body, bytesMax).catch((error: unknown) => {
      throw diskError(error);
    });
    try {
      if (sha256 !== null && sha256 !== staged.sha256) {
        throw new SvcError('DIGEST_MISMATCH', `the bytes that arrived have sha256 ${staged.sha256}, announced was ${sha256}`);
      }
      return await publish(staged);
    } catch (error) {
      await discard(staged);
      throw diskError(error);
    }
  };
  return {
    putPackage: (id, version, body, { novidades, sha256, signature }) =>
      take(body, limits.packageTarballBytesMax, sha256, async (staged) => {
        const judged = await openPackage(root, staged, id, version);
        return await publishPackage(root, staged, { ...judged, novidades, signature }, clock.nowMs());
      }),
    putEngine: (nome, versao, body, { sha256 }) =>
      take(body, limits.engineTarballBytesMax, sha256, async (staged) => {
        await checkArchive(staged.path, { limits: engineArchive });
        return await publishEngine(root, staged, { nome, versao }, clock.nowMs());
      }),
  };
}

/** Extracts it into a folder of its own, which is gone afterwards. Rejects ARCHIVE_REFUSED, MANIFEST_INVALID or PACKAGE_REFUSED. */
async function openPackage(root: string, staged: Staged, id: string, version: string): Promise<PackageToPublish> {
  const folder = path.join(root, repositoryPaths.staging, `check-${randomBytes(9).toString('hex')}`);
  try {
    await extractArchive(staged.path, folder, { limits: packageArchive, root: `${id}-${version}` });
    const { report, text, manifest, icon, shop } = await judgePackage(folder, walkFolder(folder, packageArchive), 'svc-app.json');
    if (manifest === null) {
      const rendered = report.errors.map((finding) => renderFinding(report, finding, text)).join('\n');
      throw new SvcError('MANIFEST_INVALID', `${rendered}\nThe repository is svc ${about.version}.`, { errors: report.errors });
    }
    if (manifest.id !== id || manifest.version !== version) {
      throw new SvcError('PACKAGE_REFUSED', `the package is ${manifest.id} ${manifest.version} and not ${id} ${version}`);
    }
    return { manifest, icon, shop };
  } finally {
    removeTree(folder);
  }
}
