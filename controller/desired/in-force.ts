/**
 * The documents in force: the folder when it is valid, the last good state when it is not, and for removed documents the guard's answer.
 * Remembered in the store, so that a restart with a broken folder changes nothing either.
 * Decision: docs/decisions/0033-what-is-in-force.md
 */
import type { PackageDocument } from '../../schema/desired/documents.ts';
import { owners } from '../../schema/desired/schema.ts';
import { digestOf } from '../../schema/desired/load.ts';
import { inForceOf, targetOf } from '../../schema/desired/packages.ts';
import { keyOfDocument } from '../../schema/keys.ts';
import { prunePlan } from '../../reconcilers/prune.ts';
import { faultPoint } from '../faults.ts';
import type { InForceRow, Store } from '../../store/store.ts';
import { systemClock } from '../clock/system.ts';
import { limits } from '../limits.ts';
import { createPeopleLists, derivePeople, type Derived, type PeopleList, type PeopleLists } from './derived.ts';
import { ownPeople } from './own-people.ts';
import type { PlacedDocument } from './placed-document.ts';
import { createFolderReader, folderMark, readFolder, type FolderAnswer, type Instead } from './read-folder.ts';

export interface InForce {
  /** Hash of the folder that was taken last; '' before the first. */
  readonly hash: string;
  /** By name, e.g. `Backend/ana-notas`; what the guard holds back stays among them. */
  readonly documents: ReadonlyMap<string, PlacedDocument>;
  /** Names that are gone from the folder and wait for `--prune`. */
  readonly held: readonly string[];
  readonly why: string | null;
  /** Removed, while something that they owned is there: the loop decides how it goes, and then `finishLeaving`. */
  readonly leaving: ReadonlyMap<string, PlacedDocument>;
  /** Result of the People documents; absent while there are none. */
  readonly people?: Pick<Derived, 'leftOut' | 'waiting'>;
}

/** Removals that the guard lets happen: all, none, or those of objects that somebody was shown by name. */
export type Prune = boolean | ((name: string) => boolean);

export interface DesiredSource {
  current(): InForce;
  /** Errors of the folder as it is now; [] when it is the one in force. */
  errors(): readonly string[];
  warnings(): readonly string[];
  /** Reads the folder if it changed or has errors. True when what is in force, or its errors, changed. */
  reread(prune: Prune): Promise<boolean>;
  /** Takes in force who the people of that People document are. True when that changed something. */
  takePeople(list: string, people: PeopleList): Promise<boolean>;
  lists(): PeopleLists;
  /** Documents that would be in force: for `svc plan`. `lists`: in place of those that were taken. */
  preview(dir: string, prune: Prune, lists?: PeopleLists, instead?: Instead): Promise<Preview>;
  /** Drops a removed document once everything that it owned is gone. */
  finishLeaving(name: string): Promise<void>;
  /** The machine of this Server, which leaves, never comes back: nothing waits for it any more. */
  giveUp(name: string): Promise<void>;
}

interface Preview {
  readonly inForce: InForce;
  readonly errors: readonly string[];
}

export const valueName = 'desired/in-force';
const nothing: InForce = { hash: '', documents: new Map(), held: [], why: null, leaving: new Map() };

export async function openDesiredSource(dir: string, store: Store, clock = systemClock, askPeople = ownPeople): Promise<DesiredSource> {
  const text = await store.value(valueName);
  let inForce = thaw(text, await store.inForce());
  /** Changes whenever something changes: portals that do not lead compare it. */
  let serial = serialOf(text);
  const reader = createFolderReader(askPeople);
  let errors: readonly string[] = [];
  let warnings: readonly string[] = [];
  let mark: string | null = null;
  /** A folder with errors is read again from then on, whether or not it changed: accounts and disks may be mended. */
  let againAtMs = 0;
  const lists = createPeopleLists();

  const remember = async (next: InForce): Promise<void> => {
    faultPoint('desired/before-remember');
    const { hash, held, why } = next;
    // A single turn and transaction: what is held never disagrees with the documents.
    await Promise.all([
      store.putValue(valueName, JSON.stringify({ hash, held, why, serial: serial + 1 })),
      store.changeInForce(changesOf(inForce, next)),
    ]);
    serial += 1;
    faultPoint('desired/after-remember');
  };
  let changing: Promise<unknown> = Promise.resolve();
  /** Applies changes one after the other: the results of two objects that end at once must both stay. True when something changed. */
  const change = async (nextOf: (now: InForce) => InForce): Promise<boolean> => {
    const before = changing;
    const changed = (async () => {
      await before;
      const next = nextOf(inForce);
      if (next === inForce) return false;
      await remember(next);
      inForce = next;
      return true;
    })();
    changing = changed.catch(() => undefined);
    return await changed;
  };
  return {
    current: () => inForce,
    errors: () => errors,
    warnings: () => warnings,
    reread: async (prune) => {
      // Taken before the reading: a write in between makes the next pass read again.
      const now = await folderMark(dir);
      const beganMs = clock.monotonicMs();
      if (now === mark && prune === false && (errors.length === 0 || beganMs < againAtMs)) return false;
      mark = now;
      const answer = await reader.read(dir);
      againAtMs = beganMs + Math.max(limits.folderErrorsPollMs, 10 * (clock.monotonicMs() - beganMs));
      const before = errors.join('\n');
      errors = answer.ok ? [] : answer.errors;
      warnings = answer.ok ? answer.warnings : [];
      // The store is full or away: the next pass must take the folder again, not find it unchanged.
      const changed = await change((now) => (answer.ok ? take(now, answer, prune, lists.all()) : now)).catch((error: unknown) => {
        mark = null;
        throw error;
      });
      return changed || before !== errors.join('\n');
    },
    takePeople: (list, people) => lists.take(list, people, () => change((now) => withLists(now, lists.all()))),
    lists: () => lists.all(),
    preview: async (from, prune, other = lists.all(), instead) => {
      const answer = await (from === dir ? reader.read(dir, instead) : readFolder(from));
      // The folder is valid again; clears the mark so that the next read applies it.
      if (from === dir && instead === undefined && answer.ok && errors.length > 0) mark = null;
      return answer.ok ? { inForce: take(inForce, answer, prune, other), errors: [] } : { inForce, errors: answer.errors };
    },
    finishLeaving: async (name) => void (await change((now) => withoutLeaving(now, name))),
    giveUp: async (name) => void (await change((now) => withLost(now, name))),
  };
}

function withoutLeaving(now: InForce, name: string): InForce {
  if (!now.leaving.has(name)) return now;
  const leaving = new Map(now.leaving);
  leaving.delete(name);
  return { ...now, leaving };
}

/** The same object where no such document leaves. */
export function withLost(now: InForce, name: string): InForce {
  const placed = now.leaving.get(name);
  if (placed === undefined || placed.isLost === true) return now;
  return { ...now, leaving: new Map(now.leaving).set(name, { ...placed, isLost: true }) };
}

function serialOf(text: string | null): number {
  return text === null ? 0 : ((JSON.parse(text) as { readonly serial?: number }).serial ?? 0);
}

/** The next state in force; the very same object when nothing changes. */
export function take(before: InForce, answer: Extract<FolderAnswer, { readonly ok: true }>, prune: Prune, lists: PeopleLists): InForce {
  const { hash, documents: placed } = answer.state;
  if (hash === before.hash && (prune === false || before.held.length === 0)) return before;
  const written = new Map<string, PlacedDocument>();
  for (const { document, place, digest } of installationsOf(placed)) {
    const name = keyOfDocument(document);
    const known = before.documents.get(name) ?? comesBack(before.leaving.get(name));
    const isSame = known?.digest === digest && known.from === undefined;
    // An unchanged document stays the same object: the loop skips what it owns without comparing it again.
    written.set(name, isSame ? known : { document, place, digest, generation: (known?.generation ?? 0) + 1 });
  }
  const wanted = targetsOf(written.values());
  const isAsked = (name: string): boolean => typeof prune === 'function' && prune(name);
  const guard = prunePlan(
    namesWritten(before).filter((name) => written.has(name) || !(isAsked(name) || isWantedElse(before.documents.get(name), wanted))),
    [...written.keys()],
    prune === true,
  );
  for (const name of guard.held) written.set(name, before.documents.get(name) as PlacedDocument);
  return withPeople(before, { hash, documents: written, held: guard.held, why: guard.why }, lists, prune === true);
}

type Placed = Pick<PlacedDocument, 'document' | 'place' | 'digest'>;

/** Replaces a Package document for many servers by one document for each server, at the same place. */
function installationsOf(placed: readonly Placed[]): readonly Placed[] {
  const servers = placed.flatMap(({ document }) => (document.kind === 'Server' ? [document.metadata.name] : []));
  return placed.flatMap((one) =>
    inForceOf(one.document, servers).map((document) =>
      document === one.document ? one : { document, place: one.place, digest: digestOf(document) },
    ),
  );
}

function targetsOf(documents: Iterable<PlacedDocument>): ReadonlySet<string> {
  return new Set(
    [...documents].flatMap(({ document }) => (document.kind === 'Package' ? [targetOf((document as PackageDocument).spec)] : [])),
  );
}

/** Another document wants the same package at the same place: nothing is removed by this one's end. */
function isWantedElse(placed: PlacedDocument | undefined, wanted: ReadonlySet<string>): boolean {
  return placed?.document.kind === 'Package' && wanted.has(targetOf((placed.document as PackageDocument).spec));
}

/** The same documents of the folder, with people as the lists are now. The very same object when nothing changes. */
export function withLists(before: InForce, lists: PeopleLists): InForce {
  const documents = new Map([...before.documents].filter(([, { from }]) => from === undefined));
  const held = before.held.filter((name) => documents.has(name));
  const next = withPeople(before, { hash: before.hash, documents, held, why: before.why }, lists, false);
  return isSameState(before, next) ? before : next;
}

const namesWritten = ({ documents }: InForce): readonly string[] =>
  [...documents].flatMap(([name, { from }]) => (from === undefined ? [name] : []));

type Written = Pick<InForce, 'hash' | 'documents' | 'held' | 'why'>;

function withPeople(before: InForce, written: Written, lists: PeopleLists, prune: boolean): InForce {
  const hasLists = [...written.documents.values(), ...before.documents.values()].some(
    ({ document, from }) => from !== undefined || document.kind === 'People',
  );
  const made = hasLists ? derivePeople(written.documents, before.documents, before.leaving, lists, prune) : null;
  const documents = made === null ? written.documents : new Map([...written.documents, ...made.documents]);
  const removed = [...before.documents].filter(([name]) => !documents.has(name));
  const leaving = new Map(
    [...before.leaving, ...removed].filter(([name, { document }]) => !documents.has(name) && owners.has(document.kind)),
  );
  if (made === null) return { ...written, documents, leaving };
  const { leftOut, waiting } = made;
  return { ...written, documents, held: [...written.held, ...made.held], leaving, people: { leftOut, waiting } };
}

function isSameState(before: InForce, next: InForce): boolean {
  const told = ({ held, people }: InForce): string => JSON.stringify([held, [...(people?.leftOut ?? [])], [...(people?.waiting ?? [])]]);
  if (before.documents.size !== next.documents.size || told(before) !== told(next)) return false;
  return [...next.documents].every(([name, placed]) => before.documents.get(name) === placed);
}

/** A server whose document is written again is not lost. */
function comesBack(left: PlacedDocument | undefined): PlacedDocument | undefined {
  if (left?.isLost !== true) return left;
  const { isLost: _, ...placed } = left;
  return placed;
}

/** Rows to be written and names to be forgotten on the way from one state to the next. */
function changesOf(before: InForce, next: InForce): { readonly put: readonly InForceRow[]; readonly gone: readonly string[] } {
  const put: InForceRow[] = [];
  const add = (name: string, placed: PlacedDocument, leaving: boolean): void =>
    void put.push({ name, leaving, body: JSON.stringify(placed) });
  for (const [name, placed] of next.documents) if (before.documents.get(name) !== placed) add(name, placed, false);
  for (const [name, placed] of next.leaving) if (before.leaving.get(name) !== placed) add(name, placed, true);
  const stays = (name: string): boolean => next.documents.has(name) || next.leaving.has(name);
  return { put, gone: [...before.documents.keys(), ...before.leaving.keys()].filter((name) => !stays(name)) };
}

/** Our own writing in our own store: its shape is that of `remember`, by the migrations of the store. */
export function thaw(text: string | null, rows: readonly InForceRow[]): InForce {
  if (text === null) return nothing;
  const documents = new Map<string, PlacedDocument>();
  const leaving = new Map<string, PlacedDocument>();
  for (const row of rows) {
    const placed = JSON.parse(row.body) as PlacedDocument;
    // Written before there were digests.
    const digest = placed.digest ?? digestOf(placed.document);
    (row.leaving ? leaving : documents).set(row.name, { ...placed, digest });
  }
  return { ...(JSON.parse(text) as Pick<InForce, 'hash' | 'held' | 'why'>), documents, leaving };
}
