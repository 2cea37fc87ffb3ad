/** Where the store is, as the Portal document says, and as the state folder remembers it of the last start. */
import path from 'node:path';
import { portalDefaults } from '../../controller/desired/restart.ts';
import { isMissing, writeFileAtomic } from '../../kit/atomic-file.ts';
import type { PortalDocument } from '../../schema/desired/documents.ts';
import { SvcError } from '../../schema/errors.ts';
import { readPlainFile, whyUnread } from '../../schema/plain-file.ts';

/** Fields of the Portal document about the store. */
export interface StorePlace extends Pick<PortalDocument['spec'], 'store' | 'storePassword' | 'storeCa' | 'portalKey'> {
  /** Faults of the desired folder, when nothing else says where the store is. */
  readonly unread?: readonly string[];
}

export const embedded = { store: portalDefaults.store } as const;

const rememberedIn = (stateDir: string): string => path.join(stateDir, 'store');

/** Returns the place of the last start; the embedded store when there was none. Rejects where the file can't be read: another store may be named in it. */
export async function rememberedPlace(stateDir: string, unread: readonly string[]): Promise<StorePlace> {
  const file = rememberedIn(stateDir);
  const bytes = await readPlainFile(file).catch((error: unknown) => {
    if (isMissing(error)) return '';
    throw new SvcError(
      'BAD_REQUEST',
      `${file}, which names the store of the last start, can't be read: ${whyUnread(error)}`,
      {},
      { cause: error },
    );
  });
  const text = String(bytes).trim();
  if (text === '') return { ...embedded, unread };
  // As portals before PostgreSQL wrote it.
  if (text.startsWith('sqlite:')) return { store: text };
  const place = parsed(text);
  if (typeof place?.store === 'string' && /^(?:sqlite:|postgres:\/\/)./.test(place.store)) return place;
  throw new SvcError('BAD_REQUEST', `${file} is not what svc up wrote: mend the desired folder, which says where the store is`);
}

function parsed(text: string): StorePlace | null {
  try {
    return JSON.parse(text) as StorePlace | null;
  } catch {
    return null;
  }
}

/** So that a broken folder at the next start does not open another store. No secret is in it: the password is named, not said. */
export function rememberStore(stateDir: string, place: StorePlace): void {
  writeFileAtomic(rememberedIn(stateDir), `${JSON.stringify({ ...place, unread: undefined })}\n`, { mode: 0o600, durable: true });
}

/** The file of an embedded store; null: it is a database of PostgreSQL. */
export function storeFile({ store = '' }: StorePlace, stateDir: string): string | null {
  const file = /^sqlite:(.+)$/.exec(store)?.[1];
  return file === undefined ? null : path.resolve(stateDir, file);
}
