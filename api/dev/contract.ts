/** Parts that `svc dev` adds to the portal that it starts: bin/dev makes them. Decision: docs/decisions/0244-svc-dev.md */
import type { DevAnswer } from '../../schema/wire/dev.ts';

export interface PortalDev {
  /** Id of the app that is being written. */
  readonly app: string;
  state(): DevAnswer;
  /** A one-time sign-in link as `svc dev` prints it: to the name of the portal that is the person's, and into the app. Null: nobody who plays. */
  link(person: string): Promise<string | null>;
  /** The frontend's own dev server, in place of the backend's pages. */
  readonly frontend?: DevServer;
}

export interface DevServer {
  readonly host: string;
  readonly port: number;
  /** Paths that the backend answers all the same: a path itself and all below it. Each starts with '/'. */
  readonly backend: () => readonly string[];
}
