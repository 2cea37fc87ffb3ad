import { expect, test } from 'vitest';
import { appIdFault, appIdPattern, isAppId } from './app-id.ts';
import { limits } from './limits.ts';
import { parseManifest } from './manifest/minimum.ts';
import { validateManifest } from './manifest/validate.ts';
import { appPaths, serverAppPaths } from './server-paths.ts';

const longest = 'a'.repeat(49);

test('the longest id fits into a socket path below the longest home, and one character more does not', () => {
  // Linux: an account has at most 32 characters; a socket path 107 bytes and the closing NUL.
  const place = { home: `/home/${'u'.repeat(32)}`, prefix: '' };
  expect(place.home).toHaveLength(limits.accountHomeBytesMax);
  expect(appPaths(place, longest).socket).toHaveLength(107);
  expect(appPaths(place, `${longest}a`).socket).toHaveLength(108);
  expect(serverAppPaths('a'.repeat(limits.serverScopeIdCharsMax)).account.length).toBeLessThanOrEqual(32);
});

test.for(['a', '7', 'a-b', 'a--b', 'xn-a', longest])('%s is an app id', (id) => {
  expect([isAppId(id), appIdFault(id), new RegExp(appIdPattern, 'u').test(id)]).toEqual([true, null, true]);
});

test.for<[string, RegExp]>([
  [`${longest}a`, /at most 49 characters, found 50: its socket .* 107 bytes/],
  ['-a', /no "-" first or last/],
  ['a-', /no "-" first or last/],
  ['-', /no "-" first or last/],
  ['xn--a', /no "xn--" first/],
  ['', /lowercase letters, digits and "-"/],
  ['Notas', /lowercase letters, digits and "-"/],
  ['a/b', /lowercase letters, digits and "-"/],
  ['a\n', /lowercase letters, digits and "-"/],
])('%j is none, and it is said why', ([id, why]) => {
  expect(isAppId(id)).toBe(false);
  expect(appIdFault(id)).toMatch(why);
});

test('the validator and the servers take the same ids', () => {
  const manifest = (id: string): string =>
    JSON.stringify({ id, version: '1.0.0', backend: { runtime: 'python3', entrypoint: 'backend/main.py' } });
  const taken = (id: string): boolean => {
    try {
      return parseManifest(manifest(id)).id === id;
    } catch {
      return false;
    }
  };
  for (const id of [longest, `${longest}a`, '-a', 'a-', 'xn--a', 'a', '', 'A', 'a.b', 'a_b'])
    expect([id, validateManifest('svc-app.json', manifest(id)).ok, taken(id)]).toEqual([id, isAppId(id), isAppId(id)]);
});
