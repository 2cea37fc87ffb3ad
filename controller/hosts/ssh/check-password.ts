/**
 * Asks the sshd of a server, as the account itself, whether a password is right: PAM, its delays and its lock-outs are the server's
 * own. Nothing is sent before the host key was checked (connect.ts); the password goes into the encrypted connection and nowhere else.
 * Source: RFC 4252 8, RFC 4256. Decision: docs/decisions/0070-signing-in.md
 */
import type { AuthenticationType, AuthHandlerMiddleware, Client } from 'ssh2';
import { type Clock, withDeadline } from '../../../schema/clock.ts';
import { SvcError } from '../../../schema/errors.ts';
import type { PasswordVerdict } from '../../../schema/gateway.ts';
import { limits } from '../limits.ts';
import { connectSsh, type SshTarget } from './connect.ts';

export type PasswordTarget = SshTarget;

export interface PasswordQuestion {
  readonly target: PasswordTarget;
  readonly account: string;
  readonly password: string;
  readonly clock: Clock;
}

export type PasswordWord = { readonly kind: 'accepted' } | Exclude<PasswordVerdict, { readonly kind: 'accepted' }>;

/** Rejects SERVER_UNREACHABLE or HOST_KEY_CHANGED. */
export async function checkPassword({ target, account, password, clock }: PasswordQuestion): Promise<PasswordWord> {
  const talk = createPasswordTalk(account, password);
  let client: Client;
  try {
    client = await connectSsh({
      target,
      username: account,
      credential: { kind: 'talk', handler: talk.handler, banner: talk.banner },
      clock,
    });
  } catch (error) {
    const code = error instanceof SvcError ? error.code : null;
    // PAM lets the account not in: sshd says so and hangs up.
    if (code === 'SSH_REFUSED' || (code === 'SERVER_UNREACHABLE' && talk.word().serverMessage !== null)) return talk.word();
    throw error;
  }
  try {
    const asksForAnother = talk.method() === 'password' ? await mustChange(client, clock) : null;
    return asksForAnother ?? { kind: 'accepted' };
  } finally {
    client.destroy();
  }
}

interface PasswordTalk {
  readonly handler: AuthHandlerMiddleware;
  /** sshd sends here what PAM says about an account that it refuses. */
  readonly banner: (text: string) => void;
  /** The method that the password was given to last. */
  method(): 'keyboard-interactive' | 'password' | null;
  /** The outcome that a refusal means. */
  word(): Exclude<PasswordWord, { readonly kind: 'accepted' }>;
}

/** ssh2 takes `false` for "no further method"; its types don't say so. */
const noMore = false as unknown as AuthenticationType;

/**
 * Sends the password once. Keyboard-interactive goes first: PAM then says what else it wants and why it refuses. `password` follows only if
 * PAM asked nothing, so that one attempt counts once at the server too.
 */
function createPasswordTalk(username: string, typed: string): PasswordTalk {
  let password: string | null = typed;
  let step = 0;
  let method: 'keyboard-interactive' | 'password' | null = null;
  let answered = false;
  let wants: 'expired' | 'asks-more' | null = null;
  const messages: string[] = [];
  const give = (): string => {
    const given = password ?? '';
    password = null;
    return given;
  };
  const prompt = (
    _name: string,
    instructions: string,
    _language: string,
    prompts: readonly { readonly prompt: string; readonly echo?: boolean }[],
    finish: (answers: string[]) => void,
  ): void => {
    if (instructions.trim() !== '') messages.push(instructions);
    if (prompts.length === 0) return finish([]);
    if (!answered && prompts.length === 1 && prompts[0]?.echo !== true && /pass|senha/i.test(prompts[0]?.prompt ?? '')) {
      answered = true;
      return finish([give()]);
    }
    const asked = prompts.map((each) => each.prompt.trim()).join(' ');
    // After the right password PAM asks for the current one again, or for a new one, when it must be changed.
    const begins = asked.search(/new|current|retype|nova|atual/i);
    wants = answered && begins >= 0 && /pass|senha/i.test(asked.slice(begins)) ? 'expired' : 'asks-more';
    messages.push(asked);
    finish(prompts.map(() => ''));
  };
  const handler: AuthHandlerMiddleware = (left, partial, next) => {
    step += 1;
    // The methods of the server are not known before the first request; `none` is no failed attempt.
    if (step === 1) return next({ type: 'none', username });
    if (step === 2 && left.includes('keyboard-interactive')) {
      method = 'keyboard-interactive';
      return next({ type: 'keyboard-interactive', username, prompt });
    }
    if (method !== 'password' && !answered && wants === null && left.includes('password')) {
      method = 'password';
      return next({ type: 'password', username, password: give() });
    }
    // Right so far, and not enough: the server wants one more of the methods that it leaves open.
    if (partial) wants ??= 'asks-more';
    next(noMore);
  };
  return {
    handler,
    // A banner before the password is for every client, not about this person.
    banner: (text) => {
      if (password === null) messages.push(text);
    },
    method: () => method,
    word: () => ({ kind: wants ?? 'refused', serverMessage: textOf(messages) }),
  };
}

/** OpenSSH lets an expired password in, and then does nothing but ask for another: a command is refused with words that say so. */
async function mustChange(client: Client, clock: Clock): Promise<PasswordWord | null> {
  const said = new Promise<string>((resolve) => {
    client.once('close', () => resolve(''));
    client.exec('true', (error, channel) => {
      if (error) return resolve('');
      let text = '';
      channel.on('data', () => undefined);
      channel.stderr.on('data', (chunk: Buffer) => {
        if (text.length < limits.passwordTextCharsMax * 4) text += chunk.toString('utf8');
      });
      channel.on('error', () => resolve(text));
      channel.on('close', () => resolve(text));
    });
  });
  const text = await withDeadline(clock, limits.passwordExpiryMsMax, said, () => new Error('no answer')).catch(() => '');
  return /password has expired|password change required|must change your password/i.test(text)
    ? { kind: 'expired', serverMessage: textOf([text]) }
    : null;
}

/** A server's words for a person: lines that say something, without control characters, once each, cut. */
function textOf(messages: readonly string[]): string | null {
  const lines = messages
    .flatMap((text) => text.split(/[\r\n]+/))
    .map((text) => text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '').trim())
    .filter((text) => text !== '');
  const text = [...new Set(lines)].join(' ').slice(0, limits.passwordTextCharsMax);
  return text === '' ? null : text;
}
