/** Errors that apps reported, in the embedded store. Contract: store.ts. */
import type { DatabaseSync } from 'node:sqlite';
import { limits } from './limits.ts';
import type { Store, StoredAppError } from './store.ts';
import type { TurnWriter } from './turn-writer.ts';

type Part = Pick<Store, 'addAppError' | 'appErrors' | 'deleteAppErrorsOf'>;

export function openAppErrors(database: DatabaseSync, writer: TurnWriter): Part {
  const add = database.prepare(
    `INSERT INTO app_errors (person, app, id, type, message, stack, release, origin, n, first_ms, last_ms)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10)
       ON CONFLICT (person, app, id) DO UPDATE SET message = excluded.message, stack = excluded.stack, release = excluded.release,
         origin = excluded.origin, n = n + excluded.n, last_ms = max(last_ms, excluded.last_ms)
       RETURNING n`,
  );
  const trim = database.prepare(
    `DELETE FROM app_errors WHERE person = ?1 AND app = ?2 AND id IN
       (SELECT id FROM app_errors WHERE person = ?1 AND app = ?2 ORDER BY last_ms DESC, id LIMIT -1 OFFSET ?3)`,
  );
  const of = database.prepare(
    `SELECT person AS usuario, app, id, type AS tipo, message AS mensagem, stack AS pilha, release AS versao, origin AS de, n,
       first_ms AS primeiroEm, last_ms AS ultimoEm FROM app_errors WHERE person = ? AND app = ? ORDER BY last_ms DESC, id`,
  );
  const drop = database.prepare('DELETE FROM app_errors WHERE person = ?');
  return {
    addAppError: ({ usuario, app, id, tipo, mensagem, pilha, versao, de, n, atMs }) =>
      writer.write(() => {
        const row = add.get(usuario, app, id, tipo, mensagem, pilha, versao, de, n, atMs) as { readonly n: number };
        if (row.n === n) trim.run(usuario, app, limits.appErrorsPerAppMax);
        return row.n;
      }),
    appErrors: async (usuario, app) => {
      writer.flush();
      return of.all(usuario, app) as unknown as readonly StoredAppError[];
    },
    deleteAppErrorsOf: (usuario) => writer.write(() => void drop.run(usuario)),
  };
}
