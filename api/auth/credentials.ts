/**
 * The portal credential of a backend: SVC_PORTAL_TOKEN as `Authorization: Bearer` (rules 5). The credential of a person's backend acts as its owner,
 * in its own app. The credential of a server-scope app belongs to the app on its server: it acts as a person only beside the mandate of one who asks
 * it (mandates.ts), and else as the app itself, for what is nobody's but the app's. The controller issues it at each start and ends it at the stop;
 * the store holds its hash. Decisions: docs/decisions/0098-portal-credential.md, 0203-server-scope-credential.md
 */
import type { IncomingHttpHeaders } from 'node:http';
import { ownerOnServer, serverOfOwner, type PortalScope, type RoomStore, type StoredPortalToken } from '../../store/rooms.ts';
import { SvcError } from '../../schema/errors.ts';
import type { AppsView, PeopleView } from '../../schema/gateway.ts';
import type { Mandates } from './mandates.ts';
import { isSecretShape, secretHash } from './secrets.ts';
import type { Sessions } from './sessions.ts';

/** A backend that asks: as which app, and for whom. */
export interface BackendCaller {
  /** Null: a server-scope app that asks for itself. */
  readonly usuario: string | null;
  readonly app: string;
  /** The owner of new things: the person, or the app on its server (`ownerOnServer`). */
  readonly owner: string;
  /** Hash of the token: names the credential, opens nothing. */
  readonly credential: string;
  /** Portal session of the person for whom a server-scope app speaks: what it does for them ends with it. Null: of nobody's. */
  readonly session: string | null;
}

export type PersonCaller = BackendCaller & { readonly usuario: string };

/** Scopes that only people have: rooms and people, and apps that answer them with their consent. */
export type PersonScope = 'salas' | 'capacidades';

type Shown = Pick<IncomingHttpHeaders, 'authorization'> & Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Credentials {
  /**
   * Rejects UNAUTHENTICATED for what is no credential any more or no mandate any more, FORBIDDEN for a credential without the scope, and
   * PERSON_NEEDED for a server-scope app that says for no person.
   */
  check(headers: Shown, scope: PersonScope): Promise<PersonCaller>;
  /** The same for what an app may also do for itself: then `usuario` is null. */
  checkApp(headers: Shown, scope: Exclude<PortalScope, PersonScope>): Promise<BackendCaller>;
}

export interface CredentialDeps {
  readonly rooms: Pick<RoomStore, 'portalToken'>;
  readonly people: Pick<PeopleView, 'find'>;
  readonly apps: Pick<AppsView, 'manifest'>;
  readonly mandates: Pick<Mandates, 'find'>;
  readonly sessions: Pick<Sessions, 'alive'>;
}

export function createCredentials(deps: CredentialDeps): Credentials {
  const checkApp = async (headers: Shown, scope: PortalScope): Promise<BackendCaller> => {
    const secret = /^Bearer ([\x21-\x7e]{1,256})$/i.exec(headers.authorization ?? '')?.[1] ?? '';
    // Looked up by hash, so the time reveals nothing about existing tokens.
    const token = await deps.rooms.portalToken(secretHash(secret));
    if (!token || !isSecretShape(secret)) throw ended('SVC_PORTAL_TOKEN');
    const server = serverOfOwner(token.usuario);
    const mandate = headers['x-svc-em-nome'];
    const caller = server === null ? ofPerson(deps, token, mandate) : await ofServer(deps, token, server, mandate);
    if (!token.scopes.includes(scope)) {
      const declared = scope === 'capacidades' ? 'requires or usa' : `recursos.${scope}`;
      throw new SvcError('FORBIDDEN', `${token.app} was started without the scope ${scope}: its manifest did not declare ${declared}`);
    }
    return caller;
  };
  return {
    checkApp,
    check: async (headers, scope) => {
      const { usuario, ...caller } = await checkApp(headers, scope);
      if (usuario !== null) return { ...caller, usuario };
      throw new SvcError(
        'PERSON_NEEDED',
        `${caller.app} serves everybody on its server: it says for whom it asks, with the X-Svc-Em-Nome of their request`,
      );
    },
  };
}

const ended = (what: string): SvcError =>
  new SvcError('UNAUTHENTICATED', `${what} is unknown or has ended: it is good from the start of the app to its stop`);

function ofPerson({ people, apps }: CredentialDeps, { usuario, app, tokenHash }: StoredPortalToken, mandate: unknown): BackendCaller {
  if (!people.find(usuario) || !apps.manifest(usuario, app)) throw ended('SVC_PORTAL_TOKEN');
  // Whatever it got hold of, it is one person's.
  if (mandate !== undefined) throw new SvcError('FORBIDDEN', 'X-Svc-Em-Nome: the backend of a person speaks for that person alone');
  return { usuario, app, owner: usuario, credential: tokenHash, session: null };
}

/** The person has to be one of that server, signed in, and to have the app from there. */
async function ofServer(
  { people, apps, mandates, sessions }: CredentialDeps,
  { app, tokenHash }: StoredPortalToken,
  server: string,
  mandate: unknown,
): Promise<BackendCaller> {
  if (mandate === undefined) return { usuario: null, app, owner: ownerOnServer(server), credential: tokenHash, session: null };
  const asking = typeof mandate === 'string' ? mandates.find(mandate, app) : null;
  const isTheirs =
    asking !== null &&
    people.find(asking.person)?.servidor === server &&
    apps.manifest(asking.person, app)?.escopo === 'servidor' &&
    (await sessions.alive(asking.session));
  if (!isTheirs)
    throw new SvcError('UNAUTHENTICATED', 'X-Svc-Em-Nome is unknown or has ended: the next request of the person brings another');
  return { usuario: asking.person, app, owner: asking.person, credential: tokenHash, session: asking.session };
}
