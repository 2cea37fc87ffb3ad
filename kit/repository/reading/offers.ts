/**
 * The offers of the repositories: of each its catalogue, from an address or a folder, or made from unpacked packages. The last good catalogue stays
 * in use while its repository does not answer or answers with something else; the reason is shown beside it. An address is asked with its last ETag, at most once
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
import { readCatalogue } from '../layout/records.ts';
import type { Extension } from '../../../schema/extensions/catalogue.ts';
import type { Offers, OfferSignature } from '../../../schema/shop-view.ts';
import { extensionsAt } from './extensions.ts';
import { type HeldPages, pagesAt } from './shop-pages.ts';
import { judgeSignatures, markOf, signaturesAt } from './signed.ts';
import { readSource } from './unpacked.ts';
import { type Repository, isRepositoryFolder } from './location.ts';

export interface OffersReader {
  /** Never rejects: `problem` says why the offers may be old or are none. The first repository that has an app offers it. */
  read(repositories: readonly Repository[]): Promise<Offers>;
  /** The last good offers, whatever their age; none before the first read. */
  last(): Offers;
}

type Apps = readonly Omit<Offers['apps'][number], 'repository'>[];
type Version = Apps[number]['versions'][number];
/** The offers of one repository. */
interface Shelf extends Omit<Offers, 'apps'> {
  readonly apps: Apps;
}

interface Held {
  readonly shelf: Shelf;
  readonly etag: string | null;
  readonly judged: ReadonlyMap<string, OfferSignature>;
  readonly pages: HeldPages | null;
  readonly readAtMs: number;
}

export function createOffersReader(clock: Clock): OffersReader {
  const held = new Map<string, Held>();
  const running = new Map<string, Promise<Shelf>>();
  let last: { readonly parts: readonly Part[]; readonly offers: Offers } | null = null;

  const readShelf = async (repository: Repository): Promise<Shelf> => {
    const name = nameOf(repository);
    const before = held.get(name) ?? null;
    const keep = (shelf: Shelf, found: Partial<Pick<Held, 'etag' | 'judged' | 'pages'>> = {}): Shelf => {
      held.set(name, { etag: null, judged: new Map(), pages: null, ...before, ...found, shelf, readAtMs: clock.monotonicMs() });
      return shelf;
    };
    try {
      const read =
        repository.kind === 'url' ? await fromAddress(clock, repository.url, before) : await fromFolder(repository.folder, before);
      const known = before?.shelf.extensions ?? [];
      const { extensions, problem } = await extensionsAt(repository).then(
        (extensions) => ({ extensions, problem: null }),
        (error: unknown) => ({ extensions: known, problem: wordsOf(error) }),
      );
      const pages = await pagesAt(repository, read.apps, before?.pages ?? null).then(
        (held) => ({ held, problem: null }),
        (error: unknown) => ({ held: before?.pages ?? null, problem: wordsOf(error) }),
      );
      const { apps, judged } = await withSignatures(repository, read.apps, before?.judged ?? new Map());
      return keep(
        { apps: withPages(apps, pages.held), extensions, problem: read.problem ?? problem ?? pages.problem },
        { etag: read.etag, judged, pages: pages.held },
      );
    } catch (error) {
      const words = wordsOf(error);
      return keep({ apps: [], extensions: [], ...before?.shelf, problem: words, unread: words });
    }
  };

  const shelfOf = async (repository: Repository, isOneOfMany: boolean): Promise<Shelf> => {
    const name = nameOf(repository);
    const known = held.get(name);
    if (known && clock.monotonicMs() - known.readAtMs < limits.offersCacheMs) return known.shelf;
    // A second caller waits for the same answer.
    const answer = running.get(name) ?? readShelf(repository).finally(() => running.delete(name));
    running.set(name, answer);
    // The others do not wait for one that did not answer last time.
    return isOneOfMany && known?.shelf.unread !== undefined ? known.shelf : await answer;
  };

  return {
    last: () => last?.offers ?? { apps: [], problem: 'not read yet' },
    read: async (repositories) => {
      if (repositories.length === 0) return { apps: [], problem: noRepository, unread: noRepository };
      const parts = await Promise.all(
        repositories.map(async (repository) => ({ repository, shelf: await shelfOf(repository, repositories.length > 1) })),
      );
      const names = new Set(repositories.map(nameOf));
      for (const name of held.keys()) if (!names.has(name)) held.delete(name);
      if (last === null || !sameParts(last.parts, parts)) last = { parts, offers: merged(parts) };
      return last.offers;
    },
  };
}

/** With another key everything is judged anew. */
const nameOf = ({ place, key }: Repository): string => `${key ?? ''} ${place}`;

async function withSignatures(
  repository: Repository,
  apps: Apps,
  known: Held['judged'],
): Promise<{ readonly apps: Apps; readonly judged: Held['judged'] }> {
  const { key } = repository;
  if (key === null) return { apps, judged: new Map() };
  const texts = await signaturesAt(repository);
  const judged = await judgeSignatures(apps, key, texts, known);
  const signed = apps.map(({ id, versions }) => ({
    id,
    versions: versions.map((one): Version => {
      const signature = judged.get(markOf(id, one, texts.get(`${id} ${one.version}`) ?? null));
      return Object.assign({}, one, signature && { signature });
    }),
  }));
  return { apps: signed, judged };
}

/** A version that did not change may have lost its page. */
function withPages(apps: Apps, held: HeldPages | null): Apps {
  return apps.map(({ id, versions }) => ({
    id,
    versions: versions.map(({ page: _before, ...one }): Version => {
      const page = held?.pages.get(`${id} ${one.version}`);
      return Object.assign({}, one, page && { page });
    }),
  }));
}

interface Part {
  readonly repository: Repository;
  readonly shelf: Shelf;
}

const sameParts = (before: readonly Part[], now: readonly Part[]): boolean =>
  before.length === now.length &&
  now.every(
    ({ repository, shelf }, index) =>
      before[index]?.shelf === shelf && JSON.stringify(before[index].repository) === JSON.stringify(repository),
  );

/** An app is that of the first repository which has it, for everybody, as far as each could be read last. */
function merged(parts: readonly Part[]): Offers {
  const apps = new Map<string, Offers['apps'][number]>();
  const extensions = new Map<string, Extension>();
  for (const { repository, shelf } of parts) {
    const { place, key, groups } = repository;
    const from = { place, key, groups };
    for (const app of shelf.apps) if (!apps.has(app.id)) apps.set(app.id, { ...app, repository: from });
    for (const one of shelf.extensions ?? []) if (!extensions.has(one.id)) extensions.set(one.id, one);
  }
  const problems = parts.flatMap(({ shelf }) => shelf.problem ?? []);
  const unread = parts.flatMap(({ shelf }) => shelf.unread ?? []);
  return {
    apps: [...apps.values()],
    extensions: [...extensions.values()],
    problem: problems.length === 0 ? null : problems.join('; '),
    ...(unread.length === 0 ? {} : { unread: unread.join('; ') }),
  };
}

const noRepository = 'the Portal document names no repository';

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface Read {
  readonly apps: Apps;
  readonly etag: string | null;
  /** Packages that can't be read now, and why. */
  readonly problem?: string | null;
}

async function fromFolder(folder: string, before: Held | null): Promise<Read> {
  if (!(await isRepositoryFolder(folder))) return await fromUnpacked(folder, before?.shelf.apps ?? []);
  return { apps: readCatalogue(await readPlainFile(path.join(folder, repositoryPaths.catalogue))).apps, etag: null };
}

/** A folder with one unpacked package for each app. Packages that are refused there are not offered; those that can't be read now stay as they were. */
async function fromUnpacked(folder: string, before: Apps): Promise<Read> {
  const entries = await readdir(folder, { withFileTypes: true });
  const apps: Apps[number][] = [];
  const problems: string[] = [];
  for (const entry of entries.filter((one) => one.isDirectory())) {
    const manifest = await readSource(path.join(folder, entry.name)).catch((error: unknown) => {
      if (error instanceof SvcError) return null;
      problems.push(wordsOf(error));
      apps.push(...before.filter(({ id }) => id === entry.name));
      return null;
    });
    if (manifest?.id !== entry.name) continue;
    apps.push({
      id: manifest.id,
      versions: [{ version: manifest.version, tamanho: null, sha256: null, publicadoEm: null, novidades: '', manifest }],
    });
  }
  return { apps, etag: null, problem: problems.length === 0 ? null : problems.join('; ') };
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
    if (answer.status === 304 && held) return { apps: held.shelf.apps, etag: held.etag };
    if (answer.status !== 200) throw new SvcError('REPOSITORY_UNREACHABLE', `${url} answers ${answer.status} for its catalogue`);
    return { apps: readCatalogue(await catalogueBytes(url, answer)).apps, etag: headerOf(answer, 'etag') || null };
  } finally {
    answer.end();
  }
}

async function catalogueBytes(url: string, answer: Answer): Promise<Buffer> {
  const bytes = await readWhole(answer, sharedLimits.catalogueBytesMax);
  if (bytes === null) throw new SvcError('TOO_LARGE', `the catalogue of ${url} is larger than ${sharedLimits.catalogueBytesMax} bytes`);
  return bytes;
}
