/** `svc doctor`: each check tests the real thing and, when it fails, says what to do. A check never breaks the others. */
import { execFile } from 'node:child_process';
import { access, stat, statfs } from 'node:fs/promises';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Store } from '../../store/store.ts';
import type { Clock } from '../../schema/clock.ts';
import type { AdminView, DoctorCheck, PeopleView } from '../../schema/gateway.ts';
import { SvcError } from '../../schema/errors.ts';
import { makeKey } from '../../schema/keys.ts';
import { limits } from '../../schema/limits.ts';
import { same } from '../../schema/texts/doctor.ts';
import { namesByReason, someNames } from '../../schema/texts/names.ts';
import { problemText } from '../../schema/texts/problems.ts';
import { reasonText, type Words } from '../../schema/texts/reasons.ts';
import { createProviders } from '../auth/oidc-discovery.ts';
import { oidcReturnPath } from '../auth/oidc.ts';
import { checkCertificate, type CertificateWatch } from './front-certificate.ts';
import { isSecureContext, type Site } from '../http/hosts.ts';

/** By the name of its row. */
export type MoreChecks = Readonly<Record<string, () => Promise<DoctorCheck>>>;

/** Whether apps, and jobs, run on the portal's own machine. */
export interface RunsHere {
  readonly apps: boolean;
  readonly jobs: boolean;
}

export interface DoctorDeps {
  readonly site: Site;
  readonly listening: () => { readonly host: string; readonly port: number } | null;
  readonly store: Pick<Store, 'putValue' | 'value'>;
  readonly people: Pick<PeopleView, 'signIn'>;
  readonly admin: Pick<AdminView, 'plan' | 'objects'>;
  readonly clock: Clock;
  readonly certificate: CertificateWatch;
  readonly controlSocket: string | null;
  readonly assets: { readonly shellDir: string; readonly sdkWebDir: string };
  readonly runsHere: () => RunsHere;
  /** Checks that the caller adds: bundles of the kit, folders of the state. */
  readonly more: MoreChecks;
}

type Verdict = Omit<DoctorCheck, 'name'>;
/** `isDue` absent: always. */
type Check = readonly [name: string, check: (deps: DoctorDeps) => Promise<Verdict>, isDue?: (here: RunsHere, site: Site) => boolean];

const run = promisify(execFile);
const bytesFreeMin = 512 * 1_024 * 1_024;

const good = (detail: Words): Verdict => ({ ok: true, warning: false, detail, fix: null });
const bad = (detail: Words, fix: Words): Verdict => ({ ok: false, warning: false, detail, fix });
const lacking = (detail: Words, fix: Words): Verdict => ({ ok: false, warning: true, detail, fix });

const checks: readonly Check[] = [
  ['listen', async ({ listening, site }) => checkListen(listening(), site)],
  ['store', checkStore],
  [
    'shell',
    ({ assets }) =>
      checkFile(path.join(assets.shellDir, 'index.html'), { pt: 'npm start constrói o ambiente', en: 'npm start builds the shell' }),
  ],
  [
    'sdk',
    ({ assets }) =>
      checkFile(path.join(assets.sdkWebDir, 'svc.js'), { pt: 'npm start constrói o SDK web', en: 'npm start builds the web SDK' }),
  ],
  ['node', async () => checkNode()],
  [
    'python3',
    () =>
      checkCommand('python3', ['--version'], {
        pt: 'instale python3: backends com runtime python3 precisam dele',
        en: 'install python3: backends with runtime python3 need it',
      }),
    ({ apps, jobs }) => apps || jobs,
  ],
  [
    'flock',
    () =>
      checkCommand('flock', ['--version'], {
        pt: 'instale util-linux: svc-app-run usa flock para sua trava',
        en: 'install util-linux: svc-app-run takes its lock with flock',
      }),
    ({ apps }) => apps,
  ],
  ['desired', checkDesired],
  ['servers', checkServers],
  ['sign-in', checkSignIn],
  ['socket path', async ({ controlSocket }) => checkSocketPath(controlSocket)],
  ['user manager', async () => checkUserManager(), ({ apps }) => apps],
  ['disk', checkDisk],
  ['subdomains', checkSubdomains],
  ['certificate', ({ site, certificate, clock }) => checkCertificate(site, certificate, clock), (_, { scheme }) => scheme === 'https'],
];

async function checkSignIn({ people, site, admin, clock }: DoctorDeps): Promise<Verdict> {
  const { ssh, oidc, passkey } = people.signIn();
  const waysIn = (password: string, key: string): string =>
    ['link', ...(ssh ? [password] : []), ...(passkey ? [key] : []), ...(oidc ? [new URL(oidc.issuer).host] : [])].join(', ');
  const ways: Words = { pt: waysIn('usuário e senha', 'chave de acesso'), en: waysIn('login and password', 'passkey') };
  if (ssh && !admin.objects(makeKey('Server', '')).some(({ details }) => details['checksPasswords'] === true))
    return lacking(
      { pt: `${ways.pt}; nenhum servidor confere senhas`, en: `${ways.en}; no server checks passwords` },
      {
        pt: 'PasswordAuthentication yes no sshd_config dos servidores, um documento Server com ssh onde não há nenhum, ou tire signIn.ssh',
        en: 'PasswordAuthentication yes in the sshd_config of the servers, a Server document with ssh where there is none, or take signIn.ssh out',
      },
    );
  const list = admin.objects(makeKey('People', '')).find(({ state }) => state !== 'listed');
  if (list !== undefined)
    return lacking(
      { pt: `${ways.pt}; ${list.key}: ${reasonText(list.reason, 'pt')}`, en: `${ways.en}; ${list.key}: ${list.message}` },
      { pt: `svc why ${list.key} diz o que fazer`, en: `svc why ${list.key} says what to do` },
    );
  if (!oidc) return good(ways);
  try {
    await oidc.clientSecret();
  } catch (error) {
    return bad(wordsOf(error), {
      pt: 'ponha o segredo onde Portal.spec.signIn.oidc.clientSecret diz',
      en: 'put the secret where Portal.spec.signIn.oidc.clientSecret says',
    });
  }
  const address = `${site.origin}${oidcReturnPath}`;
  try {
    await createProviders(clock).of(oidc);
  } catch (error) {
    return lacking(wordsOf(error), {
      pt: 'até que responda ninguém entra por ali; veja signIn.oidc.issuer, a rede e o provedor',
      en: 'until it answers nobody comes in by it; look at signIn.oidc.issuer, the network and the provider',
    });
  }
  return good({ pt: `${ways.pt}; registrado lá como ${address}`, en: `${ways.en}; registered there as ${address}` });
}

/** `only`: the check of that name; null: all of them. */
export async function runDoctor(deps: DoctorDeps, only: string | null = null): Promise<readonly DoctorCheck[]> {
  const here = deps.runsHere();
  const due = checks.filter(([name, , isDue]) => (only === null || name === only) && (isDue?.(here, deps.site) ?? true));
  const own = due.map(([name, check]) => guarded(name, async () => ({ name, ...(await check(deps)) })));
  const more = Object.entries(only === null ? deps.more : {}).map(([name, check]) => guarded(name, check));
  return await Promise.all([...own, ...more]);
}

/** Puts an error into words, by its code where it has one. */
function wordsOf(error: unknown): Words {
  const message = error instanceof Error ? error.message : String(error);
  return { pt: (error instanceof SvcError ? problemText(error.code, 'pt') : null) ?? message, en: message };
}

const unforeseen: Words = {
  pt: 'esta verificação falhou de um modo imprevisto; o detalhe diz a causa',
  en: 'this check failed in an unforeseen way; the detail names the cause',
};
const afterStore: Words = {
  pt: 'nada foi verificado aqui: primeiro corrija o que a linha store diz',
  en: 'nothing was checked here: first mend what the row store says',
};

async function guarded(name: string, check: () => Promise<DoctorCheck>): Promise<DoctorCheck> {
  try {
    return await check();
  } catch (error) {
    return { name, ...bad(wordsOf(error), error instanceof SvcError && error.code === 'STORE_FAILED' ? afterStore : unforeseen) };
  }
}

function checkListen(listening: { host: string; port: number } | null, site: Site): Verdict {
  if (!listening)
    return bad(
      { pt: 'nenhuma porta TCP escuta', en: 'no TCP listener' },
      { pt: 'ponha em Portal.spec.listen um host:porta livre', en: 'set Portal.spec.listen to a free host:port' },
    );
  const at = `${listening.host}:${listening.port}`;
  const loopback = listening.host === '127.0.0.1' || listening.host === '::1' || listening.host === 'localhost';
  if (site.scheme === 'http' && !loopback) {
    return bad(
      { pt: `${at} aceita http sem TLS da rede`, en: `${at} takes plain http from the network` },
      {
        pt: 'ponha um proxy com TLS na frente e em Portal.spec.url seu endereço https',
        en: 'put a proxy with TLS before it and set Portal.spec.url to its https address',
      },
    );
  }
  return good({ pt: `${at}, alcançado em ${site.origin}`, en: `${at}, reached at ${site.origin}` });
}

async function checkStore({ store, clock }: DoctorDeps): Promise<Verdict> {
  const written = String(clock.nowMs());
  let read: string | null;
  try {
    await store.putValue('doctor', written);
    read = await store.value('doctor');
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return bad(wordsOf(error), {
      pt: 'veja a linha databases e o log do portal; verifique o disco da pasta de estado, ou o servidor do banco',
      en: 'see the row databases and the log of the portal; check the disk of the state folder, or the server of the database',
    });
  }
  return read === written
    ? good({ pt: 'gravou e leu um valor', en: 'wrote and read a value' })
    : bad(
        { pt: 'um valor gravado não voltou', en: 'a value that was written did not come back' },
        { pt: 'verifique o disco da pasta de estado', en: 'check the disk of the state folder' },
      );
}

async function checkFile(file: string, fix: Words): Promise<Verdict> {
  const found = await stat(file).catch(() => null);
  const name = path.basename(file);
  return found?.isFile()
    ? good({ pt: `${name} está lá, ${found.size} bytes`, en: `${name} is there, ${found.size} bytes` })
    : bad({ pt: `falta ${name}`, en: `${name} is missing` }, fix);
}

function checkNode(): Verdict {
  const major = Number(process.versions.node.split('.')[0]);
  return major >= 24
    ? good(same(`node ${process.versions.node}`))
    : bad(same(`node ${process.versions.node}`), {
        pt: 'execute com Node 24 ou mais novo; npm start traz um',
        en: 'run with Node 24 or newer; npm start brings one',
      });
}

async function checkCommand(command: string, args: readonly string[], fix: Words): Promise<Verdict> {
  try {
    const { stdout, stderr } = await run(command, [...args], { timeout: 5_000 });
    return good(same((stdout || stderr).trim().split('\n')[0] ?? command));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    return bad({ pt: `${command} não executa ${code}`.trim(), en: `${command} does not run ${code}`.trim() }, fix);
  }
}

async function checkDesired({ admin }: DoctorDeps): Promise<Verdict> {
  const plan = await admin.plan(null);
  if (!plan.ok)
    return bad(
      {
        pt: `${plan.errors.length} erro(s); svc validate DIR os mostra`,
        en: `${plan.errors.length} error(s): ${plan.errors[0] ?? ''}`,
      },
      {
        pt: 'corrija o lugar indicado; até lá vale o último estado bom',
        en: 'mend the named place; the last good state stays in force until then',
      },
    );
  if (plan.pendingPrune.length > 0)
    return bad(
      { pt: `${plan.pendingPrune.length} remoção(ões) à espera`, en: `${plan.pendingPrune.length} removal(s) wait` },
      { pt: 'svc apply --prune as faz', en: 'svc apply --prune carries them out' },
    );
  if (plan.restart !== undefined)
    return lacking(
      { pt: `só valem depois de um reinício: ${plan.restart.join(', ')}`, en: `wait for a restart: ${plan.restart.join(', ')}` },
      { pt: 'reinicie o portal; os apps continuam', en: 'restart the portal; apps go on meanwhile' },
    );
  const n = plan.blocked.length;
  const blocked: Words =
    n === 0 ? same('') : { pt: `, ${n} sem saída (svc plan diz por quê)`, en: `, ${n} blocked (svc plan says by what)` };
  return good({
    pt: `válido, ${plan.changes.length} mudança(s) por vir${blocked.pt}`,
    en: `valid, ${plan.changes.length} change(s) to come${blocked.en}`,
  });
}

async function checkServers({ admin }: DoctorDeps): Promise<Verdict> {
  const servers = admin.objects(makeKey('Server', ''));
  if (servers.length === 0)
    return bad({ pt: 'nenhum servidor', en: 'no server' }, { pt: 'escreva um documento Server', en: 'write a Server document' });
  const lost = servers.filter(({ conditions }) => !conditions.some(({ type, status }) => type === 'Reachable' && status === 'True'));
  const rivals = servers.filter(({ reason }) => reason === 'OtherPortal').map(({ name }) => name);
  const ordered: Words = {
    pt: `outro portal comanda também: ${rivals.join(', ')}`,
    en: `another portal orders them, too: ${rivals.join(', ')}`,
  };
  const held = servers.filter(({ reason }) => reason === 'KitStopped');
  const [first] = [...lost.map(({ name }) => name), ...rivals, ...held.map(({ name }) => name)];
  if (first === undefined) return good({ pt: `${servers.length} ao alcance`, en: `${servers.length} reachable` });
  const fix: Words = {
    pt: `svc why Server/${first} diz o que mudar, e assim de cada um`,
    en: `svc why Server/${first} says what mends it, and so of each`,
  };
  const parts = [
    ...(lost.length === 0 ? [] : [lostWords(lost)]),
    ...(rivals.length === 0 ? [] : [ordered]),
    ...held.slice(0, 1).map((server) => heldWords(server, held)),
  ];
  if (lost.length === 0) return lacking(joined(parts), fix);
  return bad(joined(parts), fix);
}

type SeenServer = ReturnType<DoctorDeps['admin']['objects']>[number];

const joined = (parts: readonly Words[]): Words => ({
  pt: parts.map(({ pt }) => pt).join('; '),
  en: parts.map(({ en }) => en).join('; '),
});

/** The message is that of one of them; what failed, and where, is the same for all. */
function heldWords({ message }: SeenServer, held: readonly SeenServer[]): Words {
  const names = someNames(held.map(({ name }) => name));
  return {
    pt: `seguem com o kit que têm: ${names.pt} (${reasonText('KitStopped', 'pt')})`,
    en: `go on with the kit they have: ${names.en} (${message})`,
  };
}

/** A single lost object is shown with its cause; several are shown as names by reason. */
function lostWords(lost: ReturnType<DoctorDeps['admin']['objects']>): Words {
  const [first] = lost;
  if (lost.length === 1 && first !== undefined)
    return { pt: `${first.name}: ${reasonText(first.reason, 'pt')}`, en: `${first.name}: ${first.message}` };
  return namesByReason(lost);
}

function checkSocketPath(socket: string | null): Verdict {
  if (socket === null) return good({ pt: 'sem socket de controle', en: 'no control socket' });
  const bytes = Buffer.byteLength(socket);
  if (bytes <= limits.socketPathBytesMax)
    return good({
      pt: `socket de controle: ${bytes} de ${limits.socketPathBytesMax} bytes`,
      en: `control socket: ${bytes} of ${limits.socketPathBytesMax} bytes`,
    });
  return bad(
    { pt: `o caminho do socket de controle tem ${bytes} bytes`, en: `the control socket's path has ${bytes} bytes` },
    {
      pt: `use uma pasta de estado com um caminho de no máximo ${limits.socketPathBytesMax - 9} bytes`,
      en: `use a state folder with a path of at most ${limits.socketPathBytesMax - 9} bytes`,
    },
  );
}

/** Without a user manager there are no scopes: apps run without ceilings (rules 3.1 step 7). Without linger none of it lasts (3.3). */
async function checkUserManager(): Promise<Verdict> {
  const runtimeDir = process.env['XDG_RUNTIME_DIR'] ?? `/run/user/${process.getuid?.() ?? 0}`;
  const manager = await exists(path.join(runtimeDir, 'systemd', 'private'));
  const user = os.userInfo().username;
  if (!manager)
    return lacking(
      {
        pt: 'sem gerenciador de serviços da conta: aplicativos rodam sem limites de memória e de tarefas',
        en: 'no user service manager: apps run without memory and task ceilings',
      },
      { pt: `loginctl enable-linger ${user}, onde systemd roda`, en: `loginctl enable-linger ${user}, where systemd runs` },
    );
  const linger = await exists(path.join('/var/lib/systemd/linger', user));
  return linger
    ? good({ pt: 'gerenciador da conta e linger', en: 'user manager and linger' })
    : bad(
        { pt: 'linger desligado: aplicativos terminam com o último login', en: 'linger is off: apps end with the last login' },
        same(`loginctl enable-linger ${user}`),
      );
}

async function checkDisk({ controlSocket }: DoctorDeps): Promise<Verdict> {
  const dir = controlSocket === null ? process.cwd() : path.dirname(controlSocket);
  const { bavail, bsize } = await statfs(dir);
  const free = bavail * bsize;
  const mega = Math.round(free / 1_048_576);
  const detail = { pt: `${mega} MB livres para o estado`, en: `${mega} MB free for the state` };
  const fix = {
    pt: 'abra espaço: o banco e os registros dos aplicativos precisam dele',
    en: 'make room: the store and the logs of apps need it',
  };
  return free >= bytesFreeMin ? good(detail) : bad(detail, fix);
}

async function checkSubdomains({ site }: DoctorDeps): Promise<Verdict> {
  if (site.origins === 'path')
    return bad(
      {
        pt: 'uma origem para todos os aplicativos: eles podem agir como a pessoa',
        en: 'one origin for all apps: apps can act as the person',
      },
      {
        pt: 'use origins: subdomain com um nome curinga, ou só aplicativos de confiança',
        en: 'use origins: subdomain with a wildcard name, or trusted apps only',
      },
    );
  if (site.hostname === 'localhost' || site.hostname.endsWith('.localhost'))
    return good({ pt: 'navegadores resolvem *.localhost sozinhos', en: 'browsers resolve *.localhost themselves' });
  if (isIP(site.hostname))
    return bad(
      { pt: `${site.hostname} é um endereço`, en: `${site.hostname} is an address` },
      {
        pt: 'dê ao portal um nome com registro curinga, ou use origins: path',
        en: 'give the portal a name with a wildcard record, or use origins: path',
      },
    );
  // Refused in new documents; this is for what an older version of svc took. Decision: docs/decisions/0168-plain-http.md
  if (!isSecureContext(site))
    return bad(
      {
        pt: `${site.origin} é http sem proteção: a página de qualquer aplicativo pode pôr os cookies do portal`,
        en: `${site.origin} is plain http: the page of any app may set the cookies of the portal`,
      },
      {
        pt: 'use https, um nome abaixo de localhost, ou origins: path se todo aplicativo for de confiança',
        en: 'use https, a name below localhost, or origins: path when every app is trusted',
      },
    );
  try {
    const { address } = await lookup(`svc-doctor.${site.hostname}`);
    return good({ pt: `*.${site.hostname} resolve para ${address}`, en: `*.${site.hostname} resolves to ${address}` });
  } catch {
    return bad(
      { pt: `*.${site.hostname} não resolve`, en: `*.${site.hostname} does not resolve` },
      {
        pt: `crie um registro DNS curinga para *.${site.hostname}, ou use origins: path`,
        en: `add a wildcard DNS record for *.${site.hostname}, or use origins: path`,
      },
    );
  }
}

async function exists(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  );
}
