/** A page of the shell without a browser: signs in with the portal's one-time link and calls its API over 127.0.0.1, with the Host that a page has. */
import http from 'node:http';

export interface PageAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever the portal answered: the assertions say what it must be
  json(): any;
}

export interface PageClient {
  /** Headers of each of its calls. */
  readonly headers: Readonly<Record<string, string>>;
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<PageAnswer>;
}

interface Sent {
  readonly port: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | string | undefined;
}

export async function sendTo({ port, method, path, headers, body }: Sent): Promise<PageAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<PageAnswer>();
  const request = http.request({ host: '127.0.0.1', port, method, path, headers: { ...headers } }, (answer) => {
    const chunks: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    answer.on('error', reject);
    answer.on('end', () => {
      const whole = Buffer.concat(chunks);
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: whole, json: () => JSON.parse(whole.toString()) });
    });
  });
  request.on('error', reject);
  request.end(body);
  return await promise;
}

/** `link` works once. */
export async function signInPage(link: string, port: number): Promise<PageClient> {
  const { host, pathname, search } = new URL(link);
  const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'sec-fetch-site': 'none', accept: 'text/html' };
  const answer = await sendTo({ port, method: 'GET', path: pathname + search, headers: { host, ...navigation } });
  const cookie = (answer.headers['set-cookie'] ?? []).map((line) => line.split(';')[0]).join('; ');
  if (cookie === '') throw new Error(`no session: ${answer.status}`);
  const own = { host, cookie, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
  return {
    headers: own,
    call: (method, path, body, headers = {}) => {
      const isRaw = body === undefined || Buffer.isBuffer(body);
      const type: Record<string, string> = isRaw ? { 'content-type': 'application/octet-stream' } : { 'content-type': 'application/json' };
      const all = { ...own, ...(body === undefined ? {} : type), ...headers };
      return sendTo({ port, method, path, headers: all, body: isRaw ? body : JSON.stringify(body) });
    },
  };
}
