/**
 * One-time passes: the printed sign-in link (24 h or as its maker says, for the portal), the hand-over to an app's origin (30 s, for one person and one app) and
 * "yes, this once" to a capability call (60 s). Taken in one step of the store, so a pass never works twice. Decision: docs/decisions/0003-sessions-and-passes.md
 */
import type { Store, StoredPass } from '../../store/store.ts';
import type { Clock } from '../../schema/clock.ts';
import { limits } from './limits.ts';
import { appAudience, type Session } from './sessions.ts';
import { isSecretShape, newSecret, secretHash } from './secrets.ts';

export type AppPass =
  | { readonly kind: 'granted'; readonly person: string; readonly root: string }
  /** Genuine, but another question than this browser's was answered: a stolen link, or two frames that asked at the same time. */
  | { readonly kind: 'other-asker' };

export interface Passes {
  /** For one call of the person; `question` is what they said yes to. */
  forCall(person: string, question: string): Promise<string>;
  /** Used up in any case. */
  takeForCall(pass: string, person: string, question: string): Promise<boolean>;
  /** For the sign-in link. */
  forPortal(person: string, admin: boolean, lifeMs: number): Promise<string>;
  /** For the hand-over of a portal session to an app's origin; `ask` is the hash of the cookie that asked. */
  forApp(session: Session, app: string, ask: string): Promise<string>;
  takeForPortal(pass: string): Promise<StoredPass | null>;
  /** The owner of a sign-in link, which stays valid. Null as for `takeForPortal`. */
  findForPortal(pass: string): Promise<Pick<StoredPass, 'person' | 'admin'> | null>;
  /** Person and portal session of the pass; null when unknown, used, expired or for another app. Used up in any case. */
  takeForApp(pass: string, app: string, ask: string): Promise<AppPass | null>;
}

const callAudience = (question: string): string => `chamada ${question}`;

export function createPasses(store: Store, clock: Clock): Passes {
  const give = async (person: string, admin: boolean, audience: string, lifeMs: number): Promise<string> => {
    const pass = newSecret();
    await store.putPass({ passHash: secretHash(pass), person, admin, audience, expiresAtMs: clock.nowMs() + lifeMs });
    return pass;
  };
  const find = async (pass: string): Promise<StoredPass | null> =>
    isSecretShape(pass) ? await store.pass(secretHash(pass), clock.nowMs()) : null;
  // 256 bits can't be guessed, so attempts are not counted; an invalid pass costs one read of the store and no write.
  const take = async (pass: string): Promise<StoredPass | null> =>
    (await find(pass)) === null ? null : await store.takePass(secretHash(pass), clock.nowMs());
  return {
    forCall: (person, question) => give(person, false, callAudience(question), limits.callPassMs),
    takeForCall: async (pass, person, question) => {
      const taken = await take(pass);
      return taken?.person === person && taken.audience === callAudience(question);
    },
    forPortal: (person, admin, lifeMs) => give(person, admin, 'portal', lifeMs),
    forApp: (session, app, ask) => give(session.person, false, `${appAudience(app, session.root)}@${ask}`, limits.originPassMs),
    findForPortal: async (pass) => {
      const found = await find(pass);
      return found?.audience === 'portal' ? found : null;
    },
    takeForPortal: async (pass) => {
      const taken = await take(pass);
      return taken?.audience === 'portal' ? taken : null;
    },
    takeForApp: async (pass, app, ask) => {
      const taken = await take(pass);
      const [forApp, root, asked] = taken?.audience.split('@') ?? [];
      if (!taken || root === undefined || asked === undefined || forApp !== app) return null;
      return asked === ask ? { kind: 'granted', person: taken.person, root } : { kind: 'other-asker' };
    },
  };
}
