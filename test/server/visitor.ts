/** A person with a browser's cookies and nothing else of a browser. */
import { request } from 'node:http';
import type { RunningPortal } from '../support/portal.ts';

export interface Visitor {
  /** GET, as a page of the shell asks. Rejects with the text of anything but 200. */
  json(route: string): Promise<unknown>;
}

export async function signIn(portal: RunningPortal, person: string): Promise<Visitor> {
  const { body } = await portal.admin('POST', '/api/admin/links', { person });
  const link = new URL((body as { link: string }).link);
  const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'sec-fetch-site': 'none', accept: 'text/html' };
  const answer = await get(portal, `${link.pathname}${link.search}`, navigation);
  const cookie = answer.cookies.map((one) => one.split(';', 1)[0]).join('; ');
  if (cookie === '') throw new Error(`no session for ${person}: ${answer.status} ${answer.text}`);
  return {
    json: async (route) => {
      const { status, text } = await get(portal, route, { cookie, 'sec-fetch-site': 'same-origin', accept: 'application/json' });
      if (status !== 200) throw new Error(`${route}: ${status} ${text}`);
      return JSON.parse(text);
    },
  };
}

interface Got {
  readonly status: number;
  readonly text: string;
  readonly cookies: readonly string[];
}

function get(portal: RunningPortal, path: string, headers: Readonly<Record<string, string>>): Promise<Got> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port: portal.port, path, headers: { ...headers, host: `svc.localhost:${portal.port}` } },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.once('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            text: Buffer.concat(chunks).toString('utf8'),
            cookies: answer.headers['set-cookie'] ?? [],
          }),
        );
      },
    );
    asked.once('error', reject);
    asked.end();
  });
}
