/**
 * The portal from its package on a machine with systemd: a service within its walls, which comes back, and goes when it is given up. Each test goes
 * on from the one before. `npm run test:server`.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shippedPackage } from '../journeys/shipped-tree.ts';
import { startMachine, type Machine } from './machine.ts';

/** Software emulation on a busy machine. */
const slowMs = 300_000;

const site = `apiVersion: svc/v1
kind: Portal
metadata: { name: casa }
spec: { repository: /usr/lib/svc/examples/apps }
---
apiVersion: svc/v1
kind: Server
metadata: { name: casa }
spec: { local: { prefix: ".", trusted: true } }
---
apiVersion: svc/v1
kind: Person
metadata: { name: ana }
spec: { nome: Ana, login: ana, server: casa }
---
apiVersion: svc/v1
kind: Package
metadata: { name: relogio }
spec: { app: relogio, versao: 1.0.0, server: casa }
`;

let machine: Machine;
beforeAll(async () => {
  machine = await startMachine();
});
afterAll(async () => await machine?.stop());

const portalPid = (): Promise<string> => machine.ok('root', 'systemctl show -p MainPID --value svc');
const appPid = (): Promise<string> => machine.ok('root', 'pgrep -u svc -f relogio/.*/main');

test('is there for each boot, and has nothing to run before a document is wanted', async () => {
  await machine.send(await shippedPackage(), '/root/svc.deb');
  await machine.ok('root', 'DEBIAN_FRONTEND=noninteractive dpkg --install /root/svc.deb >&2; rm /root/svc.deb');
  const said = await machine.ok('root', 'systemctl show -p UnitFileState -p ActiveState -p ConditionResult --value svc');
  expect(said.split('\n').toSorted()).toEqual(['enabled', 'inactive', 'no']);
});

test('runs as a service within its walls, with an app on a server of its own', async () => {
  await machine.ok('root', 'cat >/etc/svc-portal/site.yaml && systemctl start svc', site);
  // Commands of root find the state.
  await machine.until('root', 'svc get package/relogio | grep -q installed', slowMs);
  await machine.until('root', 'svc start ana/relogio', slowMs);
  expect(await machine.ok('root', 'svc link ana --admin')).toMatch(/^http:\/\/svc\.localhost:8787\/\?passe=\S+$/);
  expect(await machine.ok('root', 'journalctl -u svc | grep -c passe= || :')).toBe('0');
  const status = await machine.ok('root', `cat /proc/${await portalPid()}/status`);
  for (const line of [/^NoNewPrivs:\s+1$/m, /^CapBnd:\s+0+$/m, /^Seccomp:\s+2$/m]) expect(status).toMatch(line);
});

test('comes back when it is killed, and the app lives on', async () => {
  const [portal, app] = [await portalPid(), await appPid()];
  await machine.ok('root', `kill -9 ${portal}`);
  const isBack = `test "$(systemctl show -p MainPID --value svc)" != ${portal} && svc get ana/relogio | grep -q running`;
  await machine.until('root', isBack, slowMs);
  expect(await appPid()).toBe(app);
});

test('is purged, and state and desired state stay', async () => {
  const { code, err } = await machine.run('root', 'svc stop ana/relogio >/dev/null; DEBIAN_FRONTEND=noninteractive dpkg --purge svc');
  expect([code, err]).toEqual([0, expect.stringContaining('svc: /var/lib/svc stays\nsvc: /etc/svc-portal stays') as string]);
  await machine.ok('root', '! test -e /usr/lib/svc && ! systemctl cat svc && test -e /var/lib/svc/state/svc.db');
});
