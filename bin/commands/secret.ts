/**
 * `svc secret set|list|remove PERSON/APP [NAME]`: the value is read from stdin, never from the command line, which every account of the
 * machine can read. Values are never printed: an admin may set a secret, but not read it back.
 */
import { isSecretName } from '../../kit/launch/secrets.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../../schema/limits.ts';
import type { SecretsView } from '../../schema/wire/http.ts';
import { createClient } from '../client.ts';
import { backendOf } from '../keys.ts';
import { isForPrograms, listing, printValue, warn, write } from '../output.ts';
import type { PortalOptions } from './options.ts';

export async function runSecretList(backend: string, options: PortalOptions): Promise<void> {
  await print(
    await createClient(options.state).call('GET /api/admin/backends/:person/:app/segredos', { params: backendOf(backend) }),
    options,
  );
}

/** `hasMore`: there are arguments after the name. They are not repeated, nor is an invalid name: either may be the value. */
export async function runSecretSet(backend: string, name: string, options: PortalOptions, hasMore: boolean): Promise<void> {
  if (hasMore || !isSecretName(name)) {
    throw new SvcError(
      'BAD_REQUEST',
      'expected PERSON/APP and the NAME from the manifest, and nothing after it: the value comes from standard input ' +
        '(svc secret set PERSON/APP NAME < FILE, or typed when asked). If one was written here, other accounts and the history of the shell ' +
        'may have seen it: change it',
    );
  }
  const params = { ...backendOf(backend), nome: name };
  const value = process.stdin.isTTY ? await readHidden(`${name}: `) : await readPiped();
  const view = await createClient(options.state).call('PUT /api/admin/backends/:person/:app/segredos/:nome', { params, body: { value } });
  await print(view, options);
  if (view.restartNeeded) warn(`the running app still has the old value: svc restart ${backend}\n`);
}

export async function runSecretRemove(backend: string, name: string, options: PortalOptions): Promise<void> {
  const params = { ...backendOf(backend), nome: name };
  const view = await createClient(options.state).call('DELETE /api/admin/backends/:person/:app/segredos/:nome', { params });
  await print(view, options);
  if (view.restartNeeded) warn(`the running app still has the value: svc restart ${backend}\n`);
}

async function print(view: SecretsView, { output }: PortalOptions): Promise<void> {
  if (isForPrograms(output)) return await printValue(view, output);
  const state = ({ set, required, declared }: SecretsView['secrets'][number]): string =>
    !declared ? 'set, not asked for' : set ? 'set' : required ? 'missing' : 'not set';
  const columns = [
    { title: 'NAME', of: ({ name }: SecretsView['secrets'][number]) => name },
    { title: 'STATE', of: state },
    { title: 'REQUIRED', isWide: true, of: ({ required }: SecretsView['secrets'][number]) => (required ? 'yes' : 'no') },
    { title: 'DESCRIPTION', of: ({ description }: SecretsView['secrets'][number]) => description },
  ];
  write(view.secrets.length === 0 ? 'the app asks for no secrets\n' : listing(view.secrets, columns, output));
}

/** Reads all of stdin. The line break after a single line is the shell's and is cut; a value of several lines (a PEM key) stays. */
async function readPiped(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    size += (chunk as Buffer).length;
    if (size > limits.secretValueBytesMax + 2) throw new SvcError('TOO_LARGE', `a secret has at most ${limits.secretValueBytesMax} bytes`);
    chunks.push(chunk as Buffer);
  }
  const whole = textOf(Buffer.concat(chunks));
  const line = whole.replace(/\r?\n$/, '');
  return checked(line.includes('\n') ? whole : line);
}

/** Refuses bytes that are no text: they would be stored as another value. */
function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new SvcError('SECRET_REFUSED', 'the value is not valid UTF-8: encode it, for example with base64 -w0');
  }
}

/** Reads a line from the terminal without showing it. */
function readHidden(prompt: string): Promise<string> {
  const { stdin } = process;
  warn(prompt);
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  let value = '';
  return new Promise((resolve, reject) => {
    const end = (complete: () => void): void => {
      stdin.off('data', take);
      stdin.setRawMode(false);
      stdin.pause();
      warn('\n');
      complete();
    };
    const take = (text: string): void => {
      for (const character of text) {
        if (character === '\r' || character === '\n') return end(() => finish(resolve, reject, value));
        if (character === '\u0003' || character === '\u0004') return end(() => reject(new SvcError('BAD_REQUEST', 'nothing was set')));
        if (character === '\u007f' || character === '\b') value = Array.from(value).slice(0, -1).join('');
        else value += character;
      }
    };
    stdin.on('data', take);
  });
}

function finish(resolve: (value: string) => void, reject: (error: unknown) => void, value: string): void {
  try {
    resolve(checked(value));
  } catch (error) {
    reject(error);
  }
}

function checked(value: string): string {
  if (value === '') throw new SvcError('BAD_REQUEST', 'the value on stdin is empty; svc secret remove deletes a secret');
  if (value.includes('\0')) throw new SvcError('SECRET_REFUSED', 'the value holds a NUL: encode it, for example with base64 -w0');
  return value;
}
