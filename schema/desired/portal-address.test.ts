/** Where browsers reach the portal, and what apps on origins of their own need of that address. */
import { expect, test } from 'vitest';
import { readDesired } from './load.ts';

test.for([
  ['url: svc.localhost', ''],
  ['url: "http://localhost:8787"', ''],
  ['url: "http://CASA.localhost/"', ''],
  ['url: "https://apps.example.org"', ''],
  ['origins: path, url: "http://apps.example.org"', ''],
  ['url: "http://10.0.0.5", origins: path', ''],
  ['url: "http://apps.example.org"', 'INSECURE_ADDRESS'],
  ['url: apps.lan, origins: subdomain', 'INSECURE_ADDRESS'],
  ['url: "apps.lan:8787"', 'INSECURE_ADDRESS'],
  ['url: "http://localhost.example.org"', 'INSECURE_ADDRESS'],
  ['url: "http://notlocalhost"', 'INSECURE_ADDRESS'],
  ['url: "http://127.0.0.1:8787"', 'NUMERIC_ADDRESS'],
  ['url: "http://[::1]:8787"', 'NUMERIC_ADDRESS'],
  ['url: "https://10.0.0.5"', 'NUMERIC_ADDRESS'],
  ['url: 192.168.1.10', 'NUMERIC_ADDRESS'],
  ['url: "https://[2001:db8::1]"', 'NUMERIC_ADDRESS'],
  ['url: "https://2130706433"', 'NUMERIC_ADDRESS'],
  ['url: "https://999.1.1.1"', 'PATTERN'],
  ['url: "https://apps.1", origins: path', 'PATTERN'],
] as const)('%s', ([spec, code]) => {
  const bytes = `apiVersion: svc/v1\nkind: Portal\nmetadata: { name: casa }\nspec: { ${spec} }`;
  const said = readDesired([{ name: 'a.yaml', bytes }]).reports[0]?.errors.map((each) => `${each.code} ${each.path}`);
  expect(said).toEqual(code === '' ? [] : [`${code} /spec/url`]);
});

test('passkeys need an origin for each app', () => {
  const said = ['path', 'subdomain'].map((origins) => {
    const spec = `{ url: "https://apps.example.org", origins: ${origins}, signIn: { passkey: {} } }`;
    const bytes = `apiVersion: svc/v1\nkind: Portal\nmetadata: { name: casa }\nspec: ${spec}`;
    return readDesired([{ name: 'a.yaml', bytes }]).reports[0]?.errors.map((each) => `${each.code} ${each.path}`);
  });
  expect(said).toEqual([['PASSKEY_ORIGIN /spec/signIn/passkey'], []]);
});
