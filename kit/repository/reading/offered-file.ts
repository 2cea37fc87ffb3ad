/** The icon of a package that is only offered: a file beside the tarball, or in the folder of a package that is not packed. */
import path from 'node:path';
import { readWhole } from '../../http/ask.ts';
import { fetchFrom } from '../../http/fetch-from.ts';
import { limits } from '../limits.ts';
import { limits as sharedLimits } from '../../../schema/limits.ts';
import { iconMediaTypes, type IconType, iconTypes, repositoryPaths } from '../layout/paths.ts';
import type { Offers } from '../../../schema/shop-view.ts';
import { isRepositoryFolder, type Repository, type RepositoryLocation } from './location.ts';
import { readPlainFile } from '../../../schema/plain-file.ts';

export interface OfferedFile {
  readonly bytes: Uint8Array;
  readonly type: string;
}

export interface OfferedFiles {
  /** Null for any path but that of the icon, and when it can't be had now. */
  read(repositories: readonly Repository[], offers: Offers, app: string, version: string, file: string): Promise<OfferedFile | null>;
}

/** Published versions never change, so what was read once is kept; the oldest goes. */
export function createOfferedFiles(): OfferedFiles {
  const kept = new Map<string, OfferedFile>();
  return {
    read: async (repositories, offers, app, version, file) => {
      const offered = offers.apps.find(({ id }) => id === app);
      const offer = offered?.versions.find((one) => one.version === version);
      const location = repositories.find(({ place }) => place === offered?.repository.place);
      const type = iconTypes.find((one) => file.toLowerCase().endsWith(`.${one}`));
      if (location === undefined || offer === undefined || type === undefined || offer.manifest.icon !== file) return null;
      const key = offer.sha256 === null ? null : `${app} ${offer.sha256}`;
      const known = key === null ? undefined : kept.get(key);
      if (known) return known;
      const bytes = await readIcon(location, { app, version, file, type });
      if (bytes === null) return null;
      const found = { bytes, type: iconMediaTypes[type] };
      if (key !== null) kept.set(key, found);
      const [oldest] = kept.keys();
      if (kept.size > limits.offeredIconsKept && oldest !== undefined) kept.delete(oldest);
      return found;
    },
  };
}

interface Icon {
  readonly app: string;
  readonly version: string;
  readonly file: string;
  readonly type: IconType;
}

async function readIcon(location: RepositoryLocation, { app, version, file, type }: Icon): Promise<Uint8Array | null> {
  const packed = repositoryPaths.icon(app, version, type);
  try {
    if (location.kind === 'url') return await fetchIcon(`${location.url}/${packed}`);
    if (await isRepositoryFolder(location.folder)) return await readSmall(path.join(location.folder, packed));
    const root = path.join(location.folder, app);
    const asked = path.resolve(root, file);
    return asked.startsWith(`${root}/`) ? await readSmall(asked) : null;
  } catch {
    return null;
  }
}

async function readSmall(file: string): Promise<Uint8Array | null> {
  const bytes = await readPlainFile(file, sharedLimits.packageFileBytesMax);
  return bytes.length <= sharedLimits.packageFileBytesMax ? bytes : null;
}

async function fetchIcon(url: string): Promise<Uint8Array | null> {
  const answer = await fetchFrom(url, {}, { silentMsMax: 0, signal: AbortSignal.timeout(limits.repositoryAnswerMsMax) });
  try {
    return answer.status === 200 ? await readWhole(answer, sharedLimits.packageFileBytesMax) : null;
  } finally {
    answer.end();
  }
}
