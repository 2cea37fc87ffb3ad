/** Somebody with curl: keeps cookies by host and goes where a page leads to. (curl itself keeps no `Secure` cookie of a plain *.localhost.) */
import type { Street } from './machines.ts';

export interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export interface Visitor {
  /** As a page of that origin asks. */
  ask(method: string, url: string, body?: unknown): Promise<Answer>;
  /** The cookie that it sends to that host, for another program. */
  cookie(host: string): string;
  /** As somebody who opens the address, through all redirects. */
  open(url: string): Promise<Answer>;
}

/** Answers that nobody would wait longer for. */
const secondsMax = 60;

/** `at`: host:port of the portal, whatever the address says. */
export function createVisitor({ run }: Pick<Street, 'run'>, at: string): Visitor {
  const cookies = new Map<string, Map<string, string>>();
  const cookieOf = (host: string): string => [...(cookies.get(host) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  const send = async (method: string, url: string, headers: readonly string[], body?: string): Promise<Answer> => {
    const { host } = new URL(url);
    const own = cookies.get(host) ?? new Map<string, string>();
    cookies.set(host, own);
    const cookie = cookieOf(host);
    const all = [...headers, ...(cookie === '' ? [] : [`Cookie: ${cookie}`])].flatMap((line) => ['-H', line]);
    const argv = ['curl', '-sSk', '-i', '--max-time', String(secondsMax), '--connect-to', `::${at}`, '-X', method, ...all];
    const { out } = await run(
      [...argv, ...(body === undefined ? [] : ['--data-binary', '@-']), url],
      body === undefined ? {} : { input: body },
    );
    const answer = parsed(out);
    for (const line of (answer.headers.get('set-cookie') ?? '').split('\n')) {
      const [, name, value] = /^([^=;]+)=([^;]*)/.exec(line) ?? [];
      if (name !== undefined && value !== undefined) own.set(name, value);
    }
    return answer;
  };
  return {
    cookie: cookieOf,
    ask: async (method, url, body) => {
      const same = [`Origin: ${new URL(url).origin}`, 'Sec-Fetch-Site: same-origin'];
      return await send(
        method,
        url,
        body === undefined ? same : [...same, 'Content-Type: application/json'],
        body === undefined ? undefined : JSON.stringify(body),
      );
    },
    open: async (url) => {
      const navigation = ['Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document', 'Sec-Fetch-Site: none', 'Accept: text/html'];
      let [answer, from] = [await send('GET', url, navigation), url];
      for (let step = 0; step < 10 && answer.status >= 300 && answer.status < 400; step += 1) {
        from = new URL(answer.headers.get('location') ?? '', from).href;
        answer = await send('GET', from, navigation);
      }
      return answer;
    },
  };
}

/** A field that comes several times has a line for each. */
function parsed(text: string): Answer {
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const [name, value] = [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    headers.set(name, headers.has(name) ? `${headers.get(name)}\n${value}` : value);
  }
  return { status: Number(first.split(' ')[1]), headers, body: text.slice(end + 4) };
}
