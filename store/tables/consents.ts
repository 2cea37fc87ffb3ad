/** Consents of people to apps that use each other. Contract: store.ts. */
import { limits } from '../limits.ts';
import { everyRow, type Sql } from '../sql.ts';
import type { Store, StoredConsent } from '../store.ts';

type Part = Pick<Store, 'putConsent' | 'noteConsentAsked' | 'consents' | 'consent' | 'deleteConsent' | 'keepConsents'>;
type Row = { person: string; caller: string; provider: string; capability: string; id: string; answer: string; at_ms: number };

function consentOf(row: Row): StoredConsent {
  const { id, person: usuario, caller: de, provider: para, capability: capacidade, at_ms: atMs } = row;
  return { id, usuario, de, para, capacidade, resposta: row.answer as StoredConsent['resposta'], atMs };
}

export function openConsents(sql: Sql): Part {
  const insert = 'INSERT INTO consents VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (person, caller, provider, capability)';
  const put = sql.prepare(`${insert} DO UPDATE SET answer = excluded.answer, at_ms = excluded.at_ms RETURNING id`);
  const note = sql.prepare(`${insert} DO NOTHING`);
  const trim = sql.prepare(
    `DELETE FROM consents WHERE id IN (SELECT id FROM consents WHERE person = ? ORDER BY at_ms DESC, id DESC LIMIT ${everyRow} OFFSET ?)`,
  );
  const all = sql.prepare('SELECT * FROM consents WHERE person = ? ORDER BY at_ms DESC, id DESC');
  const one = sql.prepare('SELECT answer FROM consents WHERE person = ? AND caller = ? AND provider = ? AND capability = ?');
  const drop = sql.prepare('DELETE FROM consents WHERE person = ? AND id = ? RETURNING *');
  const valuesOf = ({ usuario, de, para, capacidade, id, atMs }: Omit<StoredConsent, 'resposta'>, resposta: StoredConsent['resposta']) =>
    [usuario, de, para, capacidade, id, resposta, atMs] as const;
  return {
    putConsent: (consent) =>
      sql.write(function* () {
        const row = yield* put.get<{ readonly id: string }>(...valuesOf(consent, consent.resposta));
        yield* trim.run(consent.usuario, limits.consentsPerPersonMax);
        return row?.id ?? consent.id;
      }),
    noteConsentAsked: (consent) =>
      sql.write(function* () {
        const isNew = (yield* note.run(...valuesOf(consent, 'pendente'))) === 1;
        if (isNew) yield* trim.run(consent.usuario, limits.consentsPerPersonMax);
        return isNew;
      }),
    consents: (usuario) =>
      sql.read(function* () {
        return (yield* all.all<Row>(usuario)).map(consentOf);
      }),
    consent: ({ usuario, de, para, capacidade }) =>
      sql.read(function* () {
        const row = yield* one.get<Pick<Row, 'answer'>>(usuario, de, para, capacidade);
        return row === undefined ? null : (row.answer as StoredConsent['resposta']);
      }),
    deleteConsent: (usuario, id) =>
      sql.write(function* () {
        const row = yield* drop.get<Row>(usuario, id);
        return row === undefined ? null : consentOf(row);
      }),
    keepConsents: (usuario, apps) =>
      sql.write(function* () {
        for (const { id, caller, provider } of yield* all.all<Row>(usuario))
          if (!apps.has(caller) || !apps.has(provider)) yield* drop.run(usuario, id);
      }),
  };
}
