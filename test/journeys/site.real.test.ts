/**
 * A new administrator makes a site of an empty machine: the package, `svc setup`, Caddy with certificates of an authority, and a browser that signs
 * in over HTTPS with a Linux password and opens an app on an origin of its own.
 * @module-tag carries-state
 */
import { writeFile, chmod, mkdtemp, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tellCount } from '../support/counts.ts';
import { openAuthority, type Authority } from './authority.ts';
import { openStreet, type Machine, type Street } from './machines.ts';
import { packMsMax, shippedPackage } from './shipped-tree.ts';
import { until } from './until.ts';

const host = 'svc.example.org';
const password = 'Senha-é-1';

let street: Street;
let machine: Machine;
let authority: Authority;
let browser: Browser;
let folder: string;
const endings: (() => Promise<unknown>)[] = [];
const startMs = performance.now();

beforeAll(async () => {
  const [deb, opened] = await Promise.all([shippedPackage(), openStreet()]);
  street = opened;
  endings.push(street.end);
  machine = await street.machine({ '/srv/package': path.dirname(deb) });
  authority = await openAuthority(street, machine.address);
  await machine.accounts(['ana', 'bia', 'caio'].map((name) => ({ name, password })));
  await machine.sh(
    [
      // An empty Debian has these from its installation.
      "ssh-keygen -q -t ed25519 -N '' -f /etc/ssh/ssh_host_ed25519_key; rm -rf /root/.ssh",
      'groupadd --gid 2999 --users ana,bia alunos',
      `dpkg --no-triggers --install /srv/package/${path.basename(deb)}`,
      `echo nameserver ${authority.address} >/etc/resolv.conf`,
      `cat >/root/authority.pem <<'END'\n${authority.ownRoot}END`,
    ].join('\n'),
  );
  machine.start(['/usr/sbin/sshd', '-D', '-e']);
  folder = await mkdtemp(path.join(tmpdir(), 'svcb-'));
  endings.push(() => rm(folder, { recursive: true, force: true }));
  const program = path.join(folder, 'chromium');
  await writeFile(program, `#!/bin/sh\nexec ${street.within.join(' ')} /usr/bin/chromium-headless-shell "$@"\n`);
  await chmod(program, 0o755);
  const names = `--host-resolver-rules=MAP ${host} ${machine.address},MAP *.${host} ${machine.address}`;
  browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox', '--disable-gpu', '--disable-quic', names] });
  endings.push(() => browser.close());
}, packMsMax);

afterAll(async () => {
  for (const end of endings.toReversed()) await end();
  tellCount(`journey site: ${Math.round((performance.now() - startMs) / 1_000)} s`);
});

/** As an administrator whose machine has no systemd: what it says to start is started. */
async function setup(...args: readonly string[]): Promise<{ readonly code: number | null; readonly said: string }> {
  const child = machine.start(['svc', 'setup', ...args]);
  let said = '';
  const isStarted = { portal: false, front: false };
  const read = (chunk: Buffer): void => {
    said += chunk.toString();
    if (!isStarted.portal && /^.*start the portal yourself/m.test(said)) {
      isStarted.portal = true;
      machine.start('/usr/bin/svc up /etc/svc-portal --no-link'.split(' '), { as: 'svc' });
    }
    const front = /start the proxy yourself: {2}(.*)\n/.exec(said)?.[1];
    if (!isStarted.front && front !== undefined) {
      isStarted.front = true;
      machine.start(['sh', '-c', `exec ${front}`]);
    }
  };
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', read);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said };
}

const svc = async (...args: readonly string[]) => await machine.run(['svc', ...args], { codes: [0, 1] });
const acme = () => ['--acme', authority.directory, '--acme-root', '/root/authority.pem'];

test('one command makes the site', { timeout: 300_000 }, async () => {
  const { code, said } = await setup(
    '--url',
    `https://${host}`,
    '--front',
    'caddy',
    ...acme(),
    '--group',
    'alunos',
    '--admin',
    'ana',
    '--app',
    'notas',
  );
  expect([code, said]).toEqual([0, expect.stringContaining(`ready: https://${host}\n`)]);
  const people = JSON.parse((await machine.run(['svc', 'get', 'people', '-o', 'json'])).out) as readonly { readonly key: string }[];
  expect(people.map(({ key }) => key).filter((key) => key.startsWith('Person/'))).toEqual(['Person/ana', 'Person/bia']);
  expect((await machine.sh('cat /etc/svc-portal/people.yaml')).out).not.toMatch(/kind: Person$/m);
});

test('no command needs --state; SVC_STATE goes before svc.conf, and --state before both', async () => {
  const asked = async (env: string, words: string, as = 'root'): Promise<string> => {
    const ran = await machine.run(['sh', '-c', `cd / && ${env} svc get Portal ${words}`], { as, codes: [0, 1] });
    return `${ran.code} ${/(?:\/srv\/\w+|state)(?=\/svc\.sock)/.exec(ran.err)?.[0] ?? ''}`;
  };
  expect([await asked('', ''), await asked('', '', 'svc')]).toEqual(['0 ', '0 ']);
  // Somebody who may not enter the folder has their own.
  expect(await asked('', '', 'ana')).toBe('1 state');
  await machine.sh('printf "# of this site\\nSVC_STATE=/srv/conf" >/etc/svc-portal/svc.conf');
  expect(await asked('', '')).toBe('1 /srv/conf');
  expect(await asked('SVC_STATE=/srv/env', '')).toBe('1 /srv/env');
  expect(await asked('SVC_STATE=/srv/env', '--state /var/lib/svc/state')).toBe('0 ');
  await machine.sh('rm /etc/svc-portal/svc.conf');
});

/** Status, and what the certificate and the connection were, with the roots of the authority alone. */
async function seen(url: string, roots?: string): Promise<string> {
  await street.run(['sh', '-c', 'cat >"$0"', `${folder}/roots.pem`], { input: roots ?? (await authority.root()) });
  const words = [
    '-o',
    '/dev/null',
    '-w',
    '%{http_code} %{http_version} %header{strict-transport-security} %{redirect_url}',
    '--max-time',
    '30',
  ];
  const names = [host, `notas.${host}`, `xn--prvia-csa.${host}`, `outro.${host}`].flatMap((name) => [
    '--resolve',
    `${name}:443:${machine.address}`,
    '--resolve',
    `${name}:80:${machine.address}`,
  ]);
  const { out, code } = await street.run(['curl', '-sS', '--cacert', `${folder}/roots.pem`, ...names, ...words, url], {
    codes: [0, 7, 35, 60],
  });
  return code === 0 ? out.trim() : `no certificate`;
}

test('each origin has a certificate of its own, and no other name gets one', { timeout: 300_000 }, async () => {
  await until('the first certificate', async () => (await seen(`https://${host}/`)) === '200 2 max-age=31536000');
  expect(await seen(`http://${host}/x`)).toBe(`308 1.1  https://${host}/x`);
  expect(await seen(`https://notas.${host}/`)).toBe('401 2 max-age=31536000');
  expect(await seen(`https://xn--prvia-csa.${host}/`)).toMatch(/^404 2/);
  expect(await seen(`https://outro.${host}/`)).toBe('no certificate');
});

test('a browser signs in with a Linux password, and opens an app on an origin of its own', { timeout: 300_000 }, async () => {
  const page = await (await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en' })).newPage();
  await page.goto(`https://${host}/`);
  await page.locator('#login').fill('bia');
  await page.locator('input[type=password]').fill(password);
  await page.keyboard.press('Enter');
  await page.locator('svc-home .tile', { hasText: 'Notas' }).first().click();
  await expect.poll(() => page.frames().map((frame) => new URL(frame.url()).host)).toContain(`notas.${host}`);
  await page.context().close();
});

test('a second run changes nothing, and one with another answer that alone', { timeout: 300_000 }, async () => {
  const listed = async (): Promise<string> =>
    (await machine.sh('cd /etc; find svc-portal caddy ssh -type f -exec sha256sum {} + | sort')).out;
  const before = await listed();
  // The authority of this test is none that the machine trusts.
  const distrust =
    /^(?:the portal does not answer yet; waiting up to 60 s\n)?to be mended {2}certificate: good until [\d-]+; this machine does not trust it \(\w+\)\n[^]*\n\nready: https:\/\/svc\.example\.org\n$/;
  expect(await setup()).toEqual({ code: 0, said: expect.stringMatching(distrust) });
  expect(await listed()).toBe(before);
  await machine.sh("sed -i '1i # ours' /etc/svc-portal/portal.yaml");
  const { code, out } = await machine.run(['svc', 'setup', '--app', 'caderno', '--plan'], { codes: [2] });
  expect([code, out.split('\n').filter((line) => /^[+-]/.test(line)).length]).toEqual([2, 11]);
  expect((await setup('--app', 'caderno')).said).toContain('installs caderno');
  const after = await listed();
  expect(
    after
      .split('\n')
      .filter((line) => !before.includes(line))
      .map((line) => line.split('/').at(-1))
      .toSorted((a = '', b = '') => a.localeCompare(b)),
  ).toEqual(['apps.yaml', 'portal.yaml']);
  expect((await machine.run(['head', '-1', '/etc/svc-portal/portal.yaml'])).out).toBe('# ours\n');
});

test('nginx takes its place, with a certificate for the name and all below it', { timeout: 300_000 }, async () => {
  await machine.sh(`cd /etc/ssl; openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 9 -subj /CN=${host} \\
    -addext 'subjectAltName=DNS:${host},DNS:*.${host}' -keyout svc.key -out svc.pem 2>/dev/null; pkill caddy`);
  const { said } = await setup('--front', 'nginx', '--certificate', '/etc/ssl/svc.pem', '--key', '/etc/ssl/svc.key');
  expect(said).toContain('removes /etc/caddy/Caddyfile\n  ..  writes /etc/nginx/conf.d/svc.conf\n');
  const roots = (await machine.sh('cat /etc/ssl/svc.pem')).out;
  await until('nginx', async () => (await seen(`https://${host}/`, roots)) === '200 2 max-age=31536000');
  expect(await seen(`http://${host}/x`, roots)).toBe(`308 1.1  https://${host}/x`);
  expect(await seen(`https://notas.${host}/`, roots)).toBe('401 2 max-age=31536000');
  // Nine days are few.
  expect((await svc('doctor')).out).toMatch(/^warn +certificate +good until /m);
});

test("a configuration of one's own is not written over", async () => {
  await machine.sh("printf 'example.net { respond x }\\n' >/etc/caddy/Caddyfile");
  const { code, said } = await setup('--front', 'caddy');
  expect([code, said]).toEqual([1, expect.stringContaining('CONFLICT /etc/caddy/Caddyfile has lines of your own')]);
});
