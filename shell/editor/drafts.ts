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

type Open = <T>(act: (db: IDBPDatabase<Shelf>) => Promise<T>) => Promise<T>;

const inShelf: Open = (act) =>
  inDatabase('svc.editor', (fresh) => void fresh.createObjectStore('rascunhos', { keyPath: ['usuario', 'caminho'] }), act);

/**
 * A browser that stores nothing, or does not answer, goes without: all of it rejects then. A draft that could not be read when it was asked for is
 * neither written over nor dropped: nobody has seen it.
 */
export function createDrafts(usuario: string, nowMs: () => number, open = inShelf): Drafts {
  const unread = new Set<string>();
  const found = async (db: IDBPDatabase<Shelf>, caminho: string): Promise<Draft | null> => {
    const draft = await db.get('rascunhos', [usuario, caminho]);
    return draft === undefined || nowMs() - draft.quandoMs > limits.editorDraftMs ? null : draft;
  };
  return {
    find: async (caminho) => {
      unread.add(caminho);
      const draft = await open(async (db) => await found(db, caminho));
      unread.delete(caminho);
      return draft;
    },
    keep: (caminho, draft) =>
      open(async (db) => {
        if (unread.has(caminho) && (await found(db, caminho)) !== null) throw new Error('a draft that was not shown is there');
        unread.delete(caminho);
        await db.put('rascunhos', { usuario, caminho, ...draft, quandoMs: nowMs() });
        const all = (await db.getAll('rascunhos')).toSorted((left, right) => right.quandoMs - left.quandoMs);
        const own = all.filter((each) => each.usuario === usuario);
        const old = all.filter(({ quandoMs }) => nowMs() - quandoMs > limits.editorDraftMs);
        for (const each of [...own.slice(limits.editorDraftsMax), ...old]) await db.delete('rascunhos', [each.usuario, each.caminho]);
      }),
    drop: async (caminho) => {
      if (!unread.has(caminho)) await open(async (db) => await db.delete('rascunhos', [usuario, caminho]));
    },
  };
}
