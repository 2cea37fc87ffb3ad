/** The part of the embedded store that holds what people said to apps that use each other. Contract: store.ts. */
import type { DatabaseSync } from 'node:sqlite';
import { limits } from './limits.ts';
import type { Store, StoredConsent } from './store.ts';
import type { TurnWriter } from './turn-writer.ts';

type Part = Pick<Store, 'putConsent' | 'noteConsentAsked' | 'consents' | 'consent' | 'deleteConsent' | 'keepConsents'>;
type Row = { person: string; caller: string; provider: string; capability: string; id: string; answer: string; at_ms: number };

function consentOf(row: Row): StoredConsent {
  const { id, person: usuario, caller: de, provider: para, capability: capacidade, at_ms: atMs } = row;
  return { id, usuario, de, para, capacidade, resposta: row.answer as StoredConsent['resposta'], atMs };
}

export function openConsents(database: DatabaseSync, writer: TurnWriter): Part {
  const insert = 'INSERT INTO consents VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (person, caller, provider, capability)';
  const put = database.prepare(`${insert} DO UPDATE SET answer = excluded.answer, at_ms = excluded.at_ms RETURNING id`);
  const note = database.prepare(`${insert} DO NOTHING`);
  const trim = database.prepare(
    'DELETE FROM consents WHERE id IN (SELECT id FROM consents WHERE person = ? ORDER BY at_ms DESC, id DESC LIMIT -1 OFFSET ?)',
  );
  const all = database.prepare('SELECT * FROM consents WHERE person = ? ORDER BY at_ms DESC, id DESC');
  const one = database.prepare('SELECT answer FROM consents WHERE person = ? AND caller = ? AND provider = ? AND capability = ?');
  const drop = database.prepare('DELETE FROM consents WHERE person = ? AND id = ? RETURNING *');
  const valuesOf = ({ usuario, de, para, capacidade, id, atMs }: Omit<StoredConsent, 'resposta'>, resposta: StoredConsent['resposta']) =>
    [usuario, de, para, capacidade, id, resposta, atMs] as const;
  return {
    putConsent: (consent) =>
      writer.write(() => {
        const { id } = put.get(...valuesOf(consent, consent.resposta)) as { id: string };
        trim.run(consent.usuario, limits.consentsPerPersonMax);
        return id;
      }),
    noteConsentAsked: (consent) =>
      writer.write(() => {
        const isNew = note.run(...valuesOf(consent, 'pendente')).changes === 1;
        if (isNew) trim.run(consent.usuario, limits.consentsPerPersonMax);
        return isNew;
      }),
    consents: async (usuario) => {
      writer.flush();
      return (all.all(usuario) as Row[]).map(consentOf);
    },
    consent: async ({ usuario, de, para, capacidade }) => {
      writer.flush();
      const row = one.get(usuario, de, para, capacidade) as Pick<Row, 'answer'> | undefined;
      return row === undefined ? null : (row.answer as StoredConsent['resposta']);
    },
    deleteConsent: (usuario, id) =>
      writer.write(() => {
        const row = drop.get(usuario, id) as Row | undefined;
        return row === undefined ? null : consentOf(row);
      }),
    keepConsents: (usuario, apps) =>
      writer.write(() => {
        for (const { id, caller, provider } of all.all(usuario) as Row[])
          if (!apps.has(caller) || !apps.has(provider)) drop.get(usuario, id);
      }),
  };
}
