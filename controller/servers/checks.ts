/**
 * `svc doctor --server NAME`: judges the facts of a server; each bad verdict has the command that repairs it, for root to paste: the doctor
 * never runs it. Pure. The facts come from one read-only script that works on a bare server (kit/server/facts.sh), the same that the
 * controller runs once a minute. Broken (no app can be served) and lacking (less than possible: no Python, no ceilings) are separate. The
 * clock may be 5 s off, /opt needs 512 MB, a home 16 MB. DNS is judged by the portal, since browsers resolve its names.
 */
import type { DoctorCheck } from '../../schema/gateway.ts';
import { sudoersLine } from '../hosts/sudo-refused.ts';
import { limits } from '../limits.ts';
import { same } from '../../schema/texts/doctor.ts';
import { isOlderKit } from '../../schema/supervisor-protocol.ts';
import { someNames } from '../../schema/texts/names.ts';
import type { Words } from '../../schema/texts/reasons.ts';
import { makeAccount } from '../../schema/texts/open-account.ts';
import type { ServerFacts } from '../hosts/server/facts.ts';

/** Answer that a backend of that server gets at SVC_PORTAL_URL. */
export interface PortalObservation {
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
  /** How long the observation took, without the connection. */
  readonly tookMs: number;
  /** The portal's time before the server was asked for its own, and with the answer. */
  readonly askedMs: readonly [before: number, after: number];
  readonly wantedKit: string | null;
  /** Why this portal has no kit for the server, with what mends it; null when it has one. */
  readonly kitFault: string | null;
  /** null where the server could not be asked. */
  readonly portal: PortalObservation | null;
  /** Accounts whose sockets sshd was seen not to forward to. */
  readonly unforwarded: readonly string[];
  /** Apps there whose runtime is Python. */
  readonly pythonApps: readonly string[];
}

type Verdict = Omit<DoctorCheck, 'name'>;

/** A fix that is a command is the same in every language. */
const good = (detail: Words): Verdict => ({ ok: true, warning: false, detail, fix: null });
const bad = (detail: Words, fix: Words | string): Verdict => ({ ok: false, warning: false, detail, fix: wordsOf(fix) });
const lacking = (detail: Words, fix: Words | string): Verdict => ({ ok: false, warning: true, detail, fix: wordsOf(fix) });
const wordsOf = (fix: Words | string): Words => (typeof fix === 'string' ? same(fix) : fix);
const noPerson: Words = { pt: 'ninguém neste servidor', en: 'no person on this server' };

export function serverChecks(input: CheckInput): readonly DoctorCheck[] {
  const { facts } = input;
  const checks: readonly (readonly [string, Verdict])[] = [
    ['ssh', checkSsh(input)],
    ['sudo', checkRoot(input)],
    ['system', checkSystem(facts)],
    ['kit', checkKit(input)],
    ['accounts', checkAccounts(input)],
    ['linger', checkLinger(facts)],
    ['user manager', checkManagers(facts)],
    ['cgroups', checkCgroups(facts)],
    ['disk', checkDisk(facts)],
    ['clock', checkClock(input)],
    ['portal', checkPortal(input)],
    ['python3', checkPython(input)],
    [
      'gpu',
      good(
        facts.renderNodes === 0
          ? { pt: 'nenhuma placa gráfica', en: 'no graphics card' }
          : {
              pt: `${facts.renderNodes} dispositivo(s) render; svc-gpu-info no servidor diz mais`,
              en: `${facts.renderNodes} render node(s); svc-gpu-info on the server says more`,
            },
      ),
    ],
  ];
  return checks.map(([name, { ok, warning, detail, fix }]) => ({ name, ok, warning, detail, fix }));
}

function checkSsh({ facts: { sshd }, tookMs, unforwarded }: CheckInput): Verdict {
  // sshd takes the first of several values: this one stands before other files, and beside the values written there before.
  const edit = (line: string): string => `printf '${line}\\n' >> /etc/ssh/sshd_config.d/00-svc-forwarding.conf && systemctl reload ssh`;
  if (sshd.disabled === 'yes')
    return bad(
      {
        pt: 'sshd tem DisableForwarding yes: nenhum socket é alcançado',
        en: 'sshd has DisableForwarding yes: no socket can be reached',
      },
      edit('DisableForwarding no'),
    );
  if (sshd.streamlocal !== '' && sshd.streamlocal !== 'yes' && sshd.streamlocal !== 'all' && sshd.streamlocal !== 'local') {
    return bad(
      {
        pt: `sshd tem AllowStreamLocalForwarding ${sshd.streamlocal}: nenhum socket é alcançado`,
        en: `sshd has AllowStreamLocalForwarding ${sshd.streamlocal}: no socket can be reached`,
      },
      edit('AllowStreamLocalForwarding local'),
    );
  }
  if (sshd.pubkey === 'no')
    return bad(
      {
        pt: 'sshd tem PubkeyAuthentication no: o portal entra com uma chave',
        en: 'sshd has PubkeyAuthentication no: the portal signs in with a key',
      },
      edit('PubkeyAuthentication yes'),
    );
  const [first] = unforwarded;
  if (first !== undefined) {
    const command = `sshd -T -C user=${first},host=portal,addr=127.0.0.1 | grep -i forwarding`;
    return bad(
      {
        pt: `sshd não encaminha a nenhum socket de ${unforwarded.join(', ')}: AllowStreamLocalForwarding, AllowTcpForwarding ou DisableForwarding, talvez num bloco Match`,
        en: `sshd forwards to no socket of ${unforwarded.join(', ')}: AllowStreamLocalForwarding, AllowTcpForwarding or DisableForwarding, perhaps in a Match block`,
      },
      {
        pt: `${edit('AllowStreamLocalForwarding local')}; ${command} mostra o que vale`,
        en: `${edit('AllowStreamLocalForwarding local')}; ${command} shows what holds`,
      },
    );
  }
  const ms = Math.round(tookMs);
  return good({ pt: `responde; a olhada levou ${ms} ms`, en: `answers; the look took ${ms} ms` });
}

function checkRoot({ facts, admin }: CheckInput): Verdict {
  if (facts.uid === 0)
    return good(
      admin === 'root'
        ? { pt: 'o administrador é root', en: 'the administrator is root' }
        : { pt: `${admin} vira root por sudo sem senha`, en: `${admin} becomes root by sudo without a password` },
    );
  return bad({ pt: `${admin} não vira root`, en: `${admin} does not become root` }, sudoersLine(admin));
}

/** Debian's packages of what the kit needs. */
export const missingLine = 'apt-get install -y util-linux coreutils tar gzip';

function checkSystem({ os, arch, systemd, missing }: ServerFacts): Verdict {
  if (arch !== 'x86_64' && arch !== 'aarch64')
    return bad(
      { pt: `svc não tem runtime para o processador ${arch}`, en: `${arch} is no processor that svc has a runtime for` },
      { pt: 'use um servidor com x86_64 ou aarch64', en: 'use a server with x86_64 or aarch64' },
    );
  if (missing.length > 0) return bad({ pt: `falta: ${missing.join(', ')}`, en: `missing: ${missing.join(', ')}` }, missingLine);
  if (systemd === null)
    return lacking(
      {
        pt: 'systemd não roda: sem limites, sem sessões que permanecem, sem aplicativos do servidor',
        en: 'systemd does not run: no ceilings, no lasting sessions, no server-scope apps',
      },
      { pt: 'use um servidor que inicia com systemd', en: 'use a server that boots with systemd' },
    );
  return good(same(`${os}, ${arch}, systemd ${systemd}`));
}

function checkKit({ facts, wantedKit, kitFault, server }: CheckInput): Verdict {
  if (kitFault !== null) return bad({ pt: `este portal não tem o kit do servidor: ${kitFault}`, en: kitFault }, `svc server add ${server}`);
  if (facts.kitLacks.length > 0)
    return bad(
      {
        pt: `partes do kit do servidor faltam ou não executam: ${facts.kitLacks.join(', ')}`,
        en: `parts of the server kit are not there, or do not run: ${facts.kitLacks.join(', ')}`,
      },
      `svc server add ${server}`,
    );
  if (facts.kit === null)
    return bad({ pt: 'o kit do servidor não está lá', en: 'the server kit is not there' }, `svc server add ${server}`);
  if (wantedKit !== null && facts.kit !== wantedKit)
    // It serves with an older one until its turn comes, or an administrator says so.
    return (isOlderKit(facts.kit) ? bad : lacking)(
      { pt: `o kit é ${facts.kit}, o do portal é ${wantedKit}`, en: `the kit is ${facts.kit}, the portal's is ${wantedKit}` },
      `svc server add ${server}`,
    );
  return good(same(facts.kit));
}

const namesIn = (accounts: readonly { readonly name: string }[]): Words => someNames(accounts.map(({ name }) => name));

const needsSystemd = lacking(
  { pt: 'só onde systemd roda', en: 'only where systemd runs' },
  { pt: 'veja a linha system', en: 'see the row system' },
);

/** Accounts that can't be used as they are, whoever signs in. */
function checkAccounts({ facts: { accounts }, server }: CheckInput): Verdict {
  const there = accounts.filter(({ found }) => found);
  const troubles = [
    {
      of: accounts.filter(({ found }) => !found),
      pt: 'conta inexistente',
      en: 'no such account',
      fix: makeAccount,
    },
    {
      of: there.filter(({ shell }) => !shell),
      pt: 'o shell não deixa ninguém entrar',
      en: 'the shell lets nobody in',
      fix: (name: string) => `usermod -s /bin/bash ${name}`,
    },
    {
      of: there.filter(({ home }) => !home),
      pt: 'a pasta pessoal não existe, ou é de outra conta',
      en: "the home is not there, or another account's",
      fix: (name: string) => `install -d -m 700 -o ${name} -g $(id -g ${name}) ~${name}`,
    },
    {
      of: there.filter(({ key }) => !key),
      pt: 'o sshd não lê a chave do portal para',
      en: 'sshd does not read the key of the portal for',
      fix: () => `svc server add ${server}`,
    },
  ].filter(({ of }) => of.length > 0);
  if (troubles.length === 0)
    return good(
      accounts.length === 0
        ? noPerson
        : { pt: `${accounts.length} conta(s) com shell e pasta`, en: `${accounts.length} account(s) with shell and home` },
    );
  return bad(
    {
      pt: troubles.map(({ of, pt }) => `${pt}: ${namesIn(of).pt}`).join('; '),
      en: troubles.map(({ of, en }) => `${en}: ${namesIn(of).en}`).join('; '),
    },
    [...new Set(troubles.flatMap(({ of, fix }) => of.map(({ name }) => fix(name))))].join('; '),
  );
}

function checkLinger({ accounts, killUserProcesses, systemd }: ServerFacts): Verdict {
  if (systemd === null) return needsSystemd;
  const off = accounts.filter(({ found, linger }) => found && !linger);
  if (off.length > 0)
    return bad(
      {
        pt: `desligado para ${namesIn(off).pt}: aplicativos terminam com o último login`,
        en: `off for ${namesIn(off).en}: apps end with the last login`,
      },
      `loginctl enable-linger ${off.map(({ name }) => name).join(' ')}`,
    );
  if (killUserProcesses === true) {
    return bad(
      {
        pt: 'logind tem KillUserProcesses yes: os supervisores terminam com o login que os iniciou',
        en: 'logind has KillUserProcesses yes: the supervisors end with the login that started them',
      },
      "printf '[Login]\\nKillUserProcesses=no\\n' > /etc/systemd/logind.conf.d/svc.conf && systemctl restart systemd-logind",
    );
  }
  return good(
    accounts.length === 0 ? noPerson : { pt: `ligado para ${accounts.length} conta(s)`, en: `on for ${accounts.length} account(s)` },
  );
}

function checkManagers({ accounts, systemd }: ServerFacts): Verdict {
  if (systemd === null) return needsSystemd;
  const gone = accounts.filter(({ found, manager }) => found && !manager);
  if (gone.length === 0)
    return good(
      accounts.length === 0 ? noPerson : { pt: `roda para ${accounts.length} conta(s)`, en: `runs for ${accounts.length} account(s)` },
    );
  const known: Words =
    systemd === 255
      ? {
          pt: ' (systemd 255 o encerra com o último login apesar do linger: atualize o systemd)',
          en: ' (systemd 255 ends it with the last login in spite of lingering: update systemd)',
        }
      : same('');
  return lacking(
    {
      pt: `não está lá para ${namesIn(gone).pt}: aplicativos rodam sem limites${known.pt}`,
      en: `not there for ${namesIn(gone).en}: apps run without ceilings${known.en}`,
    },
    gone.map(({ name }) => `systemctl start user@$(id -u ${name}).service`).join('; '),
  );
}

function checkCgroups({ cgroup, controllers, accounts, systemd }: ServerFacts): Verdict {
  if (systemd === null) return needsSystemd;
  if (cgroup !== 'cgroup2fs')
    return lacking(
      {
        pt: 'o servidor usa cgroup v1: os aplicativos das pessoas ficam sem limites',
        en: "the server uses cgroup v1: people's apps get no ceilings",
      },
      { pt: 'inicie com systemd.unified_cgroup_hierarchy=1', en: 'boot with systemd.unified_cgroup_hierarchy=1' },
    );
  const missing = ['cpu', 'memory', 'pids'].filter((name) => !controllers.includes(name));
  if (missing.length > 0)
    return bad(
      { pt: `o kernel não tem o controlador ${missing.join(', ')}`, en: `the kernel has no ${missing.join(', ')} controller` },
      { pt: 'inicie sem cgroup_disable= para eles', en: 'boot without cgroup_disable= for them' },
    );
  const short = accounts.filter(({ manager, delegated }) => manager && !['memory', 'pids'].every((name) => delegated.includes(name)));
  if (short.length === 0) return good({ pt: 'v2, com cpu, memory e pids delegados', en: 'v2, with cpu, memory and pids delegated' });
  return bad(
    { pt: `memory e pids não são delegados a ${namesIn(short).pt}`, en: `memory and pids are not delegated to ${namesIn(short).en}` },
    "mkdir -p /etc/systemd/system/user@.service.d && printf '[Service]\\nDelegate=cpu memory pids\\n' > /etc/systemd/system/user@.service.d/svc.conf && systemctl daemon-reload",
  );
}

function checkDisk({ optFreeKb, accounts }: ServerFacts): Verdict {
  const mega = (kb: number): string => `${Math.round(kb / 1_024)} MB`;
  if (optFreeKb !== null && optFreeKb * 1_024 < limits.kitFreeBytesMin)
    return bad(
      { pt: `${mega(optFreeKb)} livres em /opt`, en: `${mega(optFreeKb)} free below /opt` },
      { pt: 'abra espaço em /opt: o kit e os pacotes ficam lá', en: 'make room below /opt: the kit and the packages stand there' },
    );
  const full = accounts.filter(({ freeKb }) => freeKb !== null && freeKb * 1_024 < limits.homeFreeBytesMin);
  if (full.length > 0)
    return bad(
      { pt: `o home de ${namesIn(full).pt} está cheio`, en: `the home of ${namesIn(full).en} is full` },
      { pt: 'abra espaço lá: aplicativos precisam gravar', en: 'make room there: apps need to write' },
    );
  return good(
    optFreeKb === null
      ? { pt: 'não informado', en: 'not told' }
      : { pt: `${mega(optFreeKb)} livres em /opt`, en: `${mega(optFreeKb)} free below /opt` },
  );
}

/** The server reports whole seconds, at some moment during the observation: only a time outside that interval is a difference. */
export function clockOffMs(clockS: number, [before, after]: readonly [before: number, after: number]): number {
  const serverMs = clockS * 1_000;
  return serverMs > after ? serverMs - after : Math.min(0, serverMs + 999 - before);
}

function checkClock({ facts: { clockS }, askedMs }: CheckInput): Verdict {
  const offMs = clockOffMs(clockS, askedMs);
  const offS = Math.round(offMs / 1_000);
  return Math.abs(offMs) <= limits.clockSkewMsMax
    ? good({ pt: `${Math.abs(offS)} s de diferença do portal`, en: `${Math.abs(offS)} s apart from the portal's` })
    : bad(
        {
          pt: `${Math.abs(offS)} s ${offS > 0 ? 'adiantado' : 'atrasado'} em relação ao portal, ou o do portal está errado`,
          en: `${Math.abs(offS)} s ${offS > 0 ? 'ahead of' : 'behind'} the portal's, or the portal's is wrong`,
        },
        {
          pt: 'date -u nos dois diz qual está errado; lá: timedatectl set-ntp true',
          en: 'date -u on both says which is wrong; there: timedatectl set-ntp true',
        },
      );
}

function checkPortal({ portal, server }: CheckInput): Verdict {
  if (portal === null)
    return lacking(
      { pt: 'não perguntado: precisa do kit do servidor', en: 'not asked: that takes the server kit' },
      `svc server add ${server}`,
    );
  const { url, answer, wantedBy } = portal;
  if (answer === 'ok') return good({ pt: `${url} responde de lá`, en: `${url} answers from there` });
  const fix: Words = {
    pt: `ponha em Portal.spec.url um endereço do portal que ${server} também alcança, com https ou por um túnel (docs/rooms.md)`,
    en: `set Portal.spec.url to an address of the portal that ${server} reaches too, with https or through a tunnel (docs/rooms.md)`,
  };
  const detail: Words = {
    pt: `${url} não alcança o portal de lá (${answer})`,
    en: `${url} does not reach the portal from there (${answer})`,
  };
  const apps = wantedBy.join(', ');
  return wantedBy.length === 0
    ? lacking(
        {
          pt: `${detail.pt}: um aplicativo que peça salas, a fila ou métricas não funcionaria`,
          en: `${detail.en}: an app that asks for rooms, the queue or metrics would not work`,
        },
        fix,
      )
    : bad(
        { pt: `${detail.pt}: sem salas, fila ou métricas para ${apps}`, en: `${detail.en}: no rooms, queue or metrics for ${apps}` },
        fix,
      );
}

function checkPython({ facts: { python3 }, pythonApps }: CheckInput): Verdict {
  const fix = 'apt-get install -y python3';
  const apps = pythonApps.join(', ');
  if (python3) return good({ pt: 'está lá', en: 'is there' });
  if (apps !== '') return bad({ pt: `não está lá: ${apps} não inicia`, en: `is not there: ${apps} can't start` }, fix);
  return lacking(
    { pt: 'não está lá: aplicativos com runtime python3 não iniciam', en: 'is not there: apps with runtime python3 do not start' },
    fix,
  );
}
