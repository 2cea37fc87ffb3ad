/** The part of the gateway that is about signing in: the ways that the Portal document offers, and the servers' word on a password. */
import { createHmac, randomBytes } from 'node:crypto';
import { readSecretReference } from '../desired/secret-reference.ts';
import { checkPassword, type PasswordTarget } from '../hosts/ssh/check-password.ts';
import type { Context } from '../loop/context.ts';
import type { ServerEntry } from '../world.ts';
import { SvcError } from '../../schema/errors.ts';
import type { Gateway } from '../../schema/gateway.ts';
import { limits } from '../../schema/limits.ts';

/** Nobody's account: asked about when there is nobody to ask about. */
const nobody = 'svc-nobody';

export function createSignInView({ world, options }: Context, secretsDir: string): Pick<Gateway, 'signIn' | 'checkPassword'> {
  const underCheck = new Map<string, number>();
  const secret = randomBytes(32);
  /** A server to ask about nobody: always the same for a login, as for a login of somebody, and nobody knows which. */
  const anyServer = (login: string): PasswordTarget | null => {
    const targets = [...world.servers.values()].flatMap((server) => targetOf(server) ?? []);
    const chosen = createHmac('sha256', secret).update(login).digest().readUInt32LE() % Math.max(1, targets.length);
    return targets[chosen] ?? null;
  };
  return {
    signIn: () => {
      const asked = world.portal?.document.spec.signIn;
      const oidc = asked?.oidc;
      return {
        ssh: asked?.ssh !== undefined,
        oidc:
          oidc === undefined
            ? null
            : {
                issuer: oidc.issuer,
                clientId: oidc.clientId,
                clientSecret: () => readSecretReference(oidc.clientSecret, secretsDir),
                claim: oidc.claim ?? 'preferred_username',
                scopes: oidc.scopes ?? ['profile', 'email'],
                label: oidc.label ?? null,
              },
      };
    },
    checkPassword: async (login, password) => {
      const person = [...world.people.values()].find(({ leaving, placed }) => !leaving && placed.document.spec.login === login);
      const own = person ? targetOf(person.server) : null;
      const target = own ?? anyServer(login);
      if (!target) throw new SvcError('SIGN_IN_METHOD', 'no Server document has ssh: there is nobody to ask about a password');
      const name = `${target.host}:${target.port}`;
      const before = underCheck.get(name) ?? 0;
      // Beyond ten connections that have not signed in yet sshd drops some by lot (MaxStartups).
      if (before >= limits.signInsPerServerMax) {
        throw new SvcError('RATE_LIMITED', 'too many people sign in at this moment', { retryAfterMs: limits.signInBusyRetryMs });
      }
      underCheck.set(name, before + 1);
      try {
        // What was typed in for nobody is sent nowhere.
        const asked = person && own ? { account: person.account, password } : { account: nobody, password: nobody };
        const word = await checkPassword({ target, ...asked, clock: options.clock });
        if (word.kind !== 'accepted') return word;
        return person && own ? { kind: 'accepted', usuario: person.name } : { kind: 'refused', told: null };
      } finally {
        const left = (underCheck.get(name) ?? 1) - 1;
        if (left === 0) underCheck.delete(name);
        else underCheck.set(name, left);
      }
    },
  };
}

/** Null on a server without an sshd of its own. */
function targetOf({ placed, leaving }: ServerEntry): PasswordTarget | null {
  const { spec } = placed.document;
  if (leaving || !('ssh' in spec)) return null;
  return { host: spec.ssh.host, port: spec.ssh.port ?? 22, hostKey: spec.ssh.hostKey };
}
