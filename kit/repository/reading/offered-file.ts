/** Icon and pictures of a package that is only offered: files of its repository, or in the folder of a package that is not packed. */
import path from 'node:path';
import { readWhole } from '../../http/ask.ts';
import { fetchFrom } from '../../http/fetch-from.ts';
import { limits } from '../limits.ts';
import { limits as sharedLimits } from '../../../schema/limits.ts';
import { iconMediaTypes, iconTypes, repositoryPaths } from '../layout/paths.ts';
import { pictureOf } from '../layout/picture.ts';
import type { Offers } from '../../../schema/shop-view.ts';
import { isRepositoryFolder, type Repository, type RepositoryLocation } from './location.ts';
import { readPlainFile } from '../../../schema/plain-file.ts';

export interface OfferedFile {
  readonly bytes: Uint8Array;
  readonly type: string;
}

export interface OfferedFiles {
  /** Null for any path but that of the icon and of pictures, and when it can't be had now. */
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
      if (location === undefined || offer === undefined || type === undefined) return null;
      const isPicture = offer.page?.pictures.some((picture) => picture.file === file) === true;
      if (!isPicture && offer.manifest.icon !== file) return null;
      const key = offer.sha256 === null ? null : `${app} ${offer.sha256} ${isPicture ? file : ''}`;
      const known = key === null ? undefined : kept.get(key);
      if (known) return known;
      const packed = isPicture ? `${repositoryPaths.shop}/${app}/${file}` : repositoryPaths.icon(app, version, type);
      const bytes = await readFrom(
        location,
        { app, packed, file },
        isPicture ? sharedLimits.shopPictureBytesMax : sharedLimits.packageFileBytesMax,
      );
      // A repository of others may say one size and give another.
      if (bytes === null || (isPicture && pictureOf(bytes) === null)) return null;
      const found = { bytes, type: iconMediaTypes[type] };
      if (key !== null) kept.set(key, found);
      const [oldest] = kept.keys();
      if (kept.size > limits.offeredIconsKept && oldest !== undefined) kept.delete(oldest);
      return found;
    },
  };
}

interface Wanted {
  readonly app: string;
  /** Path in a repository with packed versions. */
  readonly packed: string;
  /** Path in the folder of the app, where it is not packed. */
  readonly file: string;
}

async function readFrom(location: RepositoryLocation, { app, packed, file }: Wanted, bytesMax: number): Promise<Uint8Array | null> {
  try {
    if (location.kind === 'url') return await fetchSmall(`${location.url}/${packed}`, bytesMax);
    if (await isRepositoryFolder(location.folder)) return await readSmall(path.join(location.folder, packed), bytesMax);
    const root = path.join(location.folder, app);
    const asked = path.resolve(root, file);
    return asked.startsWith(`${root}/`) ? await readSmall(asked, bytesMax) : null;
  } catch {
    return null;
  }
}

async function readSmall(file: string, bytesMax: number): Promise<Uint8Array | null> {
  const bytes = await readPlainFile(file, bytesMax);
  return bytes.length <= bytesMax ? bytes : null;
}

async function fetchSmall(url: string, bytesMax: number): Promise<Uint8Array | null> {
  const answer = await fetchFrom(url, {}, { silentMsMax: 0, signal: AbortSignal.timeout(limits.repositoryAnswerMsMax) });
  try {
    return answer.status === 200 ? await readWhole(answer, bytesMax) : null;
  } finally {
    answer.end();
  }
}
