/** Signing in, put together with its reports: the log of the portal and the audit record. */
import type { Logger } from 'pino';
import { type Audit, noAudit } from '../../schema/audit.ts';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { Gateway } from '../../schema/gateway.ts';
import type { Bus } from '../../store/bus.ts';
import type { SignInMethod, Store } from '../../store/store.ts';
import { createHttpAudit, type HttpAudit } from '../audit/http-audit.ts';
import { createGuessGuard } from './guess-guard.ts';
import type { KeyRings } from './key-rings.ts';
import { createKnownBrowsers } from './known-browsers.ts';
import { createPasskeys, type Passkeys } from './passkeys.ts';
import { createSignIn, type SignIn, type SignInDeps } from './sign-in.ts';

export interface SignInParts {
  readonly audit: HttpAudit;
  readonly signIn: SignIn;
  readonly passkeys: Passkeys;
  readonly onRefused: SignInDeps['onRefused'];
}

interface PartsDeps extends Pick<SignInDeps, 'site' | 'address' | 'sessions' | 'passes'> {
  readonly clock: Clock;
  readonly rings: Pick<KeyRings, 'browsers' | 'seal'>;
  readonly store: Store;
  readonly bus: Bus;
  readonly log: Logger;
  readonly gateway: Gateway;
  readonly audit?: Audit;
  /** For `/metrics`. */
  readonly count: (method: SignInMethod, result: 'ok' | 'refused') => void;
}

export function createSignInParts({ gateway, audit: record = noAudit, log, count, ...deps }: PartsDeps): SignInParts {
  const { clock, bus, site, address, rings } = deps;
  const { people, apps, commands } = gateway;
  const audit = createHttpAudit({ audit: record, people, apps, files: commands.files, address });
  const onRefused: SignInDeps['onRefused'] = (req, method, error, login) => {
    count(method, 'refused');
    logRefusal(log, method, error, address(req), login);
    audit.signInRefused(req, method, error, login);
  };
  const passkeys = createPasskeys({ ...deps, ring: rings.seal, people });
  const signIn = createSignIn({
    ...deps,
    people,
    passkeys,
    commands: commands.people,
    guard: createGuessGuard(clock, bus),
    browsers: createKnownBrowsers(rings.browsers, clock, site),
    onRefused,
    onOpened: (req, session, method) => {
      count(method, 'ok');
      audit.signedIn(req, session, method);
    },
  });
  return { audit, signIn, passkeys, onRefused };
}

/** A failed sign-in: the code, and for the admin the cause. Never a password, an answer or a token. */
function logRefusal(log: Logger, method: SignInMethod, error: unknown, address: string, typed?: string): void {
  // A typed text that looks like no login may be a password in the wrong field.
  const isLogin = method === 'ssh' ? /^[A-Za-z0-9_][A-Za-z0-9._@-]{0,63}$/ : /^[!-~]{1,128}$/;
  const login = typed !== undefined && isLogin.test(typed) ? { login: typed } : {};
  if (!(error instanceof SvcError)) return log.error({ method, err: error, address, ...login }, 'sign-in failed');
  log.warn({ method, code: error.code, why: error.message, address, ...login }, 'sign-in refused');
}
