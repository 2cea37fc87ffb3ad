/**
 * The room that folders on the servers take, by person, app, version and engine. Each account measures its own folders. Bounded in time; a folder that was not
 * measured by then is unknown, and is never guessed. Decision: docs/decisions/0417-what-uses-the-disk.md
 */
import { isAppId } from '../../schema/app-id.ts';
import type { SpaceQuery, SpaceRow } from '../../schema/space.ts';
import { SvcError } from '../../schema/errors.ts';
import type { Entries, PersonEntry, ServerEntry } from '../entries.ts';
import type { Context } from '../context.ts';
import { limits } from '../limits.ts';
import { measure, type Asked, type Measured } from './folders.ts';

type Row = Omit<SpaceRow, 'isAtLeast' | 'note' | 'server'> & { readonly isWhole: boolean };

const ofPeople: readonly Asked[] = [
  { name: '.svc-apps', depth: 1 },
  { name: '.local/share/svc-apps', depth: 3 },
  { name: '.svc-jobs', depth: 0 },
  { name: '.cache/svc', depth: 0 },
];
/** Below `prefix`, without the slash. */
const ofServers: readonly Asked[] = [
  { name: 'opt/svc-apps', depth: 3 },
  { name: 'var/lib/svc-motores', depth: 2 },
  { name: 'var/lib/svc-apps', depth: 1 },
  { name: 'opt/svc', depth: 1 },
];

/** Rows of the servers; each comes as it is known. Never rejects. */
export async function spaceOnServers({ entries, options, ending }: Context, { person, app }: SpaceQuery): Promise<readonly SpaceRow[]> {
  const untilMs = options.clock.monotonicMs() + limits.spaceMsMax;
  const isLate = (): boolean => options.clock.monotonicMs() > untilMs || ending.aborted;
  const people = [...entries.people.values()].filter(({ name, server }) => (person === null || name === person) && !server.lost);
  const servers = person === null ? [...entries.servers.values()].filter(({ lost }) => !lost) : [];
  const works = [
    ...servers.map((server) => () => serverRows({ entries }, server, ending)),
    ...people.map((one) => () => personRows(one, ending)),
  ];
  const named = [
    ...servers.map((server) => ({ server, person: null })),
    ...people.map((one) => ({ server: one.server, person: one.name })),
  ];
  const rows: SpaceRow[][] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < works.length; at = next++) {
      const of = named[at] as (typeof named)[number];
      const unknown = (note: string): SpaceRow => ({
        what: 'other',
        name: of.person === null ? 'packages and engines' : 'their folders',
        app: null,
        person: of.person,
        server: of.server.name,
        bytes: null,
        isAtLeast: false,
        note,
      });
      rows[at] = isLate()
        ? [unknown('not looked at in time')]
        : [...(await (works[at] as () => Promise<readonly SpaceRow[]>)().catch((error: Error) => [unknown(error.message)]))];
    }
  };
  await Promise.all(Array.from({ length: limits.spaceAtOnce }, worker));
  return rows.flat().filter((row) => app === null || row.app === app || row.bytes === null);
}

async function personRows({ name: person, account, server }: PersonEntry, signal: AbortSignal): Promise<readonly SpaceRow[]> {
  const { home } = await server.host.place(account);
  const found = await measure((run) => server.host.run(account, run), home, ofPeople, signal);
  return told(
    server,
    found.flatMap((one) => {
      if (one.root === '.svc-apps') return parts(one, person, (at) => (isAppId(at) ? { what: 'app data', app: at, name: '' } : null));
      if (one.root === '.local/share/svc-apps') return parts(one, person, versionAt);
      return [
        {
          what: one.root === '.svc-jobs' ? 'job' : 'other',
          name: `~/${one.root}`,
          app: null,
          person,
          bytes: one.bytes,
          isWhole: one.isWhole,
        },
      ] as const;
    }),
  );
}

async function serverRows({ entries }: Pick<Context, 'entries'>, server: ServerEntry, signal: AbortSignal): Promise<readonly SpaceRow[]> {
  const { spec } = server.placed.document;
  const prefix = 'ssh' in spec ? (spec.ssh.prefix ?? '') : await prefixOf(entries, server);
  const found = await measure((run) => server.host.run(null, run), prefix === '' ? '/' : prefix, ofServers, signal);
  return told(
    server,
    found.flatMap((one) => {
      if (one.root === 'opt/svc-apps') return parts(one, null, versionAt);
      if (one.root === 'var/lib/svc-motores')
        return parts(one, null, (at) => (at.split('/').length === 2 ? { what: 'engine', app: null, name: at.replace('/', ' ') } : null));
      if (one.root === 'var/lib/svc-apps') return parts(one, null, (at) => (isAppId(at) ? { what: 'app data', app: at, name: '' } : null));
      return [{ what: 'kit', name: `/${one.root}`, app: null, person: null, bytes: one.bytes, isWhole: one.isWhole }] as const;
    }),
  );
}

/** Prefix of a local server, as the place of a person there reports it. Rejects NOT_FOUND where nobody is. */
async function prefixOf({ people }: Entries, server: ServerEntry): Promise<string> {
  const somebody = [...people.values()].find((person) => person.server === server);
  if (somebody === undefined) throw new SvcError('NOT_FOUND', 'nobody is there, so where its folders are is not known');
  return (await server.host.place(somebody.account)).prefix;
}

/** `.versions/<app>/<version>`. */
function versionAt(at: string): Pick<Row, 'what' | 'app' | 'name'> | null {
  const [folder, app = '', version = '', ...more] = at.split('/');
  return folder === '.versions' && isAppId(app) && version !== '' && more.length === 0 ? { what: 'app', app, name: version } : null;
}

/** Folders that are listed one by one, and the rest of the root in one row. */
function parts(
  { root, bytes, isWhole, below }: Measured,
  person: string | null,
  rowOf: (at: string) => Pick<Row, 'what' | 'app' | 'name'> | null,
): readonly Row[] {
  const rows = [...below].flatMap(([at, size]): readonly Row[] => {
    const row = rowOf(at);
    return row === null ? [] : [{ ...row, person, bytes: size, isWhole: true }];
  });
  const rest = bytes - rows.reduce((all, row) => all + (row.bytes ?? 0), 0);
  return rest <= 0 && isWhole
    ? rows
    : [...rows, { what: 'other', name: person === null ? `/${root}` : `~/${root}`, app: null, person, bytes: Math.max(0, rest), isWhole }];
}

const told = (server: ServerEntry, rows: readonly Row[]): readonly SpaceRow[] =>
  rows.map(({ isWhole, ...row }) => ({
    ...row,
    server: server.name,
    isAtLeast: !isWhole,
    note: isWhole ? null : 'its time was over, or something can not be read',
  }));
