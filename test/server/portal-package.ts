/** The portal from its package on a machine with systemd: a service within its walls, which comes back, and goes when it is given up. */
import { execFileSync } from 'node:child_process';
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

/** Resolves to what systemd says of the service, sorted. */
export async function installPackage(machine: Machine): Promise<readonly string[]> {
  const deb = await shippedPackage();
  execFileSync('sh', ['-c', 'exec ssh "$@" "cat >/root/svc.deb" <"$0"', deb, ...machine.sshOptions, 'root@127.0.0.1'], {
    stdio: 'inherit',
  });
  await machine.ok('root', 'DEBIAN_FRONTEND=noninteractive dpkg --install /root/svc.deb >&2; rm /root/svc.deb');
  const said = await machine.ok('root', 'systemctl show -p UnitFileState -p ActiveState -p ConditionResult --value svc');
  return said.split('\n').toSorted();
}

export const portalPid = (machine: Machine): Promise<string> => machine.ok('root', 'systemctl show -p MainPID --value svc');
export const appPid = (machine: Machine): Promise<string> => machine.ok('root', 'pgrep -u svc -f relogio/.*/main');

/** Resolves to the link for the first one who comes in, once an app of the portal's own server runs. */
export async function startService(machine: Machine, slowMs: number): Promise<string> {
  await machine.ok('root', 'cat >/etc/svc-portal/site.yaml && systemctl start svc', site);
  // Commands of root find the state.
  await machine.until('root', 'svc get package/relogio | grep -q installed', slowMs);
  await machine.until('root', 'svc start ana/relogio', slowMs);
  return await machine.ok('root', 'svc link ana --admin');
}

/** Kills the portal; resolves once systemd brought it back and it knows its app. */
export async function killService(machine: Machine, slowMs: number): Promise<void> {
  const pid = await portalPid(machine);
  await machine.ok('root', `kill -9 ${pid}`);
  await machine.until('root', `test "$(systemctl show -p MainPID --value svc)" != ${pid} && svc get ana/relogio | grep -q running`, slowMs);
}
