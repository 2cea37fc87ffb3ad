/** Apps in use while portals fall. Each keeps by itself when it was started, and whether another one of it lived then; and supervisors keep who ordered what. */
import { cp, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBrowser, navigation } from '../../../api/testing/portal-world.ts';
import { repository } from '../../support/portal.ts';
import { anyOf, type FaultsWorld } from './world.ts';

/** Packages for `folder`: caderno as it is, and notas, which writes a line into `starts/PERSON` when it begins. */
export async function countedPackages(folder: string): Promise<string> {
  const packages = join(folder, 'packages');
  for (const app of ['caderno', 'notas']) await cp(join(repository, 'examples/apps', app), join(packages, app), { recursive: true });
  await mkdir(join(folder, 'starts'), { mode: 0o777 });
  const main = join(packages, 'notas/backend/main.py');
  await writeFile(main, `${begins(join(folder, 'starts'))}\n${await readFile(main, 'utf8')}`);
  return packages;
}

const begins = (place: string): string => `
import os as _os
def _begins():
    file = _os.path.join(${JSON.stringify(place)}, _os.path.basename(_os.environ['HOME']))
    twins = []
    if _os.path.exists(file):
        for line in open(file):
            pid = line.split()[0]
            try:
                if pid != str(_os.getpid()) and 'notas' in open('/proc/' + pid + '/cmdline').read():
                    twins.append(pid)
            except OSError:
                pass
    with open(file, 'a') as to:
        to.write(' '.join([str(_os.getpid())] + twins) + '\\n')
_begins()
`;

export interface Use {
  readonly seen: { answered: number; failed: number; signedOut: number };
  stop(): Promise<void>;
}

/** Each person uses the own app through nginx, with a session of the app's origin. */
export async function useApps(world: FaultsWorld, people: readonly string[], everyMs: number): Promise<Use> {
  const { portals, front } = world;
  const seen = { answered: 0, failed: 0, signedOut: 0 };
  const stop = new AbortController();
  const host = `notas.${front.host}`;
  const users = await Promise.all(
    people.map(async (person) => {
      const { socketPath } = front;
      const browser = createBrowser({ host: front.host, port: 0, socketPath, url: `http://${front.host}`, received: [] });
      const { body } = await anyOf(portals, (portal) => portal.admin('POST', '/api/admin/links', { person }));
      const { pathname, search } = new URL((body as { readonly link: string }).link);
      await browser.request(pathname + search, { headers: navigation });
      const { status } = await browser.visit(`http://${host}/`);
      if (status !== 200) throw new Error(`the app of ${person} answered ${status}`);
      return async () => (await browser.request('/api/ping', { headers: { host } })).status;
    }),
  );
  const uses = users.map(async (ask) => {
    while (!stop.signal.aborted) {
      const status = await Promise.race([ask().catch(() => 0), sleep(15_000, 0)]);
      if (status === 200) seen.answered += 1;
      else if (status === 401 || status === 403 || (status >= 300 && status < 400)) seen.signedOut += 1;
      else seen.failed += 1;
      await sleep(everyMs);
    }
  });
  return {
    seen,
    stop: async () => {
      stop.abort();
      await Promise.all(uses);
    },
  };
}

export interface Order {
  readonly atMs: number;
  readonly home: string;
  /** `leader`: a portal said that it leads. */
  readonly event: 'leader' | 'order' | 'order-refused';
  readonly leader: number;
}

/** The supervisors' records of orders, in the order of each. */
export async function ordersOf({ folder }: FaultsWorld): Promise<readonly Order[]> {
  const homes = join(folder, 'casa/home');
  const orders: Order[] = [];
  for (const home of await readdir(homes)) {
    const text = await readFile(join(homes, home, '.svc-apps/supervisor.log'), 'utf8').catch(() => '');
    for (const line of text.split('\n')) {
      if (!/"event":"(?:leader|order|order-refused)"/.test(line)) continue;
      const { time, event, leader } = JSON.parse(line) as {
        readonly time: string;
        readonly event: Order['event'];
        readonly leader: number;
      };
      orders.push({ atMs: Date.parse(time), home, event, leader });
    }
  }
  return orders;
}

/** Orders that were carried out though a portal with a higher number led at that time. A number is the time when it began to lead. */
export function actsOfDeposed(orders: readonly Order[], numbers: readonly number[]): readonly Order[] {
  return orders.filter(
    ({ event, leader, atMs }) => event !== 'order-refused' && numbers.some((number) => number > leader && number <= atMs),
  );
}

/** At each supervisor no number that was taken is below one before. */
export function stepsBack(orders: readonly Order[]): readonly Order[] {
  const highest = new Map<string, number>();
  return orders.filter(({ event, home, leader }) => {
    if (event === 'order-refused') return false;
    const before = highest.get(home) ?? 0;
    highest.set(home, Math.max(before, leader));
    return leader < before;
  });
}
