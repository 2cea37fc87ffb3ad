/** Counts and deletes the rows of one person, table by table. Contract: store.ts. */
import { amountsName } from '../../schema/cluster-form.ts';
import { prefixEnd, type Act, type Sql, type Statement, type Value } from '../sql.ts';
import type { Store } from '../store.ts';

/** How much there is, by what it is; in one number whatever a table is called. */
interface Table {
  readonly what: string;
  readonly from: string;
  /** Values of the places, in order. Absent: the person alone. */
  readonly values?: (person: string) => readonly Value[];
  /** True: deleted without being counted. */
  readonly isHidden?: true;
  /** False: counted, and somebody else's to end. */
  readonly ends?: false;
}

const under = (kind: string, person: string): readonly string[] => [`${kind}/${person}/`, `${kind}/${person}/${prefixEnd}`];
/** Keys of the objects whose names hold the person. */
const objects = (person: string): readonly string[] => [
  `Person/${person}`,
  `Supervisor/${person}`,
  ...under('Backend', person),
  ...under('Package', person),
];
const byKey = '(key IN (?1, ?2) OR (key >= ?3 AND key < ?4) OR (key >= ?5 AND key < ?6))';

/** The places of the portal that name a person. */
const tables: readonly Table[] = [
  { what: 'sessions', from: 'sessions WHERE person = ?1' },
  { what: 'one-time links', from: 'passes WHERE person = ?1' },
  { what: 'passkeys', from: 'passkeys WHERE person = ?1' },
  { what: 'rooms that they own', from: 'rooms WHERE owner = ?1', ends: false },
  { what: 'roles in rooms of others', from: 'room_people WHERE name = ?1' },
  { what: 'notices', from: 'notices WHERE person = ?1' },
  { what: 'notices to others that name them', from: 'notices WHERE by_whom = ?1 AND person <> ?1' },
  { what: 'notices that came once', from: 'notice_anchors WHERE person = ?1' },
  { what: 'credentials of apps', from: 'portal_tokens WHERE person = ?1' },
  { what: 'preferences', from: 'preferences WHERE person = ?1' },
  { what: 'consents', from: 'consents WHERE person = ?1' },
  { what: 'errors of apps', from: 'app_errors WHERE person = ?1' },
  { what: 'jobs', from: 'jobs WHERE person = ?1', ends: false },
  { what: 'inputs of jobs', from: 'job_inputs WHERE person = ?1', ends: false },
  { what: 'keys of jobs', from: 'job_keys WHERE person = ?1', ends: false },
  { what: 'wishes of apps', from: 'intents WHERE person = ?1' },
  { what: 'wishes of packages', from: 'install_wishes WHERE person = ?1' },
  { what: 'held versions', from: 'rollbacks WHERE key >= ?1 AND key < ?2', values: (person) => under('Package', person) },
  { what: 'windows', from: 'windows WHERE person = ?1' },
  { what: 'states of objects', from: `statuses WHERE ${byKey}`, values: objects },
  { what: 'events of objects', from: `events WHERE ${byKey}`, values: objects },
  {
    what: 'notes',
    from: 'named_values WHERE name IN (?1, ?2, ?3, ?4, ?5) AND value <> ?6',
    values: (person) => [
      `presence/${person}`,
      `oidc/person/${person}`,
      `preferencias-danificadas/${person}`,
      `move/${person}`,
      amountsName(person),
      '',
    ],
  },
  {
    // Values that were emptied keep their names, which hold the person's.
    what: '',
    isHidden: true,
    from: 'named_values WHERE name IN (?1, ?2, ?3, ?4, ?5, ?6) AND value = ?7',
    values: (person) => [
      `presence/${person}`,
      `oidc/person/${person}`,
      `preferencias-danificadas/${person}`,
      `move/${person}`,
      `erasure/${person}`,
      amountsName(person),
      '',
    ],
  },
  {
    what: 'identities of a provider',
    from: 'named_values WHERE name >= ?1 AND name < ?2 AND value = ?3',
    values: (person) => ['oidc/subject/', `oidc/subject/${prefixEnd}`, person],
  },
];

export function openPersonal(sql: Sql): Pick<Store, 'personal' | 'endPersonal'> {
  const asked = tables.map(({ what, from, values = (person: string) => [person], ends = true, isHidden = false }) => ({
    what,
    isHidden,
    values,
    count: sql.prepare(`SELECT count(*) AS n FROM ${from}`),
    end: ends ? sql.prepare(`DELETE FROM ${from}`) : null,
  }));
  return {
    personal: (person) =>
      sql.read(function* () {
        const found: { readonly what: string; readonly count: number }[] = [];
        for (const { what, values, count, isHidden } of asked) {
          if (isHidden) continue;
          const number = yield* countOf(count, values(person));
          if (number > 0) found.push({ what, count: number });
        }
        return found;
      }),
    endPersonal: (person) =>
      sql.write(function* () {
        for (const { values, end } of asked) if (end !== null) yield* end.run(...values(person));
      }),
  };
}

function* countOf(count: Statement, values: readonly Value[]): Act<number> {
  const row = yield* count.get<{ readonly n: number | string }>(...values);
  // PostgreSQL counts in numbers that are larger than ours.
  return Number(row?.n ?? 0);
}
