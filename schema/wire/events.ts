/**
 * Lines of `/ws/events` (rules 6). `seq` grows by one per event of this portal run; `ola` comes first on every connection. A client that sees
 * another `run` or a gap re-reads the state over HTTP: events never carry the only copy.
 */
import type { BackendState, Reason, StartStep } from '../backend.ts';
import type { PackageProgress, PackageState } from '../packages.ts';

export type PortalEvent =
  | {
      readonly type: 'app-status';
      readonly app: string;
      readonly status: BackendState;
      readonly ready: boolean;
      readonly reason: Reason;
      readonly message: string;
    }
  | { readonly type: 'app-step'; readonly app: string; readonly step: StartStep; readonly detail: string }
  /** The person's apps changed: another version, an app more, an app less. */
  | { readonly type: 'apps-changed' }
  /** The person's bell changed: a notice came, or was read in another window. Read `GET /api/avisos` again. */
  | { readonly type: 'avisos' }
  /** The person's preferences changed in another page: `etag` names them as they are now. Read `GET /api/preferencias` again. */
  | { readonly type: 'preferencias'; readonly etag: string }
  /** A job of the person is in another state. Read `GET /api/fila` again. */
  | { readonly type: 'trabalhos' }
  /** Consents between apps changed, or a backend asks for one. Read `GET /api/consentimentos` again. */
  | { readonly type: 'consentimentos' }
  /** A room of this app, or the person's role in it, changed: the shell notifies every window of the app (rules 6, `mudaram`). */
  | { readonly type: 'mudaram'; readonly app: string }
  /** `svc dev` has news: read `GET /api/dev` again; with `reload` the app's pages load again, with `styles` only their style sheets. */
  | { readonly type: 'dev'; readonly reload: 'no' | 'page' | 'styles' }
  /** An installation that concerns the person goes on; at most four a second, and at every change of state. */
  | {
      readonly type: 'install-progress';
      readonly app: string;
      readonly state: PackageState;
      readonly reason: Reason;
      readonly message: string;
      readonly progress: PackageProgress | null;
    };

export type EventLine =
  /** `pagina` names this connection; the page sends it with its window counts, which end with the connection. */
  | { readonly type: 'ola'; readonly run: string; readonly seq: number; readonly pagina: string }
  /** Comes at least every 5 s, with the number of the last event: a page that gets nothing for longer takes the portal for away. */
  | { readonly type: 'pulso'; readonly seq: number }
  | ({ readonly seq: number; readonly atMs: number } & PortalEvent);
