/**
 * The portal credential of a backend: SVC_PORTAL_TOKEN as `Authorization: Bearer` (spec 5.3). It acts as its owner, in its own app. The
 * controller issues it at each start and ends it at the stop; the store holds its hash. Decision: docs/decisions/0098-portal-credential.md
 */
import type { PortalScope, RoomStore } from '../../store/rooms.ts';
import { SvcError } from '../../schema/errors.ts';
import type { AppsView, PeopleView } from '../../schema/gateway.ts';
import { isSecretShape, secretHash } from './secrets.ts';

/** A backend that asks: for whom, and as which app. */
export interface BackendCaller {
  readonly usuario: string;
  readonly app: string;
  /** Hash of the token: names the credential, opens nothing. */
  readonly credential: string;
}

export interface Credentials {
  /** Rejects UNAUTHENTICATED for what is no credential any more, and FORBIDDEN for one without the scope. */
  check(authorization: string, scope: PortalScope): Promise<BackendCaller>;
}

export function createCredentials(
  rooms: Pick<RoomStore, 'portalToken'>,
  people: Pick<PeopleView, 'find'>,
  apps: Pick<AppsView, 'manifest'>,
): Credentials {
  return {
    check: async (authorization, scope) => {
      const secret = /^Bearer ([\x21-\x7e]{1,256})$/i.exec(authorization)?.[1] ?? '';
      // Looked up by hash, so the time reveals nothing about existing tokens.
      const token = await rooms.portalToken(secretHash(secret));
      if (!token || !isSecretShape(secret) || !people.find(token.usuario) || !apps.manifest(token.usuario, token.app)) {
        throw new SvcError('UNAUTHENTICATED', 'SVC_PORTAL_TOKEN is unknown or has ended: it is good from the start of the app to its stop');
      }
      if (!token.scopes.includes(scope)) {
        const declared = scope === 'capacidades' ? 'requires or usa' : `recursos.${scope}`;
        throw new SvcError('FORBIDDEN', `${token.app} was started without the scope ${scope}: its manifest did not declare ${declared}`);
      }
      return { usuario: token.usuario, app: token.app, credential: token.tokenHash };
    },
  };
}
