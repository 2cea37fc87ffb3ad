/**
 * `svc keys rotate` on three servers over real sshd, each a machine of its own: one is away meanwhile, and the portal is killed at each step. At no moment
 * is a server out of reach. Needs root.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keyFaultPoints } from '../../controller/faults.ts';
import { until } from '../journeys/until.ts';
import { everyNth } from '../support/share.ts';
import { openSite, state, type Site } from './site.ts';
import { serverDocument } from './worlds.ts';

const people = { sirius: ['ana', 'bia'], vega: ['eva'], polar: ['rui'] } as const;
const names = Object.keys(people);
const key = `${state}/ssh/id_ed25519`;
let site: Site;

const text = async (file: string): Promise<string> => (await site.portal.sh(`cat '${file}'`, { codes: [0, 1] })).out.trim();
const publicOf = async (file: string): Promise<string> =>
  (await site.portal.run(['ssh-keygen', '-yf', file], { as: 'svc' })).out.split(' ')[1] ?? '';
const textOn = async (name: string, file: string): Promise<string> => (await site.server(name).sh(`cat '${file}'`)).out.trim();
/** As the server says it, by a plain client: which accounts a private key opens. */
async function opens(file: string): Promise<readonly string[]> {
  const asked = Object.entries(people).flatMap(([name, accounts]) => ['root', ...accounts].map((account) => ({ name, account })));
  const options = [
    'BatchMode=yes',
    'IdentitiesOnly=yes',
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'ConnectTimeout=5',
    'IdentityAgent=none',
  ];
  const words = options.flatMap((each) => ['-o', each]);
  const found = await Promise.all(
    asked.map(async ({ name, account }) => {
      const argv = ['ssh', ...words, '-i', file, `${account}@${site.server(name).address}`, 'true'];
      const { code } = await site.portal.run(argv, { as: 'svc', codes: [0, 255] });
      return code === 0 ? [`${account}@${name}`] : [];
    }),
  );
  return found.flat().sort();
}
const everybody = Object.entries(people)
  .flatMap(([name, accounts]) => ['root', ...accounts].map((account) => `${account}@${name}`))
  .sort();
/** A copy that the test keeps, so that it can be tried after it is gone. */
async function copyOfKey(name: string): Promise<string> {
  const at = `/var/lib/svc/${name}`;
  await site.portal.sh(`install -m 600 -o svc -g svc '${key}' '${at}'`);
  return at;
}
const isWhole = async (): Promise<boolean> => (await text(`${key}.next`)) === '';
const reached = async (): Promise<boolean> => {
  const objects = await site.objects();
  return names.every((name) => objects.get(`Server/${name}`)?.state === 'ready');
};

beforeAll(async () => {
  site = await openSite(people);
  await site.write('portal', 'kind: Portal\nmetadata: { name: casa }\nspec: { listen: "0.0.0.0:8787" }');
  for (const name of names) await site.write(name, await serverDocument(site, name));
  const documents = Object.entries(people).flatMap(([server, accounts]) =>
    accounts.map(
      (name) => `kind: Person\nmetadata: { name: ${name} }\nspec: { nome: ${name}, login: ${name}, server: ${server}, account: ${name} }`,
    ),
  );
  await site.write('people', ...documents);
  await site.restart();
  // With an option, a comment and no end of the line: what people do to such files.
  const line = `from="198.51.100.0/24",no-X11-forwarding ${await text(`${key}.pub`)} do not remove`;
  for (const name of names) {
    const before =
      name === 'vega' ? '# ours\nssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA other\n' : '';
    await site.server(name).sh('umask 077; cat >/root/.ssh/authorized_keys', { input: `${before}${line}` });
  }
  await Promise.all(names.map((name) => site.svc('server', 'add', name)));
  await until('the servers', reached, 300_000);
}, 900_000);

afterAll(() => site?.end());

test('a plan changes nothing, and what is no server of this key is refused', async () => {
  const { code, out } = await site.svc('keys', 'rotate', '--plan');
  expect([code, await isWhole()]).toEqual([2, true]);
  expect(out).toMatch(/polar: put the new key beside the old one for root and 1 account/);
  expect((await site.svc('keys', 'rotate', '--server', 'nada')).err).toMatch(/NOT_FOUND no Server document nada/);
  expect(await isWhole()).toBe(true);
});

test(
  'one of three is away: the others change, that one keeps the old key and is told; it changes when it is back',
  { timeout: 900_000 },
  async () => {
    const old = await copyOfKey('old-1');
    await site.server('polar').sh('ip link set net down');
    const { code, out, err } = await site.svc('keys', 'rotate');
    expect([code, `${out}${err}`]).toEqual([1, expect.stringMatching(/polar: keeps the old key/)]);
    const next = `${key}.next`;
    expect(await opens(old)).toEqual([]);
    expect(await opens(next)).toEqual(everybody.filter((each) => !each.endsWith('@polar')));
    const row = (await site.doctor()).find(({ name }) => name === 'keys');
    expect(row).toMatchObject({ ok: false, warning: true, detail: expect.stringMatching(/do not have yet: polar$/) as string });
    await until('the word of polar', async () => (await site.objects()).get('Server/polar')?.message.includes('keeps the old ssh key'));
    // Lines beside that of the portal stay.
    expect(await textOn('vega', '/root/.ssh/authorized_keys')).toMatch(
      /^# ours\nssh-ed25519 A{3}\S+ other\nfrom="198\.51\.100\.0\/24",no-X11-forwarding ssh-ed25519 \S+ svc-portal do not remove$/,
    );
    await site.restart();
    await site.server('polar').sh('ip link set net up');
    await until('the new key everywhere', isWhole, 400_000);
    expect(await opens(old)).toEqual([]);
    expect(await opens(key)).toEqual(everybody);
    expect((await site.doctor()).find(({ name }) => name === 'keys')).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/is 0 day\(s\) old$/) as string,
    });
  },
);

test.for(everyNth(keyFaultPoints.length, keyFaultPoints))(
  'killed at %s every server is reached, and the change ends',
  { timeout: 900_000 },
  async (point) => {
    const old = await copyOfKey('old-2');
    const before = await publicOf(old);
    await site.restart(point);
    await until('the servers', reached, 300_000);
    const { code } = await site.svc('keys', 'rotate');
    expect(code).toBe(1);
    // No portal runs: what there is opens everybody, by one of its keys.
    const files = [key, ...((await isWhole()) ? [] : [`${key}.next`])];
    const open = new Set<string>();
    for (const file of files) for (const each of await opens(file)) open.add(each);
    expect([...open].sort()).toEqual(everybody);
    await site.restart();
    await until('the servers', reached, 300_000);
    if (point === 'keys/scope-kept') await site.svc('keys', 'rotate');
    await until('the new key everywhere', isWhole, 400_000);
    expect(await publicOf(key)).not.toBe(before);
    expect(await text(`${key}.pub`)).toContain(await publicOf(key));
    expect(await opens(old)).toEqual([]);
    expect(await opens(key)).toEqual(everybody);
  },
);
