/** The portal from its package on a machine with systemd: a service within its walls, which comes back, and goes when it is given up. */
import { execFileSync } from 'node:child_process';
import { expect } from 'vitest';
import { shippedPackage } from '../journeys/shipped-tree.ts';
import type { Machine } from './machine.ts';

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

const state = 'systemctl show -p UnitFileState -p ActiveState -p ConditionResult --value svc';

export async function installPackage(machine: Machine): Promise<void> {
  const deb = await shippedPackage();
  execFileSync('sh', ['-c', 'exec ssh "$@" "cat >/root/svc.deb" <"$0"', deb, ...machine.sshOptions, 'root@127.0.0.1'], {
    stdio: 'inherit',
  });
  await machine.ok('root', 'DEBIAN_FRONTEND=noninteractive dpkg --install /root/svc.deb >&2; rm /root/svc.deb');
  // At each boot, and nothing to run yet.
  expect((await machine.ok('root', state)).split('\n').toSorted()).toEqual(['enabled', 'inactive', 'no']);
}

export async function startService(machine: Machine, slowMs: number): Promise<void> {
  await machine.ok('root', 'cat >/etc/svc-portal/site.yaml && systemctl start svc', site);
  const seen = 'until svc get package/relogio | grep -q installed; do sleep 2; done';
  await machine.until('root', seen, slowMs);
  // An app of a local server lives within the walls of the service.
  await machine.until('root', 'svc start ana/relogio', slowMs);
  expect(await machine.ok('root', 'svc link ana --admin')).toMatch(/^http:\/\/svc\.localhost:8787\/\?passe=\S+$/);
  expect(await machine.ok('root', 'journalctl -u svc | grep -c passe= || :')).toBe('0');
  const pid = await machine.ok('root', 'systemctl show -p MainPID --value svc');
  const status = await machine.ok('root', `cat /proc/${pid}/status`);
  for (const line of [/^NoNewPrivs:\s+1$/m, /^CapBnd:\s+0+$/m, /^Seccomp:\s+2$/m]) expect(status).toMatch(line);
  const app = await machine.ok('root', `pgrep -u svc -f relogio/.*/main`);
  await machine.ok('root', `kill -9 ${pid}`);
  await machine.until('root', `test "$(systemctl show -p MainPID --value svc)" != ${pid} && svc get ana/relogio | grep -q running`, slowMs);
  expect(await machine.ok('root', `pgrep -u svc -f relogio/.*/main`)).toBe(app);
}

export async function purgePackage(machine: Machine): Promise<void> {
  const purged = await machine.run('root', 'svc stop ana/relogio >/dev/null; DEBIAN_FRONTEND=noninteractive dpkg --purge svc');
  expect([purged.code, purged.err]).toEqual([0, expect.stringContaining('svc: /var/lib/svc stays\nsvc: /etc/svc-portal stays') as string]);
  await machine.ok('root', '! test -e /usr/lib/svc && ! systemctl cat svc && test -e /var/lib/svc/state/svc.db');
}
