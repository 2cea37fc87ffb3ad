/** The tables of docs/api.md against the routes that the portal has. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPortalWorld, type PortalWorld } from './testing/portal-world.ts';

const methods = 'GET|POST|PUT|PATCH|DELETE';

/** `[/:id]` may be left out, a query says nothing of the route, and every parameter is a parameter. */
function plainPaths(path: string): string[] {
  const optional = /\[(\/[^\]]+)\]/.exec(path);
  if (optional !== null) return [path.replace(optional[0], ''), path.replace(optional[0], optional[1] ?? '')].flatMap(plainPaths);
  return [
    path
      .replace(/[[?].*$/, '')
      .replaceAll(/:\w+/g, '{}')
      .replace(/\/$/, ''),
  ];
}

/** Routes of a first cell: a method with a path; a method alone (the same path); a word alone (another last part of it). */
function routesOf(cell: string): string[] {
  let method = '';
  let path = '';
  return [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, span = '']) => {
    const whole = new RegExp(`^(${methods}|WS)(?: (/\\S*))?$`).exec(span);
    if (whole !== null) [method, path] = [whole[1] ?? '', whole[2] ?? path];
    else if (/^[a-z]+$/.test(span)) path = path.replace(/[^/]+$/, span);
    else return [];
    return method === 'WS' ? [] : plainPaths(path).map((plain) => `${method} ${plain}`);
  });
}

const cells = readFileSync(new URL('../docs/api.md', import.meta.url), 'utf8')
  .split('\n')
  .flatMap((line) => /^\| (.*?) \| /.exec(line)?.[1] ?? []);

let portal: PortalWorld;
beforeAll(async () => {
  portal = await createPortalWorld();
});
afterAll(() => portal.close());

test('docs/api.md has every route of the portal under /api once, and no other', async () => {
  const { paths }: { paths: Record<string, object> } = (await portal.browser().call('GET', '/api/openapi.json')).json();
  const served = Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.keys(byMethod).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(?:\w+|\*)\}/g, '{}').replace(/\/$/, '')}`),
  );
  const told = cells.flatMap(routesOf).filter((route) => route.includes(' /api/') && !route.endsWith('openapi.json'));
  const wanted = served.filter((route) => route.includes(' /api/') && !route.startsWith('HEAD '));
  expect(told.toSorted()).toEqual([...new Set(wanted)].toSorted());
});
