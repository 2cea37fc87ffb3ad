/**
 * Everything the controller can do to the world, as data (design 3 rule 2). The executor map in controller/execute is
 * exhaustive over `Action['kind']`: an action without an executor does not compile.
 */
import type { StartOrder } from '../schema/supervisor-protocol.ts';

export type StopReason = 'StoppedByPerson' | 'StoppedByAdmin' | 'LastWindowClosed' | 'PinnedStopped' | 'HashChanged' | 'Uninstalled';

export type Action =
  /** The executor makes the token and adds the variables; the order below is what the decision fixes. */
  | {
      readonly kind: 'backend/start';
      readonly person: string;
      readonly app: string;
      readonly order: Pick<StartOrder, 'pinned' | 'requestId'>;
    }
  | {
      readonly kind: 'backend/stop';
      readonly person: string;
      readonly app: string;
      readonly requestId: string;
      readonly reason: StopReason;
    }
  | { readonly kind: 'backend/pin'; readonly person: string; readonly app: string; readonly pinned: boolean }
  /** One HTTP probe of healthcheckPath; its verdict comes back as observation. */
  | { readonly kind: 'backend/probe'; readonly person: string; readonly app: string; readonly attempt: number }
  | { readonly kind: 'supervisor/ensure'; readonly person: string }
  | { readonly kind: 'supervisor/end'; readonly person: string }
  | {
      readonly kind: 'package/install';
      readonly server: string;
      readonly app: string;
      readonly version: string;
      readonly scope: 'sistema' | 'pessoa';
      readonly person: string | null;
    }
  | {
      readonly kind: 'package/remove';
      readonly server: string;
      readonly app: string;
      readonly scope: 'sistema' | 'pessoa';
      readonly person: string | null;
    };

export type ActionOf<Kind extends Action['kind']> = Extract<Action, { readonly kind: Kind }>;
