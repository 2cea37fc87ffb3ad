/** A publisher's way to a repository over HTTP: one PUT with the token, the digest and the changelog text (decision 0055). */
import { createReadStream } from 'node:fs';
import about from '../../../package.json' with { type: 'json' };
import { type ErrorCode, errorKinds, SvcError } from '../../../schema/errors.ts';
import { limits } from '../limits.ts';
import { limits as sharedLimits } from '../../../schema/limits.ts';
import { repositoryPaths } from '../layout/paths.ts';
import { ask, readWhole, whyNone } from '../../http/ask.ts';

interface Upload {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly novidades?: string;
  readonly signature?: string | null;
}

/** An address that a token may be sent to. Throws BAD_REQUEST: over plain HTTP only to this machine, unless it is asked for. */
export function repositoryAddress(text: string, insecure = false): URL {
  const url = URL.parse(text);
  if (
    url === null ||
    !['http:', 'https:'].includes(url.protocol) ||
    url.username !== '' ||
    url.password !== '' ||
    url.search !== '' ||
    url.hash !== ''
  )
    throw new SvcError('BAD_REQUEST', 'the repository: expected http(s)://host[:port][/path] without a name, a query or a fragment');
  const host = url.hostname.replace(/\.$/, '');
  const isHere = host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
  if (url.protocol === 'http:' && !isHere && !insecure)
    throw new SvcError('BAD_REQUEST', `${url.host}: the token would go over the network unencrypted; take https, or --insecure`);
  url.pathname = url.pathname.replace(/(?<!\/)\/*$/, '/');
  return url;
}

/** From SVC_REPOSITORY_TOKEN only: arguments are seen by everybody on the machine. Never repeated in an error. */
export function tokenFrom(environment: Readonly<Record<string, string | undefined>>): string {
  const token = environment['SVC_REPOSITORY_TOKEN'] ?? '';
  if (token === '')
    throw new SvcError('UNAUTHENTICATED', 'publishing to an address needs the token of the repository in SVC_REPOSITORY_TOKEN');
  if (!/^[\u0021-\u007e]{1,256}$/.test(token)) throw new SvcError('BAD_REQUEST', 'SVC_REPOSITORY_TOKEN does not hold a token');
  return token;
}

export function packageAddress(base: URL, id: string, version: string): URL {
  return new URL(encodeURI(repositoryPaths.tarball(id, version)), base);
}

export function engineAddress(base: URL, nome: string, versao: string): URL {
  return new URL(encodeURI(repositoryPaths.engine(nome, versao)), base);
}

/** Resolves to what the repository said. Rejects with its own code, or REPOSITORY_UNREACHABLE. Redirects are not followed. */
export async function upload(
  address: URL,
  token: string,
  { path, sha256, bytes, novidades = '', signature = null }: Upload,
): Promise<'published' | 'unchanged'> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/gzip',
    'content-length': String(bytes),
    'content-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
    ...(novidades === '' ? {} : { 'svc-novidades': Buffer.from(novidades).toString('base64') }),
    ...(signature === null ? {} : { 'svc-assinatura': Buffer.from(signature).toString('base64') }),
  };
  const body = createReadStream(path, { end: bytes - 1 });
  const { origin, pathname } = address;
  try {
    // An answer in the middle of the upload is a refusal: the rest need not be sent.
    const answer = await ask({ method: 'PUT', origin, path: pathname, headers, body }, { silentMsMax: limits.publishSilentMsMax });
    try {
      const text = await readWhole(answer, sharedLimits.packageRecordBytesMax * 2);
      if (text === null) throw new Error('its answer is too long');
      return outcomeOf({ status: answer.status, body: text.toString('utf8') }, address);
    } finally {
      answer.end();
    }
  } catch (error) {
    if (error instanceof SvcError) throw error;
    throw new SvcError('REPOSITORY_UNREACHABLE', `${address.host}: ${whyNone(error)}`, {}, { cause: error });
  } finally {
    body.destroy();
  }
}

function outcomeOf({ status, body }: { status: number; body: string }, address: URL): 'published' | 'unchanged' {
  let answer: Record<string, unknown> = {};
  try {
    answer = JSON.parse(body) as Record<string, unknown>;
  } catch {
    // Judged below.
  }
  const outcome = answer['outcome'];
  if ((status === 200 || status === 201) && (outcome === 'published' || outcome === 'unchanged')) return outcome;
  const code = String(answer['code']);
  const detail = typeof answer['detail'] === 'string' ? answer['detail'] : '';
  // The package was judged here, too: the two programs have different versions.
  const judgedBy = code === 'MANIFEST_INVALID' ? ` It was published by svc ${about.version}.` : '';
  if (Object.hasOwn(errorKinds, code))
    throw new SvcError(code as ErrorCode, `${detail === '' ? errorKinds[code as ErrorCode].title : detail}${judgedBy}`);
  throw new SvcError('REPOSITORY_UNREACHABLE', `${address.host} answered ${status} and not as a repository of svc does`);
}
