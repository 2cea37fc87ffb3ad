/** Nobody can grow the number of series: not with names of apps, methods, paths, statuses. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { noAuditFigures } from '../../schema/audit.ts';
import { noFigures } from '../../schema/figures.ts';
import { limits } from '../limits.ts';
import { createRandom } from '../../test/simulation/random.ts';
import { tellCount } from '../../test/support/counts.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { silentRelay } from '../rooms/silent-relay.ts';
import { createPortalWorld, type PortalWorld } from '../testing/portal-world.ts';
import { amount } from '../../test/support/amount.ts';

const seed = Number(process.env['SVC_TEST_SEED'] ?? 26);

/** Node's own metrics are left out (`svc_nodejs_*`): a kind of timer or of garbage collection appears when it first happens. */
const seriesOf = (text: string): number => text.split('\n').filter((line) => line !== '' && !/^(#|svc_nodejs_)/.test(line)).length;

async function countOf(metrics: Metrics): Promise<number> {
  return seriesOf(await metrics.registry.metrics());
}

const many = amount(100_000, 1_000_000);
test(`${many} tuples of names that nobody declared (seed ${seed})`, { timeout: 240_000 }, async () => {
  const nobody = { apps: { byState: () => new Map() } };
  const metrics = createMetrics(nobody, {
    eventSockets: () => 0,
    rooms: () => silentRelay.figures(),
    controller: noFigures,
    backups: () => null,
    audit: noAuditFigures,
    certificateEndsAtMs: () => null,
    storeErrors: () => 0,
    stateDir: null,
    apps: [],
  });
  const bare = await countOf(metrics);
  const { next } = createRandom(seed);
  for (let n = 0; n < many; n += 1) {
    const app = `app-${Math.floor(next() * many)}`;
    const status = Math.floor(next() * 1_000);
    metrics.proxy.request(app, status);
    if (n % 4 === 0) metrics.start(app, n % 8 === 0 ? 'ready' : 'not-ready', 1);
    if (n % 4 === 1) metrics.request(`M${n}`, '/api/apps/:id', status, 1);
    if (n % 4 === 2) metrics.proxy.tunnels(app, 1);
  }
  const all = await countOf(metrics);
  const names = limits.metricsAppsMax + 1;
  const buckets = 13;
  // Requests to apps by ten classes of status, starts by two outcomes, tunnels, and one route by ten classes of status.
  expect(all - bare).toBeLessThanOrEqual(names * 10 + names * 2 * (buckets + 1) + names + 10 * (buckets + 1));
  tellCount(`metrics: ${many} label tuples, ${all - bare} series of them, seed ${seed}`);
});

let portal: PortalWorld;
beforeAll(async () => {
  portal = await createPortalWorld();
});
afterAll(() => portal.close());

test('what a client writes into a request makes no series', async () => {
  const ana = await portal.signedIn('ana');
  const scrape = async (): Promise<number> => seriesOf((await portal.control('GET', '/metrics')).text);
  const { next } = createRandom(seed);
  const word = (): string => Math.floor(next() * 2 ** 40).toString(36);
  const knock = async (rounds: number): Promise<void> => {
    for (let n = 0; n < rounds; n += 1) {
      const [a, b] = [word(), word()];
      await ana.request(`/${a}/${b}?${a}=${b}`);
      await ana.request(`/api/${a}/${b}`, { method: ['PURGE', 'MKCOL', 'REPORT', 'PROPFIND'][n % 4]! });
      await ana.call('POST', `/api/apps/${a}/start`, {});
      await ana.request(`/proxy/app/${a}/${b}`);
      await ana.request('/', { headers: { host: `${a}.${portal.host}` } });
      await portal.browser().request('/', { headers: { host: `${a}.example`, 'user-agent': b } });
    }
  };
  await knock(20);
  // The request for the series is one too, and stands in the next answer.
  await scrape();
  const before = await scrape();
  await knock(amount(60, 200));
  const after = await scrape();
  expect(after).toBe(before);
  expect(before).toBeGreaterThan(50);
  tellCount(`metrics: 1200 requests with random names, ${after - before} series more`);
});
