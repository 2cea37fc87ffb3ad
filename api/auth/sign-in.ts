/**
 * The ways to sign in, each of which ends in a portal session: a one-time link, name and password of the account on the person's
 * own server, an OpenID Connect provider (oidc.ts), a passkey (passkeys.ts). Decisions: docs/decisions/0070-signing-in.md, 0071-guessing-passwords.md
 */
import type { IncomingMessage } from 'node:http';
import type { SignInMethod } from '../../store/store.ts';
import { SvcError, type ErrorCode } from '../../schema/errors.ts';
import type { PasswordVerdict, PeopleCommands, PeopleView } from '../../schema/gateway.ts';
import type { Site } from '../http/hosts.ts';
import { readSessionCookie, sessionCookie } from './cookies.ts';
import type { GuessGuard } from './guess-guard.ts';
import type { KnownBrowsers } from './known-browsers.ts';
import type { PasskeyAnswer } from '../../schema/wire/passkeys.ts';
import type { Passes } from './passes.ts';
import type { Passkeys } from './passkeys.ts';
import type { Opened, Session, Sessions } from './sessions.ts';

export interface SignedIn {
  readonly session: Session;
  readonly cookies: readonly string[];
}

export interface LinkOwner {
  readonly person: string;
  readonly admin: boolean;
}

export interface SignIn {
  /** The owner of a link, which stays valid. Rejects PASS_REFUSED. */
  whose(req: IncomingMessage, passe: string): Promise<LinkOwner>;
  /** Rejects PASS_REFUSED. */
  byPass(req: IncomingMessage, passe: string): Promise<SignedIn>;
  /** Rejects CREDENTIALS_REFUSED, PASSWORD_EXPIRED, SIGN_IN_ASKS_MORE, RATE_LIMITED, SIGN_IN_METHOD, PASSWORD_UNCHECKED. */
  byPassword(req: IncomingMessage, login: string, password: string): Promise<SignedIn>;
  /** Rejects PASSKEY_REFUSED, PASSKEY_BEHIND, RATE_LIMITED, SIGN_IN_METHOD. */
  byPasskey(req: IncomingMessage, answer: PasskeyAnswer): Promise<SignedIn>;
  /** For who proved elsewhere who they are. */
  as(req: IncomingMessage, person: string, method: SignInMethod): Promise<SignedIn>;
}

export interface SignInDeps {
  readonly site: Site;
  /** Where a request comes from (client-address.ts). */
  readonly address: (req: IncomingMessage) => string;
  readonly people: PeopleView;
  readonly commands: PeopleCommands;
  readonly sessions: Sessions;
  readonly passes: Passes;
  readonly passkeys: Pick<Passkeys, 'check'>;
  readonly guard: GuessGuard;
  readonly browsers: KnownBrowsers;
  /** A failed sign-in, for the log: the cause with details that the person does not get, and the login, where one is known, never the password. */
  readonly onRefused: (req: IncomingMessage, method: SignInMethod, cause: unknown, login?: string) => void;
  /** Somebody is in, in whichever way. */
  readonly onOpened: (req: IncomingMessage, session: Session, method: SignInMethod) => void;
}

export function createSignIn(deps: SignInDeps): SignIn {
  const { site, people, sessions } = deps;
  const open = async (req: IncomingMessage, person: string, how: { method: SignInMethod; admin: boolean }): Promise<Opened> => {
    if (people.find(person)?.isClosed === true)
      throw new SvcError('ACCOUNT_CLOSED', 'the account on the server is locked or expired; ask who administers it');
    // A second sign-in in the same browser replaces the first: its cookie is gone, so its session must be too.
    const previous = await sessions.portal(readSessionCookie(req.headers.cookie, site));
    const source = { method: how.method, address: deps.address(req), agent: req.headers['user-agent'] ?? '' };
    const opened = await sessions.open(person, how.admin, source);
    if (previous) await sessions.end(previous);
    deps.onOpened(req, opened.session, how.method);
    return opened;
  };
  const known = <Found extends LinkOwner>(found: Found | null): Found => {
    if (found && people.find(found.person)) return found;
    throw new SvcError('PASS_REFUSED', 'the sign-in link is unknown, was used or has expired; ask for a new one');
  };
  const told = async <Result>(req: IncomingMessage, method: SignInMethod, login: string | undefined, work: () => Promise<Result>) => {
    try {
      return await work();
    } catch (error) {
      deps.onRefused(req, method, error, login);
      throw error;
    }
  };
  return {
    whose: (req, passe) => told(req, 'link', undefined, async () => known(await deps.passes.findForPortal(passe))),
    byPass: async (req, passe) => {
      const pass = await told(req, 'link', undefined, async () => known(await deps.passes.takeForPortal(passe)));
      const login = people.find(pass.person)?.login;
      const { secret, session } = await told(req, 'link', login, () => open(req, pass.person, { method: 'link', admin: pass.admin }));
      return { session, cookies: [sessionCookie(site, secret)] };
    },
    byPassword: async (req, login, password) => {
      const person = await checked(deps, req, login, password);
      const { secret, session } = await told(req, 'ssh', login, () => open(req, person, { method: 'ssh', admin: false }));
      return { session, cookies: [sessionCookie(site, secret), await deps.browsers.remember(req.headers.cookie, login)] };
    },
    byPasskey: async (req, answer) => {
      const { person, isBehind } = await told(req, 'passkey', undefined, () => deps.passkeys.check(deps.address(req), answer));
      const { secret, session } = await told(req, 'passkey', people.find(person)?.login, () => {
        if (isBehind) throw behind();
        return open(req, person, { method: 'passkey', admin: false });
      });
      return { session, cookies: [sessionCookie(site, secret)] };
    },
    as: async (req, person, method) => {
      const { secret, session } = await open(req, person, { method, admin: false });
      return { session, cookies: [sessionCookie(site, secret)] };
    },
  };
}

const behind = (): SvcError =>
  new SvcError('PASSKEY_BEHIND', 'this passkey counts fewer uses than before, as a copy of it would; sign in another way, and remove it');

/** The person whose login and password these are. */
async function checked(deps: SignInDeps, req: IncomingMessage, login: string, password: string): Promise<string> {
  const { people, commands } = deps;
  const address = deps.address(req);
  try {
    if (!people.signIn().ssh) throw new SvcError('SIGN_IN_METHOD', 'this portal takes no name and password; ask for a sign-in link');
    const browser = await deps.browsers.find(req.headers.cookie, login);
    const attempt = deps.guard.begin({ login, address, browser });
    try {
      const verdict = await commands.checkPassword(login, password).catch((error: unknown) => {
        attempt.forgive();
        throw error;
      });
      if (verdict.kind === 'accepted' || verdict.kind === 'expired') attempt.forgive();
      if (verdict.kind !== 'accepted') throw refusalOf(verdict);
      // The document may have gone while the server was asked.
      if (!people.find(verdict.usuario)) throw refusalOf({ kind: 'refused', serverMessage: null });
      return verdict.usuario;
    } finally {
      attempt.end();
    }
  } catch (error) {
    deps.onRefused(req, 'ssh', error, login);
    throw forStrangers(error);
  }
}

/** Codes that may be shown without a session; each says the same for any login. */
const reportable: ReadonlySet<string> = new Set([
  'CREDENTIALS_REFUSED',
  'PASSWORD_EXPIRED',
  'SIGN_IN_ASKS_MORE',
  'SIGN_IN_METHOD',
  'RATE_LIMITED',
] satisfies ErrorCode[]);

/** Errors between portal and server contain accounts and addresses: without a session they are replaced. */
function forStrangers(error: unknown): unknown {
  if (error instanceof SvcError && reportable.has(error.code)) return error;
  return new SvcError(
    'PASSWORD_UNCHECKED',
    'the password could not be checked; try again, and if it goes on tell the administrator of the portal',
  );
}

const refusals = {
  refused: ['CREDENTIALS_REFUSED', 'the server does not take this name and password'],
  expired: ['PASSWORD_EXPIRED', 'the password was right and has expired: change it on the server (ssh, then passwd)'],
  'asks-more': ['SIGN_IN_ASKS_MORE', 'the server asks for more than a password; ask for a sign-in link'],
} as const;

function refusalOf({ kind, serverMessage }: Exclude<PasswordVerdict, { kind: 'accepted' }>): SvcError {
  const [code, message] = refusals[kind];
  return new SvcError(code, message, serverMessage === null ? {} : { told: serverMessage });
}
