/** Signing in: the ways that the Portal document offers, and the servers' word on a password. */
import { createHmac, randomBytes } from 'node:crypto';
import { readSecretReference } from '../desired/secret-reference.ts';
import { checkPassword, type PasswordTarget } from '../hosts/ssh/check-password.ts';
import type { Context } from '../context.ts';
import type { Store } from '../../store/store.ts';
import { documentsOf, type ServerEntry } from '../entries.ts';
import { SvcError } from '../../schema/errors.ts';
import type { PeopleCommands, PeopleView } from '../../schema/gateway.ts';
import { limits } from '../limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';

/** A login without an account: asked for when there is no person to ask about. */
const nobody = 'svc-nobody';

const keyName = 'sign-in/nobody-key';

export function createSignInView(
  { entries, options }: Context,
  secretsDir: string,
): Pick<PeopleCommands, 'checkPassword'> & Pick<PeopleView, 'signIn'> {
  const underCheck = new Map<string, number>();
  /**
   * The server that is asked about a login that nobody has. It is always the same for a login, as it is for a real one, so that the answer
   * does not reveal which logins exist; it stays the same over restarts and when other servers come or go.
   */
  const anyServer = (login: string, key: string): PasswordTarget | null => {
    const weightOf = ({ name }: ServerEntry): string => createHmac('sha256', key).update(`${name}\n${login}`).digest('hex');
    const candidates = [...entries.servers.values()].flatMap((server) => {
      const target = targetOf(server);
      return target === null ? [] : [{ target, weight: weightOf(server) }];
    });
    return (
      candidates.reduce<(typeof candidates)[number] | null>((best, each) => (best && best.weight > each.weight ? best : each), null)
        ?.target ?? null
    );
  };
  return {
    signIn: () => {
      const asked = entries.portal?.document.spec.signIn;
      const oidc = asked?.oidc;
      return {
        ssh: asked?.ssh !== undefined,
        passkey: asked?.passkey !== undefined,
        oidc:
          oidc === undefined
            ? null
            : {
                issuer: oidc.issuer,
                clientId: oidc.clientId,
                clientSecret: () => readSecretReference(oidc.clientSecret, secretsDir),
                clientSecretFrom: JSON.stringify(oidc.clientSecret),
                claim: oidc.claim ?? 'preferred_username',
                scopes: oidc.scopes ?? ['profile', 'email'],
                claimsOfPeople: documentsOf(entries, 'People').flatMap(({ placed }) => placed.document.spec.oidc?.claim ?? []),
                label: oidc.label ?? null,
              },
      };
    },
    checkPassword: async (login, password) => {
      const person = [...entries.people.values()].find(({ leaving, placed }) => !leaving && placed.document.spec.login === login);
      const own = person ? targetOf(person.server) : null;
      // Chosen for existing logins too, so that neither time nor a failing store reveals which exist.
      const another = anyServer(login, await readKey(options.store));
      const target = own ?? another;
      if (!target) throw new SvcError('SIGN_IN_METHOD', 'no Server document has ssh: no server can check a password');
      const name = `${target.host}:${target.port}`;
      const before = underCheck.get(name) ?? 0;
      // Beyond ten connections that have not signed in yet sshd drops some by lot (MaxStartups).
      if (before >= limits.signInsPerServerMax) {
        throw new SvcError('RATE_LIMITED', 'too many people sign in at this moment', { retryAfterMs: sharedLimits.signInBusyRetryMs });
      }
      underCheck.set(name, before + 1);
      try {
        // The password typed for a login that does not exist is sent nowhere.
        const asked = person && own ? { account: person.account, password } : { account: nobody, password: nobody };
        const word = await checkPassword({ target, ...asked, clock: options.clock });
        if (word.kind !== 'accepted') return word;
        return person && own ? { kind: 'accepted', usuario: person.name } : { kind: 'refused', serverMessage: null };
      } finally {
        const left = (underCheck.get(name) ?? 1) - 1;
        if (left === 0) underCheck.delete(name);
        else underCheck.set(name, left);
      }
    },
  };
}

async function readKey(store: Pick<Store, 'value' | 'keepValue'>): Promise<string> {
  return (await store.value(keyName)) ?? (await store.keepValue(keyName, randomBytes(32).toString('base64url')));
}

/** Null on a server without its own sshd. */
function targetOf({ placed, leaving }: ServerEntry): PasswordTarget | null {
  const { spec } = placed.document;
  if (leaving || !('ssh' in spec)) return null;
  return { host: spec.ssh.host, port: spec.ssh.port ?? 22, hostKey: spec.ssh.hostKey };
}
