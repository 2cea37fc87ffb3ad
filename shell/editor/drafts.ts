/** Texts that are not saved yet, kept in this browser: a page that is loaded again has them. Decision: docs/decisions/0217-the-text-editor.md */
import type { DBSchema, IDBPDatabase } from 'idb';
import { inDatabase } from '../state/database.ts';
import type { TextFormat } from '../opening/encoding.ts';
import { limits } from './limits.ts';

export interface Draft {
  readonly usuario: string;
  readonly caminho: string;
  readonly texto: string;
  readonly formato: TextFormat;
  /** ETag of the file that was changed. */
  readonly etag: string;
  readonly quandoMs: number;
}

interface Shelf extends DBSchema {
  rascunhos: { key: [string, string]; value: Draft };
}

export interface Drafts {
  find(caminho: string): Promise<Draft | null>;
  keep(caminho: string, draft: Pick<Draft, 'texto' | 'formato' | 'etag'>): Promise<void>;
  drop(caminho: string): Promise<void>;
}

/** A browser that stores nothing, or does not answer, goes without: all of it rejects then. */
export function createDrafts(usuario: string, nowMs: () => number): Drafts {
  const open = <T>(act: (db: IDBPDatabase<Shelf>) => Promise<T>): Promise<T> =>
    inDatabase<Shelf, T>('svc.editor', (fresh) => void fresh.createObjectStore('rascunhos', { keyPath: ['usuario', 'caminho'] }), act);
  return {
    find: (caminho) =>
      open(async (db) => {
        const draft = await db.get('rascunhos', [usuario, caminho]);
        return draft === undefined || nowMs() - draft.quandoMs > limits.editorDraftMs ? null : draft;
      }),
    keep: (caminho, draft) =>
      open(async (db) => {
        await db.put('rascunhos', { usuario, caminho, ...draft, quandoMs: nowMs() });
        const all = (await db.getAll('rascunhos')).toSorted((left, right) => right.quandoMs - left.quandoMs);
        const own = all.filter((each) => each.usuario === usuario);
        const old = all.filter(({ quandoMs }) => nowMs() - quandoMs > limits.editorDraftMs);
        for (const each of [...own.slice(limits.editorDraftsMax), ...old]) await db.delete('rascunhos', [each.usuario, each.caminho]);
      }),
    drop: (caminho) => open(async (db) => await db.delete('rascunhos', [usuario, caminho])),
  };
}
