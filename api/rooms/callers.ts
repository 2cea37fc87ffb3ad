/** Identifies the caller for rooms: a page of the shell for the app of a window, or a backend (rules 5). */
import type { FastifyRequest } from 'fastify';
import type { Who } from '../../store/rooms.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits } from './limits.ts';
import type { PeopleView } from '../../schema/gateway.ts';
import { sessionOf } from '../portal/shell.ts';

export interface RoomCaller extends Who {
  /** Null: the shell itself (share dialog), which shows rooms of any app. The bridge always says for which app it asks. */
  readonly app: string | null;
  readonly por: 'pagina' | 'backend';
  /** Session of a page, or of the person for whom a server-scope app asks. */
  readonly session: string | null;
  /** Credential of a backend. */
  readonly credential: string | null;
}

/** Every way to say that there is no such room: also when there is, and it is another app's, or the person isn't in it (rules 2.4). */
export function noSuchRoom(): SvcError {
  return new SvcError('NOT_FOUND', 'there is no such room');
}

/** `apps`: what the query and the body say. A backend that names another app than its own asks for rooms that don't exist for it. */
export function roomCaller(
  request: FastifyRequest,
  people: Pick<PeopleView, 'find'>,
  ...apps: readonly (string | undefined)[]
): RoomCaller {
  const named = [...new Set(apps.filter((app) => app !== undefined))];
  const { backend } = request;
  if (backend) {
    if (named.some((app) => app !== backend.app)) throw noSuchRoom();
    const { usuario, app, credential, session } = backend;
    return { usuario, grupos: groupsOf(people, usuario), app, por: 'backend', session, credential };
  }
  const { person, root } = sessionOf(request);
  if (named.length > 1) throw noSuchRoom();
  return { usuario: person, grupos: groupsOf(people, person), app: named[0] ?? null, por: 'pagina', session: root, credential: null };
}

/** Where only rooms of one app make sense. */
export function appOf({ app }: RoomCaller): string {
  if (app === null) throw new SvcError('BAD_REQUEST', 'app: expected the id of the app whose rooms these are, as ?app=<id>');
  return app;
}

function groupsOf(people: Pick<PeopleView, 'find'>, usuario: string): readonly string[] {
  return people.find(usuario)?.grupos ?? [];
}

export function spaceUsed(): SvcError {
  const bytesMax = limits.roomDiskPerPersonBytesMax;
  return new SvcError(
    'SPACE_USED',
    `the rooms of one person hold at most ${bytesMax} bytes on the disk of the portal, and no more than it has left`,
    {
      bytesMax,
    },
  );
}
