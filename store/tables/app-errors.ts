/** Errors that apps reported. Contract: store.ts. */
import { limits } from '../limits.ts';
import { done, everyRow, type Sql } from '../sql.ts';
import type { Store, StoredAppError } from '../store.ts';

type Part = Pick<Store, 'addAppErrors' | 'appErrors' | 'deleteAppErrorsOf'>;

export function openAppErrors(sql: Sql): Part {
  const add = sql.prepare(
    `INSERT INTO app_errors (person, app, id, type, message, stack, release, origin, n, first_ms, last_ms)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10)
       ON CONFLICT (person, app, id) DO UPDATE SET message = excluded.message, stack = excluded.stack, release = excluded.release,
         origin = excluded.origin, n = app_errors.n + excluded.n,
         last_ms = CASE WHEN app_errors.last_ms > excluded.last_ms THEN app_errors.last_ms ELSE excluded.last_ms END
       RETURNING n`,
  );
  const trim = sql.prepare(
    `DELETE FROM app_errors WHERE person = ?1 AND app = ?2 AND id IN
       (SELECT id FROM app_errors WHERE person = ?1 AND app = ?2 ORDER BY last_ms DESC, id LIMIT ${everyRow} OFFSET ?3)`,
  );
  const of = sql.prepare(
    `SELECT person AS "usuario", app, id, type AS "tipo", message AS "mensagem", stack AS "pilha", release AS "versao", origin AS "de", n,
       first_ms AS "primeiroEm", last_ms AS "ultimoEm" FROM app_errors WHERE person = ? AND app = ? ORDER BY last_ms DESC, id`,
  );
  const drop = sql.prepare('DELETE FROM app_errors WHERE person = ?');
  return {
    addAppErrors: (errors) =>
      sql.write(function* () {
        const totals: number[] = [];
        for (const { usuario, app, id, tipo, mensagem, pilha, versao, de, n, atMs } of errors) {
          const row = yield* add.get<{ readonly n: number }>(usuario, app, id, tipo, mensagem, pilha, versao, de, n, atMs);
          if (row?.n === n) yield* trim.run(usuario, app, limits.appErrorsPerAppMax);
          totals.push(row?.n ?? n);
        }
        return totals;
      }),
    appErrors: (usuario, app) => sql.read(() => of.all<StoredAppError>(usuario, app)),
    deleteAppErrorsOf: (usuario) => sql.write(() => done(drop.run(usuario))),
  };
}
