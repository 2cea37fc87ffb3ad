/** `svc doctor --server NAME`: what was told of a server, judged; each verdict that is bad has the line that mends it. Pure. */
import type { DoctorCheck } from '../../schema/gateway.ts';
import { limits } from '../../schema/limits.ts';
import type { ServerFacts } from './facts.ts';

/** What a backend of that server finds at SVC_PORTAL_URL. */
export interface PortalSight {
  readonly url: string;
  /** `ok`, or why not. */
  readonly answer: string;
  /** Apps there that need it. */
  readonly wantedBy: readonly string[];
}

export interface CheckInput {
  readonly facts: ServerFacts;
  readonly server: string;
  readonly admin: string;
  /** How long the look took, the connection not counted. */
  readonly tookMs: number;
  /** The portal's time before the server was asked for its own, and with the answer. */
  readonly askedMs: readonly [before: number, after: number];
  readonly wantedKit: string | null;
  /** null where nobody could ask. */
  readonly portal: PortalSight | null;
  /** Accounts whose sockets sshd was seen not to forward to. */
  readonly unforwarded: readonly string[];
}

type Verdict = Omit<DoctorCheck, 'name'>;

const good = (detail: string): Verdict => ({ ok: true, warning: false, detail, fix: null });
const bad = (detail: string, fix: string): Verdict => ({ ok: false, warning: false, detail, fix });
const lacking = (detail: string, fix: string): Verdict => ({ ok: false, warning: true, detail, fix });

export function serverChecks(input: CheckInput): readonly DoctorCheck[] {
  const { facts } = input;
  const checks: readonly (readonly [string, Verdict])[] = [
    ['ssh', checkSsh(input)],
    ['sudo', checkRoot(input)],
    ['system', checkSystem(facts)],
    ['kit', checkKit(input)],
    ['linger', checkLinger(facts)],
    ['user manager', checkManagers(facts)],
    ['cgroups', checkCgroups(facts)],
    ['disk', checkDisk(facts)],
    ['clock', checkClock(input)],
    ['portal', checkPortal(input)],
    ['python3', checkPython(facts)],
    [
      'gpu',
      good(facts.renderNodes === 0 ? 'no graphics card' : `${facts.renderNodes} render node(s); svc-gpu-info on the server says more`),
    ],
  ];
  return checks.map(([name, { ok, warning, detail, fix }]) => ({ name, ok, warning, detail, fix }));
}

function checkSsh({ facts: { sshd }, tookMs, unforwarded }: CheckInput): Verdict {
  const edit = (line: string): string => `printf '${line}\\n' > /etc/ssh/sshd_config.d/10-svc-forwarding.conf && systemctl reload ssh`;
  if (sshd.disabled === 'yes') return bad('sshd has DisableForwarding yes: no socket can be reached', edit('DisableForwarding no'));
  if (sshd.streamlocal !== '' && sshd.streamlocal !== 'yes' && sshd.streamlocal !== 'all' && sshd.streamlocal !== 'local') {
    return bad(
      `sshd has AllowStreamLocalForwarding ${sshd.streamlocal}: no socket can be reached`,
      edit('AllowStreamLocalForwarding local'),
    );
  }
  if (sshd.pubkey === 'no')
    return bad('sshd has PubkeyAuthentication no: the portal signs in with a key', edit('PubkeyAuthentication yes'));
  const [first] = unforwarded;
  if (first !== undefined) {
    return bad(
      `sshd forwards to no socket of ${unforwarded.join(', ')}: AllowStreamLocalForwarding, AllowTcpForwarding or DisableForwarding, perhaps in a Match block`,
      `${edit('AllowStreamLocalForwarding local')}; sshd -T -C user=${first},host=portal,addr=127.0.0.1 | grep -i forwarding shows what holds`,
    );
  }
  return good(`answers; the look took ${Math.round(tookMs)} ms`);
}

function checkRoot({ facts, admin }: CheckInput): Verdict {
  if (facts.uid === 0) return good(admin === 'root' ? 'the administrator is root' : `${admin} becomes root by sudo without a password`);
  return bad(
    `${admin} does not become root`,
    `echo '${admin} ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/svc && chmod 440 /etc/sudoers.d/svc`,
  );
}

function checkSystem({ os, arch, systemd, missing }: ServerFacts): Verdict {
  if (arch !== 'x86_64' && arch !== 'aarch64')
    return bad(`${arch} is no processor that svc has a runtime for`, 'use a server with x86_64 or aarch64');
  if (missing.length > 0) return bad(`missing: ${missing.join(', ')}`, 'apt-get install -y util-linux coreutils tar gzip');
  if (systemd === null)
    return bad('systemd does not run: no ceilings, no lasting sessions, no server-scope apps', 'use a server that boots with systemd');
  return good(`${os}, ${arch}, systemd ${systemd}`);
}

function checkKit({ facts, wantedKit, server }: CheckInput): Verdict {
  if (facts.kitLacks.length > 0)
    return bad(`commands of the server kit are not there, or can't be run: ${facts.kitLacks.join(', ')}`, `svc server add ${server}`);
  if (facts.kit === null) return bad('the server kit is not there', `svc server add ${server}`);
  if (wantedKit !== null && facts.kit !== wantedKit)
    return bad(`the kit is ${facts.kit}, the portal's is ${wantedKit}`, `svc server add ${server}`);
  return good(facts.kit);
}

const namesOf = (accounts: readonly { readonly name: string }[]): string => accounts.map(({ name }) => name).join(', ');

function checkLinger({ accounts, killUserProcesses }: ServerFacts): Verdict {
  const absent = accounts.filter(({ found }) => !found);
  if (absent.length > 0)
    return bad(`no such account: ${namesOf(absent)}`, `useradd --create-home --shell /bin/bash ${absent[0]?.name ?? ''}`);
  const off = accounts.filter(({ linger }) => !linger);
  if (off.length > 0)
    return bad(`off for ${namesOf(off)}: apps end with the last login`, `loginctl enable-linger ${off.map(({ name }) => name).join(' ')}`);
  if (killUserProcesses === true) {
    return bad(
      'logind has KillUserProcesses yes: the supervisors end with the login that started them',
      "printf '[Login]\\nKillUserProcesses=no\\n' > /etc/systemd/logind.conf.d/svc.conf && systemctl restart systemd-logind",
    );
  }
  return good(accounts.length === 0 ? 'no person on this server' : `on for ${accounts.length} account(s)`);
}

function checkManagers({ accounts, systemd }: ServerFacts): Verdict {
  const gone = accounts.filter(({ found, manager }) => found && !manager);
  if (gone.length === 0) return good(accounts.length === 0 ? 'no person on this server' : `runs for ${accounts.length} account(s)`);
  const known = systemd === 255 ? ' (systemd 255 ends it with the last login in spite of lingering: update systemd)' : '';
  return lacking(
    `not there for ${namesOf(gone)}: apps run without ceilings${known}`,
    gone.map(({ name }) => `systemctl start user@$(id -u ${name}).service`).join('; '),
  );
}

function checkCgroups({ cgroup, controllers, accounts }: ServerFacts): Verdict {
  if (cgroup !== 'cgroup2fs')
    return lacking("the server uses cgroup v1: people's apps get no ceilings", 'boot with systemd.unified_cgroup_hierarchy=1');
  const missing = ['cpu', 'memory', 'pids'].filter((name) => !controllers.includes(name));
  if (missing.length > 0) return bad(`the kernel has no ${missing.join(', ')} controller`, 'boot without cgroup_disable= for them');
  const short = accounts.filter(({ manager, delegated }) => manager && !['memory', 'pids'].every((name) => delegated.includes(name)));
  if (short.length === 0) return good('v2, with cpu, memory and pids delegated');
  return bad(
    `memory and pids are not delegated to ${namesOf(short)}`,
    "mkdir -p /etc/systemd/system/user@.service.d && printf '[Service]\\nDelegate=cpu memory pids\\n' > /etc/systemd/system/user@.service.d/svc.conf && systemctl daemon-reload",
  );
}

function checkDisk({ optFreeKb, accounts }: ServerFacts): Verdict {
  const mega = (kb: number): string => `${Math.round(kb / 1_024)} MB`;
  if (optFreeKb !== null && optFreeKb * 1_024 < limits.kitFreeBytesMin)
    return bad(`${mega(optFreeKb)} free below /opt`, 'make room below /opt: the kit and the packages stand there');
  const full = accounts.filter(({ freeKb }) => freeKb !== null && freeKb * 1_024 < limits.homeFreeBytesMin);
  if (full.length > 0) return bad(`the home of ${namesOf(full)} is full`, 'make room there: apps need to write');
  return good(optFreeKb === null ? 'not told' : `${mega(optFreeKb)} free below /opt`);
}

/** The server told whole seconds, at some moment of the look: only what lies outside is a difference. */
function checkClock({ facts: { clockS }, askedMs: [before, after] }: CheckInput): Verdict {
  const told = clockS * 1_000;
  const offMs = told > after ? told - after : Math.min(0, told + 999 - before);
  const offS = Math.round(offMs / 1_000);
  return Math.abs(offMs) <= limits.clockSkewMsMax
    ? good(`${Math.abs(offS)} s apart from the portal's`)
    : bad(`${Math.abs(offS)} s ${offS > 0 ? 'ahead of' : 'behind'} the portal's`, 'timedatectl set-ntp true');
}

function checkPortal({ portal, server }: CheckInput): Verdict {
  if (portal === null) return lacking('not asked: that takes the server kit', `svc server add ${server}`);
  const { url, answer, wantedBy } = portal;
  if (answer === 'ok') return good(`${url} answers from there`);
  const fix = `set Portal.spec.url to an address of the portal that ${server} reaches too, with https or through a tunnel (docs/rooms.md)`;
  const detail = `${url} does not reach the portal from there (${answer})`;
  return wantedBy.length === 0
    ? lacking(`${detail}: an app that asks for rooms, the queue or metrics would not work`, fix)
    : bad(`${detail}: no rooms, queue or metrics for ${wantedBy.join(', ')}`, fix);
}

function checkPython({ python3 }: ServerFacts): Verdict {
  return python3 ? good('is there') : lacking('is not there: apps with runtime python3 do not start', 'apt-get install -y python3');
}
