/** `svc du`: the room that folders on the servers, rooms and jobs take. Folders of the portal's own machine are measured by the command. */
import type { FastifyInstance } from 'fastify';
import type { Store } from '../../store/store.ts';
import type { AdminCommands, PeopleView } from '../../schema/gateway.ts';
import { SvcError } from '../../schema/errors.ts';
import type { BackupStanding } from '../../schema/backups.ts';
import type { SpaceQuery, SpaceRow } from '../../schema/space.ts';
import { limits } from '../limits.ts';
import { serve } from '../http/serve.ts';

interface SpaceRouteDeps {
  readonly people: PeopleView;
  readonly commands: Pick<AdminCommands, 'space'>;
  readonly store: Pick<Store, 'rooms' | 'jobs'>;
  readonly backups?: (() => BackupStanding | null) | undefined;
  /** Bytes of the documents of a room in the log. */
  readonly roomSize?: ((id: string) => Promise<number>) | undefined;
}

export function addSpaceRoute(app: FastifyInstance, deps: SpaceRouteDeps): void {
  serve(app, 'GET /api/admin/space', async ({ query }) => {
    const asked: SpaceQuery = { person: query.person ?? null, app: query.app ?? null };
    if (asked.person !== null && deps.people.find(asked.person) === null) throw new SvcError('NOT_FOUND', `no person ${asked.person}`);
    const [onServers, rooms, jobs] = await Promise.all([deps.commands.space(asked), roomRows(deps, asked), jobRows(deps, asked)]);
    return { rows: [...onServers, ...rooms, ...jobs], backups: deps.backups?.()?.to ?? null };
  });
}

const known = { server: null, isAtLeast: false, note: null } as const;

async function roomRows({ people, store: { rooms }, roomSize }: SpaceRouteDeps, { person, app }: SpaceQuery): Promise<readonly SpaceRow[]> {
  // Rooms without an owner have '' in its place.
  const owners = person === null ? ['', ...people.all().map(({ usuario }) => usuario)] : [person];
  const rows: SpaceRow[] = [];
  for (const owner of owners) {
    for (const id of await rooms.ownedRooms(owner)) {
      const room = await rooms.room(id);
      if (room === null || (app !== null && room.app !== app)) continue;
      const of = { what: 'room', name: room.nome, app: room.app, person: owner === '' ? null : owner } as const;
      if (rows.length >= limits.spaceRoomsMax)
        return [...rows, { ...known, ...of, name: 'further rooms', bytes: null, note: 'not counted' }];
      const attachments = await rooms.attachmentBytes(id);
      const log = (await roomSize?.(id).catch(() => null)) ?? null;
      rows.push({
        ...known,
        ...of,
        bytes: attachments + (log ?? 0),
        ...(log === null ? { isAtLeast: true, note: 'its documents can not be read' } : {}),
      });
    }
  }
  return rows;
}

/** Inputs, logs and outputs of each person; a job alone has no bytes of its own where two share an input. */
async function jobRows({ people, store: { jobs } }: SpaceRouteDeps, { person, app }: SpaceQuery): Promise<readonly SpaceRow[]> {
  if (app !== null) return [];
  const names = person === null ? people.all().map(({ usuario }) => usuario) : [person];
  const rows: SpaceRow[] = [];
  for (const name of names) {
    const bytes = await jobs.jobSpace(name);
    if (bytes > 0) rows.push({ ...known, what: 'job', name: 'inputs, logs and outputs', app: null, person: name, bytes });
  }
  return rows;
}
