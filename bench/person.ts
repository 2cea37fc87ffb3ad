/** A person of a portal that runs as it ships: signed in as a browser would be. */
import { createBrowser, navigation, type Browser } from '../api/testing/portal-world.ts';
import type { RunningPortal } from '../test/support/portal.ts';

export async function signIn(portal: Pick<RunningPortal, 'port' | 'admin'>, person: string, { admin = false } = {}): Promise<Browser> {
  const host = `svc.localhost:${portal.port}`;
  const browser = createBrowser({ host, port: portal.port, url: `http://${host}`, received: [] });
  const { link } = (await portal.admin('POST', '/api/admin/links', { person, admin })).body as { link: string };
  const url = new URL(link);
  const answer = await browser.request(url.pathname + url.search, { headers: navigation });
  if (answer.status !== 302) throw new Error(`sign-in answered ${answer.status}`);
  return browser;
}
