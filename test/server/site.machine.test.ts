/**
 * A site on Debian's plain image, as a new administrator makes it: the package and one command, with systemd, Caddy and an authority. Each test goes on
 * from the one before. `npm run test:server`.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { shippedPackage } from '../journeys/shipped-tree.ts';
import { launchBrowser } from '../support/chromium.ts';
import { tellCount } from '../support/counts.ts';
import { startMachine, type Machine } from './machine.ts';

/** Software emulation on a busy machine. There is no Python in it: an app of Node is opened. */
const slowMs = 300_000;
const host = 'svc.example.org';
const password = 'Senha-é-1';

/** Names lead to the machine itself; the authority is one that it trusts. */
const surroundings = `set -eu
groupadd alunos; usermod -aG alunos ana; usermod -aG alunos bia; printf 'ana:${password}\\nbia:${password}\\n' | chpasswd
mkdir /root/a; cd /root/a
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=authority -addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out cert.pem 2>/dev/null
cat >config.json <<'END'
{ "pebble": { "listenAddress": "127.0.0.1:14000", "managementListenAddress": "127.0.0.1:15000", "certificate": "/root/a/cert.pem",
  "privateKey": "/root/a/key.pem", "httpPort": 80, "tlsPort": 443, "ocspResponderURL": "", "externalAccountBindingRequired": false } }
END
systemd-run -q --unit=names pebble-challtestsrv -defaultIPv4 127.0.0.1 -defaultIPv6 '' -dns01 127.0.0.1:53 -http01 '' -https01 '' -tlsalpn01 '' -management 127.0.0.1:8055
systemd-run -q --unit=authority -E PEBBLE_VA_NOSLEEP=1 -E PEBBLE_WFE_NONCEREJECT=0 pebble -config /root/a/config.json -dnsserver 127.0.0.1:53
echo nameserver 127.0.0.1 >/etc/resolv.conf
chmod 755 /root /root/a; chmod 644 cert.pem
`;

/** Finds the app of the account of its person. */
const appPid = 'pgrep -u bia -f relogio/.*/main';

let machine: Machine;
let browser: Browser;
let forwarding: ChildProcess;
const port = 20_000 + (process.pid % 10_000);
beforeAll(async () => {
  machine = await startMachine();
  await machine.send(await shippedPackage(), '/root/svc.deb');
  await machine.ok('root', surroundings);
  await machine.until('root', 'openssl s_client -connect 127.0.0.1:14000 </dev/null');
  forwarding = spawn('ssh', [...machine.sshOptions, '-N', '-L', `127.0.0.1:${port}:127.0.0.1:443`, 'root@127.0.0.1'], { stdio: 'ignore' });
  browser = await launchBrowser('shell', [`--host-resolver-rules=MAP ${host} 127.0.0.1:${port},MAP *.${host} 127.0.0.1:${port}`]);
});
afterAll(async () => {
  await browser?.close();
  forwarding?.kill();
  if (forwarding?.exitCode === null) await once(forwarding, 'exit');
  await machine?.stop();
});

const commands = [
  'DEBIAN_FRONTEND=noninteractive apt-get install -y -q /root/svc.deb',
  `svc setup --url https://${host} --front caddy --acme https://127.0.0.1:14000/dir --acme-root /root/a/cert.pem --group alunos --admin ana --app relogio --yes`,
] as const;

test('two commands make the site', async () => {
  const beganMs = performance.now();
  await machine.ok('root', commands[0]);
  const installedMs = performance.now();
  const { code, out, err } = await machine.run('root', commands[1]);
  // That this machine does not know the authority is a warning; emulated it is slow, which is reported.
  expect([code, out, err]).toEqual([0, expect.stringContaining(`ready: https://${host}\n`), expect.any(String)]);
  const seconds = (from: number): number => Math.round((performance.now() - from) / 1_000);
  tellCount(`site: ${commands.length} commands, ${seconds(beganMs)} s, of them svc setup ${seconds(installedMs)} s`);
  expect((await machine.ok('root', 'systemctl is-active svc caddy')).split('\n')).toEqual(['active', 'active']);
});

test('somebody of the group signs in over HTTPS with a Linux password, and opens an app on an origin of its own', async () => {
  const page = await (await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en' })).newPage();
  page.setDefaultTimeout(slowMs);
  await page.goto(`https://${host}/`);
  await page.locator('#login').fill('bia');
  await page.locator('input[type=password]').fill(password);
  await page.keyboard.press('Enter');
  await page.locator('svc-home .tile', { hasText: 'Relógio' }).first().click();
  await page
    .frameLocator('iframe[title="Relógio"]')
    .getByText(/\d\d:\d\d:\d\d/)
    .waitFor();
  expect(page.frames().map((frame) => new URL(frame.url()).host)).toContain(`relogio.${host}`);
  await page.context().close();
  expect(await machine.ok('root', appPid)).toMatch(/^\d+$/);
});

test('a reboot brings it back, and an upgrade of the package keeps the app', async () => {
  await machine.reboot();
  await machine.ok('root', 'systemctl start names authority 2>/dev/null || :');
  await machine.until('root', 'svc get servers | grep -q ready', slowMs);
  await machine.until('root', 'svc start bia/relogio', slowMs);
  const pid = await machine.ok('root', appPid);
  await machine.ok('root', 'DEBIAN_FRONTEND=noninteractive dpkg --install /root/svc.deb');
  await machine.until('root', 'svc get bia/relogio | grep -q running', slowMs);
  expect(await machine.ok('root', appPid)).toBe(pid);
});
