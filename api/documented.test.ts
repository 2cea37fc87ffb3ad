/** The table of routes (schema/routes), of which docs/api.md is made, against the routes that the portal has. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { routes } from '../schema/routes/routes.ts';
import { createPortalWorld, type PortalWorld } from './testing/portal-world.ts';

let portal: PortalWorld;
beforeAll(async () => {
  portal = await createPortalWorld();
});
afterAll(() => portal.close());

test('the table has every route of the portal under /api once, and no other', async () => {
  const { paths }: { paths: Record<string, object> } = (await portal.browser().call('GET', '/api/openapi.json')).json();
  const served = Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.keys(byMethod).map((method) => `${method.toUpperCase()} ${path.replace('{*}', '*').replaceAll(/\{(\w+)\}/g, ':$1')}`),
  );
  const wanted = served.filter((route) => route.includes(' /api/') && !route.startsWith('HEAD '));
  expect(Object.keys(routes).toSorted()).toEqual([...new Set(wanted)].toSorted());
});
