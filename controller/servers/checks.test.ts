import { same } from '../../schema/texts/doctor.ts';
import { describe, expect, test } from 'vitest';
import { serverChecks, type CheckInput } from './checks.ts';
import { isKitId, readFacts } from '../hosts/server/facts.ts';

const lines = (changes: Readonly<Record<string, string>> = {}): readonly string[] => {
  const told: Record<string, string> = {
    arch: 'x86_64',
    uid: '0',
    os: 'debian 12',
    clock_s: '1000',
    systemd: '252',
    cgroup: 'cgroup2fs',
    controllers: 'cpuset cpu io memory pids',
    opt_free_kb: '3488976',
    python3: '/usr/bin/python3',
    kit: '1.0.0-aaaaaaaa',
    kit_runs: 'yes',
    sshd_streamlocal: 'yes',
    sshd_disabled: 'no',
    sshd_pubkey: 'yes',
    kill_user_processes: 'false',
    account: 'ana found uid=1000 linger=yes manager=yes delegated=cpu,memory,pids key=yes free_kb=100000',
    ...changes,
  };
  return Object.entries(told).map(([name, value]) => `${name} ${value}`);
};
const judge = (changes?: Readonly<Record<string, string>>, over: Partial<CheckInput> = {}) =>
  serverChecks({
    facts: readFacts(lines(changes)),
    server: 'sirius',
    admin: 'root',
    tookMs: 5,
    askedMs: [1_000_395, 1_000_400],
    kitFault: null,
    wantedKit: '1.0.0-aaaaaaaa',
    portal: { url: 'https://svc.lan', answer: 'ok', wantedBy: [] },
    unforwarded: [],
    pythonApps: [],
    ...over,
  });
const verdict = (name: string, over: Partial<CheckInput>, changes?: Readonly<Record<string, string>>) =>
  judge(changes, over).find((check) => check.name === name);

describe('the doctor of a server', () => {
  test('finds nothing to mend on a good one', () => {
    expect(judge().filter(({ ok }) => !ok)).toEqual([]);
  });

  test.for([
    ['ssh', { sshd_streamlocal: 'no' }, '>> /etc/ssh/sshd_config.d/00-svc-forwarding.conf'],
    ['ssh', { sshd_disabled: 'yes' }, 'DisableForwarding no'],
    ['ssh', { sshd_pubkey: 'no' }, 'PubkeyAuthentication yes'],
    ['sudo', { uid: '1001' }, 'NOPASSWD'],
    ['system', { arch: 'riscv64' }, 'x86_64'],
    ['system', { systemd: '-' }, 'systemd'],
    ['system', { missing: 'flock' }, 'apt-get install'],
    ['kit', { kit: '-' }, 'svc server add sirius'],
    ['kit', { kit_runs: 'no' }, 'svc server add sirius'],
    ['kit', { kit_lacks: 'svc-app-run' }, 'svc server add sirius'],
    ['kit', { kit: '0.9.0-aaaaaaaa' }, 'svc server add sirius'],
    ['linger', { account: 'ana found linger=no manager=no' }, 'loginctl enable-linger ana'],
    ['accounts', { account: 'ana missing' }, 'useradd'],
    ['accounts', { account: 'ana found linger=yes manager=yes home=no shell=yes' }, 'install -d -m 700 -o ana'],
    ['accounts', { account: 'ana found linger=yes manager=yes home=yes shell=no' }, 'usermod -s /bin/bash ana'],
    ['accounts', { account: 'ana found linger=yes manager=yes home=yes shell=yes key=no' }, 'svc server add sirius'],
    ['linger', { kill_user_processes: 'true' }, 'KillUserProcesses=no'],
    ['user manager', { account: 'ana found linger=yes manager=no' }, 'systemctl start user@'],
    ['user manager', { account: 'ana found uid=1000 linger=yes manager=no delegated=- key=yes', systemd: '255' }, 'systemctl start user@'],
    ['cgroups', { cgroup: 'tmpfs' }, 'unified_cgroup_hierarchy'],
    ['cgroups', { controllers: 'cpu memory' }, 'cgroup_disable'],
    ['cgroups', { account: 'ana found linger=yes manager=yes delegated=cpu' }, 'Delegate=cpu memory pids'],
    ['disk', { opt_free_kb: '1000' }, 'room'],
    ['disk', { account: 'ana found linger=yes manager=yes delegated=memory,pids free_kb=0' }, 'room'],
    ['clock', { clock_s: '900' }, 'timedatectl set-ntp true'],
    ['clock', { clock_s: '1100' }, 'timedatectl set-ntp true'],
    ['python3', { python3: '-' }, 'apt-get install -y python3'],
  ] as const)('%s with %j has the line that mends it', ([name, changes, fix]) => {
    const bad = judge(changes).filter(({ ok }) => !ok);
    expect(bad.map((check) => check.name)).toContain(name);
    expect(bad.find((check) => check.name === name)?.fix?.en).toContain(fix);
  });

  test.for([
    ['0.2.5-aaaaaaaa', true],
    ['0.2.4-aaaaaaaa', false],
  ] as const)('a server with the kit %s before goes on with it: %s', ([kit, warning]) => {
    expect(verdict('kit', {}, { kit })).toMatchObject({ ok: false, warning });
  });

  test('every line is there in both languages; only what is a value, or a command, is the same in both', () => {
    const broken = [
      {},
      { clock_s: '900' },
      { systemd: '-' },
      { kit: '-' },
      { cgroup: 'tmpfs' },
      { opt_free_kb: '1000' },
      { python3: '-' },
      { arch: 'vax' },
    ];
    for (const { name, detail, fix } of broken.flatMap((changes) => judge(changes))) {
      for (const words of [detail, ...(fix === null ? [] : [fix])])
        expect(words).toEqual({ pt: expect.stringMatching(/\S/), en: expect.stringMatching(/\S/) });
      expect([name, detail.pt === detail.en]).toEqual([name, ['system', 'kit'].includes(name) && detail.pt === detail.en]);
    }
  });

  test.for([
    ['slow', [986_000, 1_000_400], true],
    ['slow and early', [1_000_400, 1_014_000], true],
    ['slow, and behind all the same', [1_010_000, 1_024_000], false],
    ['slow, and ahead all the same', [980_000, 994_000], false],
  ] as const)('the clock of a server that was %s: only what lies outside of the look counts', ([, askedMs, ok]) => {
    expect(verdict('clock', { askedMs })?.ok).toBe(ok);
  });

  test.for([
    [[], true],
    [['caderno', 'notas'], false],
  ] as const)('a server without Python where %j are apps of it is broken only if there is one', ([pythonApps, warning]) => {
    expect(verdict('python3', { pythonApps }, { python3: '-' })).toMatchObject({ ok: false, warning });
  });

  test('an sshd that was seen not to forward is named, whatever its configuration says', () => {
    const told = verdict('ssh', { unforwarded: ['ana', 'bia'] });
    expect(told).toMatchObject({ ok: false, warning: false, detail: { en: expect.stringContaining('ana, bia') as string } });
    expect(told?.fix?.en).toContain('AllowStreamLocalForwarding local');
  });

  test('a portal that backends there do not reach is a failure where an app needs it, and a warning elsewhere', () => {
    const lost = { url: 'http://svc.localhost:8787', answer: 'ECONNREFUSED' };
    const needed = verdict('portal', { portal: { ...lost, wantedBy: ['caderno'] } });
    expect(needed).toMatchObject({ ok: false, warning: false, fix: { en: expect.stringContaining('Portal.spec.url') as string } });
    expect(needed?.detail.en).toMatch(/http:\/\/svc\.localhost:8787 .*ECONNREFUSED.*caderno/);
    expect(verdict('portal', { portal: { ...lost, wantedBy: [] } })).toMatchObject({ ok: false, warning: true });
    expect(verdict('portal', { portal: null })).toMatchObject({ warning: true, fix: same('svc server add sirius') });
  });

  test.for(['nonsense', 'arch x86_64', 'uid 0', 'arch -|uid 0'])('an answer that is none is told: %j', (text) => {
    expect(() => readFacts(text.split('|'))).toThrow(/did not tell/);
  });

  test.for(['', '-', '../x-aaaaaaaa', 'a b-aaaaaaaa', '1.0.0', '1.0.0-aaaaaaag', "1'-aaaaaaaa"])('%j names no kit', (text) => {
    expect(isKitId(text)).toBe(false);
  });
});
