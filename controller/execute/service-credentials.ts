/**
 * Portal credentials of server-scope apps, as the store has them: each belongs to an app on its server. The files that their units read at
 * start are written by service-acts.ts. Decision: docs/decisions/0203-server-scope-credential.md
 */
import type { Clock } from '../../schema/clock.ts';
import type { ServerDocument } from '../../schema/desired/documents.ts';
import { ownerOnServer, serverOfOwner, type PortalScope, type RoomStore } from '../../store/rooms.ts';
import type { Entries, ServiceEntry } from '../entries.ts';
import { portalScopesOf } from './portal-scopes.ts';

type Variables = Readonly<Record<string, string>>;
/** The token says nothing to who holds it: the SDK answers `disponivel()` by the scopes (docs/app-authors.md). */
export type NewVariables = (
  server: ServerDocument,
  scopes: readonly PortalScope[],
) => Promise<{ readonly variables: Variables; readonly tokenHash: string }>;

export interface ServiceCredentials {
  /** Scopes of the credential with that hash, if it is one of this app on its server and in force; null: it is not. */
  ofService(service: ServiceEntry, tokenHash: string | null): Promise<readonly PortalScope[] | null>;
  /** A new one, which `put` writes where the next start reads it; then it is in force, and those before have ended. */
  giveService(service: ServiceEntry, put: (variables: Readonly<Record<string, string>>) => Promise<void>): Promise<void>;
  /** Apps on that server that have one, in force. */
  servicesOf(server: string): Promise<readonly string[]>;
  endService(server: string, app: string): Promise<void>;
  /** Ends the credentials of server-scope apps on servers whose document is gone. */
  endOfGoneServers(entries: Pick<Entries, 'servers'>): Promise<void>;
}

interface Deps {
  readonly rooms: Pick<RoomStore, 'putPortalToken' | 'portalToken' | 'keepPortalTokens' | 'portalTokenOwners'>;
  readonly clock: Clock;
  readonly newVariables: NewVariables;
}

export function serviceCredentials({ rooms, clock, newVariables }: Deps): ServiceCredentials {
  return {
    ofService: async ({ server, app }, tokenHash) => {
      const token = tokenHash === null ? null : await rooms.portalToken(tokenHash);
      return token?.usuario === ownerOnServer(server.name) && token.app === app ? token.scopes : null;
    },
    giveService: async ({ server, app }, put) => {
      const scopes = portalScopesOf(server.system.get(app)?.manifest);
      const { variables, tokenHash } = await newVariables(server.placed.document, scopes);
      await put(variables);
      const usuario = ownerOnServer(server.name);
      await rooms.putPortalToken({ tokenHash, usuario, app, scopes, startHash: tokenHash, atMs: clock.nowMs() });
      await rooms.keepPortalTokens(usuario, app, tokenHash);
    },
    servicesOf: async (server) =>
      (await rooms.portalTokenOwners()).flatMap(({ usuario, app }) => (usuario === ownerOnServer(server) ? [app] : [])),
    endService: async (server, app) => {
      await rooms.keepPortalTokens(ownerOnServer(server), app, null);
    },
    endOfGoneServers: async (entries) => {
      for (const { usuario, app } of await rooms.portalTokenOwners()) {
        const server = serverOfOwner(usuario);
        if (server !== null && !entries.servers.has(server)) await rooms.keepPortalTokens(usuario, app, null);
      }
    },
  };
}
