/**
 * Which documents are in force (design 4): the folder when it is right, the last good state when it is not, and for what was
 * removed the guard's word. Remembered in the store, so that a restart with a broken folder changes nothing either.
 * Decision: docs/decisions/0033-what-is-in-force.md
 */
import type { DesiredDocument, Place } from '../../schema/desired/documents.ts';
import { prunePlan } from '../../reconcilers/prune.ts';
import { faultPoint } from '../faults.ts';
import type { Store } from '../store/store.ts';
import { folderMark, readFolder, type FolderAnswer } from './read-folder.ts';

export interface PlacedDocument {
  readonly document: DesiredDocument;
  readonly place: Place;
  /** Grows by one whenever the content changes. */
  readonly generation: number;
}

export interface InForce {
  /** Hash of the folder that was taken last; '' before the first. */
  readonly hash: string;
  /** By name, e.g. `Backend/ana-notas`; what the guard holds back stays among them. */
  readonly documents: ReadonlyMap<string, PlacedDocument>;
  /** Names that are gone from the folder and wait for `--prune`. */
  readonly held: readonly string[];
  readonly why: string | null;
  /** Removed and not yet taken away from the world. */
  readonly leaving: ReadonlyMap<string, PlacedDocument>;
}

export interface DesiredSource {
  current(): InForce;
  /** Errors of the folder as it stands now; [] when it is the one in force. */
  errors(): readonly string[];
  warnings(): readonly string[];
  /** Reads the folder. True when what is in force, or its errors, changed. */
  reread(prune: boolean): Promise<boolean>;
  /** What would be in force: for `svc plan`. */
  preview(dir: string, prune: boolean): Promise<{ readonly inForce: InForce; readonly errors: readonly string[] }>;
  /** What a removed document owned is gone. */
  finishLeaving(name: string): Promise<void>;
}

const valueName = 'desired/in-force';
const nothing: InForce = { hash: '', documents: new Map(), held: [], why: null, leaving: new Map() };

export async function openDesiredSource(dir: string, store: Store): Promise<DesiredSource> {
  let inForce = thaw(await store.value(valueName));
  let errors: readonly string[] = [];
  let warnings: readonly string[] = [];
  let mark: string | null = null;

  const remember = async (next: InForce): Promise<void> => {
    faultPoint('desired/before-remember');
    // One turn, one transaction: the names never disagree with the documents.
    await Promise.all([store.putValue(valueName, freeze(next)), store.putApplied([...next.documents.keys()])]);
    faultPoint('desired/after-remember');
  };
  return {
    current: () => inForce,
    errors: () => errors,
    warnings: () => warnings,
    reread: async (prune) => {
      // Taken before the reading: a write in between makes the next look read again.
      const now = await folderMark(dir);
      if (now === mark && !prune) return false;
      mark = now;
      const answer = await readFolder(dir);
      const before = errors.join('\n');
      errors = answer.ok ? [] : answer.errors;
      warnings = answer.ok ? answer.warnings : [];
      const next = answer.ok ? take(inForce, answer, prune) : inForce;
      const changed = next !== inForce;
      if (changed) {
        try {
          await remember(next);
        } catch (error) {
          // The store is full or away: the next look must take the folder again, not find it unchanged.
          mark = null;
          throw error;
        }
        inForce = next;
      }
      return changed || before !== errors.join('\n');
    },
    preview: async (from, prune) => {
      const answer = await readFolder(from);
      return answer.ok ? { inForce: take(inForce, answer, prune), errors: [] } : { inForce, errors: answer.errors };
    },
    finishLeaving: async (name) => {
      if (!inForce.leaving.has(name)) return;
      const leaving = new Map(inForce.leaving);
      leaving.delete(name);
      inForce = { ...inForce, leaving };
      await remember(inForce);
    },
  };
}

/** The next state in force; the very same object when nothing changes. */
function take(before: InForce, answer: Extract<FolderAnswer, { readonly ok: true }>, prune: boolean): InForce {
  const { hash, documents: placed } = answer.state;
  if (hash === before.hash && !(prune && before.held.length > 0)) return before;
  const next = new Map<string, PlacedDocument>();
  for (const { document, place } of placed) {
    const name = nameOf(document);
    const known = before.documents.get(name) ?? before.leaving.get(name);
    const same = known !== undefined && JSON.stringify(known.document) === JSON.stringify(document);
    // An unchanged document stays the same object: the loop skips what it owns without another look.
    next.set(name, same ? known : { document, place, generation: (known?.generation ?? 0) + 1 });
  }
  const guard = prunePlan([...before.documents.keys()], [...next.keys()], prune);
  const leaving = new Map([...before.leaving].filter(([name]) => !next.has(name)));
  for (const name of guard.removed) leaving.set(name, before.documents.get(name) as PlacedDocument);
  for (const name of guard.held) next.set(name, before.documents.get(name) as PlacedDocument);
  return { hash, documents: next, held: guard.held, why: guard.why, leaving };
}

export function nameOf(document: DesiredDocument): string {
  return `${document.kind}/${document.metadata.name}`;
}

function freeze(inForce: InForce): string {
  return JSON.stringify({ ...inForce, documents: [...inForce.documents.values()], leaving: [...inForce.leaving.values()] });
}

/** Our own writing in our own store: its shape is that of `freeze`, by the migrations of the store. */
function thaw(text: string | null): InForce {
  if (text === null) return nothing;
  const kept = JSON.parse(text) as Omit<InForce, 'documents' | 'leaving'> & { documents: PlacedDocument[]; leaving: PlacedDocument[] };
  const byName = (list: readonly PlacedDocument[]) => new Map(list.map((placed) => [nameOf(placed.document), placed]));
  return { ...kept, documents: byName(kept.documents), leaving: byName(kept.leaving) };
}
