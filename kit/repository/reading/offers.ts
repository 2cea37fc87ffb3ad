/**
 * The offers of a repository: its catalogue, from an address or a folder, or made from unpacked packages. The last good catalogue stays in use while
 * the repository does not answer or answers with something else; the reason is shown beside it. An address is asked with its last ETag, at most once
 * in 5 s and for at most 20 s; several askers share one answer. A folder is a packed repository when `v1/pacote` is in it, else every subfolder with
 * a valid manifest of its own name is an app with one version. The last good catalogue is kept in memory only: after a restart without the
 * repository the shop is empty and says why; installed packages are not affected.
 */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { headerOf, readWhole, whyNone, type Answer } from '../../http/ask.ts';
import { fetchFrom } from '../../http/fetch-from.ts';
import { type Clock, withDeadline } from '../../../schema/clock.ts';
import { SvcError } from '../../../schema/errors.ts';
import { readPlainFile } from '../../../schema/plain-file.ts';
import { limits } from '../limits.ts';
import { limits as sharedLimits } from '../../../schema/limits.ts';
import { repositoryPaths } from '../layout/paths.ts';
import { type Catalogue, readCatalogue } from '../layout/records.ts';
import type { Offers } from '../../../schema/shop-view.ts';
import { extensionsAt } from './extensions.ts';
import { readSource } from './unpacked.ts';
import { type RepositoryLocation, isRepositoryFolder } from './location.ts';

export interface OffersReader {
  /** Never rejects: `problem` says why the offers may be old or are none. */
  read(location: RepositoryLocation | null): Promise<Offers>;
  /** The last good offers, whatever their age; none before the first read. */
  last(): Offers;
}

interface Held {
  readonly place: string;
  readonly offers: Offers;
  readonly etag: string | null;
  readonly readAtMs: number;
}

export function createOffersReader(clock: Clock): OffersReader {
  let last: Held | null = null;
  let running: { readonly place: string; readonly answer: Promise<Offers> } | null = null;

  const readOffers = async (place: string, location: RepositoryLocation): Promise<Offers> => {
    const held = last?.place === place ? last : null;
    try {
      const read = location.kind === 'url' ? await fromAddress(clock, location.url, held) : await fromFolder(location.folder);
      const before = held?.offers.extensions ?? [];
      const { extensions, problem } = await extensionsAt(location).then(
        (extensions) => ({ extensions, problem: null }),
        (error: unknown) => ({ extensions: before, problem: wordsOf(error) }),
      );
      const offers = { ...read.offers, extensions, problem: read.offers.problem ?? problem };
      last = { place, etag: read.etag, offers, readAtMs: clock.monotonicMs() };
      return last.offers;
    } catch (error) {
      const offers = { apps: [], extensions: [], ...held?.offers, problem: wordsOf(error), unread: wordsOf(error) };
      last = { place, offers, etag: held?.etag ?? null, readAtMs: clock.monotonicMs() };
      return offers;
    }
  };

  return {
    last: () => last?.offers ?? { apps: [], problem: 'not read yet' },
    read: async (location) => {
      if (location === null) return { apps: [], problem: noRepository, unread: noRepository };
      const place = location.kind === 'url' ? location.url : location.folder;
      if (last?.place === place && clock.monotonicMs() - last.readAtMs < limits.offersCacheMs) return last.offers;
      // A second caller waits for the same answer.
      if (running?.place === place) return await running.answer;
      const answer = readOffers(place, location).finally(() => {
        running = null;
      });
      running = { place, answer };
      return await answer;
    },
  };
}

const noRepository = 'the Portal document names no repository';

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

type Read = Pick<Held, 'offers' | 'etag'>;

async function fromFolder(folder: string): Promise<Read> {
  const packed = await isRepositoryFolder(folder);
  return {
    offers: packed
      ? offersOf(readCatalogue(await readPlainFile(path.join(folder, repositoryPaths.catalogue))))
      : await fromUnpacked(folder),
    etag: null,
  };
}

/** A folder with one unpacked package for each app. Packages that are refused there are not offered. */
async function fromUnpacked(folder: string): Promise<Offers> {
  const entries = await readdir(folder, { withFileTypes: true });
  const apps = [];
  for (const entry of entries.filter((one) => one.isDirectory())) {
    const manifest = await readSource(path.join(folder, entry.name)).catch(() => null);
    if (manifest?.id !== entry.name) continue;
    apps.push({
      id: manifest.id,
      versions: [{ version: manifest.version, tamanho: null, sha256: null, publicadoEm: null, novidades: '', manifest }],
    });
  }
  return { apps, problem: null };
}

function offersOf({ apps }: Catalogue): Offers {
  return { apps, problem: null };
}

async function fromAddress(clock: Clock, url: string, held: Held | null): Promise<Read> {
  const abort = new AbortController();
  const work = fetchCatalogue(url, held, abort.signal);
  return await withDeadline(clock, limits.repositoryAnswerMsMax, work, () => {
    abort.abort();
    return new SvcError('REPOSITORY_UNREACHABLE', `${url} did not answer in time`);
  });
}

async function fetchCatalogue(url: string, held: Held | null, signal: AbortSignal): Promise<Read> {
  const headers = held?.etag ? { 'if-none-match': held.etag } : {};
  const refused = (error: unknown): never => {
    throw new SvcError('REPOSITORY_UNREACHABLE', `${url} does not answer: ${whyNone(error)}`, {}, { cause: error });
  };
  const answer = await fetchFrom(`${url}/${repositoryPaths.catalogue}`, headers, { silentMsMax: 0, signal }).catch(refused);
  try {
    if (answer.status === 304 && held) return { offers: { apps: held.offers.apps, problem: null }, etag: held.etag };
    if (answer.status !== 200) throw new SvcError('REPOSITORY_UNREACHABLE', `${url} answers ${answer.status} for its catalogue`);
    return { offers: offersOf(readCatalogue(await catalogueBytes(url, answer))), etag: headerOf(answer, 'etag') || null };
  } finally {
    answer.end();
  }
}

async function catalogueBytes(url: string, answer: Answer): Promise<Buffer> {
  const bytes = await readWhole(answer, sharedLimits.catalogueBytesMax);
  if (bytes === null) throw new SvcError('TOO_LARGE', `the catalogue of ${url} is larger than ${sharedLimits.catalogueBytesMax} bytes`);
  return bytes;
}
