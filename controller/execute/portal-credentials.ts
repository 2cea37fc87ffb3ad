/**
 * SVC_PORTAL_URL and SVC_PORTAL_TOKEN of backends that ask for rooms, the queue, metrics (rules 2.1 `recursos`) or capabilities of other
 * apps: a new token for each start, ended when nothing of that start is left. It belongs to the SVC_APP_TOKEN that was written with it, so
 * that whichever of two starts the supervisor took, the right one stays. A server-scope app has one of its own, which its unit reads at
 * each start (service-acts.ts). Decisions: docs/decisions/0098-portal-credential.md, 0203-server-scope-credential.md
 */
import { keys } from '../../schema/keys.ts';
import { hash, randomBytes } from 'node:crypto';
import type { Clock } from '../../schema/clock.ts';
import type { ServerDocument } from '../../schema/desired/documents.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { serverOfOwner, type RoomStore } from '../../store/rooms.ts';
import type { BackendEntry, Entries } from '../entries.ts';
import { serviceCredentials, type NewVariables, type ServiceCredentials } from './service-credentials.ts';
import { portalScopesOf } from './portal-scopes.ts';

export interface PortalCredentials extends ServiceCredentials {
  /** Further variables for the env file of the start with this request id and SVC_APP_TOKEN; {} for an app that asks for nothing. */
  issue(entry: BackendEntry, appToken: string, requestId: string): Promise<Readonly<Record<string, string>>>;
  /** Only the start with this SVC_APP_TOKEN counts from here on. */
  keep(entry: BackendEntry, appToken: string): Promise<void>;
  /** Called for each snapshot: ends the credential of an app that is neither wanted nor running. */
  follow(entry: BackendEntry): void;
  /** Ends the credentials that an earlier run left, of people who are gone. */
  sweep(entries: Entries): Promise<void>;
}

export interface PortalCredentialOptions {
  readonly rooms: Pick<RoomStore, 'putPortalToken' | 'portalToken' | 'keepPortalTokens' | 'portalTokenOwners'>;
  readonly clock: Clock;
  /** Where backends on that server reach the portal. */
  readonly portalUrl: (server: ServerDocument) => Promise<string>;
  readonly onError: (error: unknown) => void;
}

/** Whether the app's backend gets an address of the portal at each start. */
export function asksForPortal(manifest: Manifest): boolean {
  return portalScopesOf(manifest).length > 0;
}

const sha256 = (text: string): string => hash('sha256', text, 'hex');

export function createPortalCredentials({ rooms, clock, portalUrl, onError }: PortalCredentialOptions): PortalCredentials {
  /**
   * Keys of the backends that have a credential. The value is the start that was requested and not yet confirmed: until then a snapshot
   * describes the process before.
   */
  const holders = new Map<string, string | null>();
  const end = async (entry: Pick<BackendEntry, 'key' | 'app'>, person: string): Promise<void> => {
    holders.delete(entry.key);
    await rooms.keepPortalTokens(person, entry.app, null);
  };
  const newVariables: NewVariables = async (server, scopes) => {
    const SVC_PORTAL_TOKEN = randomBytes(32).toString('base64url');
    const variables = { SVC_PORTAL_URL: await portalUrl(server), SVC_PORTAL_TOKEN, SVC_PORTAL_SCOPES: scopes.join(',') };
    return { variables, tokenHash: sha256(SVC_PORTAL_TOKEN) };
  };
  return {
    issue: async (entry, appToken, requestId) => {
      const { person, app } = entry;
      const manifest = person.packages.get(app)?.manifest;
      const scopes = manifest?.escopo === 'servidor' ? [] : portalScopesOf(manifest);
      if (scopes.length === 0) return {};
      const made = await newVariables(person.server.placed.document, scopes);
      await rooms.putPortalToken({
        tokenHash: made.tokenHash,
        usuario: person.name,
        app,
        scopes,
        startHash: sha256(appToken),
        atMs: clock.nowMs(),
      });
      holders.set(entry.key, requestId);
      return made.variables;
    },
    keep: async (entry, appToken) => {
      if (holders.has(entry.key)) await rooms.keepPortalTokens(entry.person.name, entry.app, sha256(appToken));
    },
    follow: (entry) => {
      const awaited = holders.get(entry.key);
      if (awaited === undefined || entry.person.link.view().status !== 'up') return;
      const snapshot = entry.person.link.snapshot(entry.app);
      if (awaited !== null && snapshot?.requestId !== awaited) return;
      holders.set(entry.key, null);
      if (snapshot?.wanted === true || (snapshot?.process ?? null) !== null) return;
      end(entry, entry.person.name).catch(onError);
    },
    ...serviceCredentials({ rooms, clock, newVariables }),
    sweep: async (entries) => {
      for (const { usuario, app } of await rooms.portalTokenOwners()) {
        if (serverOfOwner(usuario) !== null) continue;
        const key = keys.backend(usuario, app);
        if (entries.people.has(usuario)) holders.set(key, null);
        else await end({ key, app }, usuario);
      }
    },
  };
}
