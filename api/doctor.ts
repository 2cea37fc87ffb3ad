/**
 * `svc doctor`: each check looks at the real thing and, when it fails, names what to do. One check never breaks the others.
 */
import { execFile } from 'node:child_process';
import { access, stat, statfs } from 'node:fs/promises';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Store } from '../controller/store/store.ts';
import type { Clock } from '../schema/clock.ts';
import type { DoctorCheck, Gateway } from '../schema/gateway.ts';
import { limits } from '../schema/limits.ts';
import { oidcReturnPath } from './auth/oidc.ts';
import type { Site } from './hosts.ts';

export interface DoctorDeps {
  readonly site: Site;
  readonly listening: () => { readonly host: string; readonly port: number } | null;
  readonly store: Pick<Store, 'putValue' | 'value'>;
  readonly gateway: Pick<Gateway, 'plan' | 'objects' | 'signIn'>;
  readonly clock: Clock;
  readonly controlSocket: string | null;
  readonly assets: { readonly shellDir: string; readonly sdkWebDir: string };
  /** Checks of whoever put the parts together: bundles of the kit, folders of the state. */
  readonly more: readonly (() => Promise<DoctorCheck>)[];
}

type Verdict = Omit<DoctorCheck, 'name'>;
type Check = readonly [name: string, check: (deps: DoctorDeps) => Promise<Verdict>];

const run = promisify(execFile);
const bytesFreeMin = 512 * 1_024 * 1_024;

const good = (detail: string): Verdict => ({ ok: true, warning: false, detail, fix: null });
const bad = (detail: string, fix: string): Verdict => ({ ok: false, warning: false, detail, fix });
const lacking = (detail: string, fix: string): Verdict => ({ ok: false, warning: true, detail, fix });

const checks: readonly Check[] = [
  ['listen', async ({ listening, site }) => checkListen(listening(), site)],
  ['store', checkStore],
  ['shell', ({ assets }) => checkFile(path.join(assets.shellDir, 'index.html'), 'npm start builds the shell')],
  ['sdk', ({ assets }) => checkFile(path.join(assets.sdkWebDir, 'svc.js'), 'npm start builds the web SDK')],
  ['node', async () => checkNode()],
  ['python3', () => checkCommand('python3', ['--version'], 'install python3: backends with runtime python3 need it')],
  ['flock', () => checkCommand('flock', ['--version'], 'install util-linux: svc-app-run takes its lock with flock')],
  ['desired', checkDesired],
  ['servers', checkServers],
  ['sign-in', checkSignIn],
  ['socket path', async ({ controlSocket }) => checkSocketPath(controlSocket)],
  ['user manager', async () => checkUserManager()],
  ['disk', checkDisk],
  ['subdomains', checkSubdomains],
];

/** The provider itself is not asked: it may be down for a while, and the sign-in page says so. */
async function checkSignIn({ gateway, site }: DoctorDeps): Promise<Verdict> {
  const { ssh, oidc } = gateway.signIn();
  const ways = ['link', ...(ssh ? ['login and password'] : []), ...(oidc ? [new URL(oidc.issuer).host] : [])].join(', ');
  if (!oidc) return good(ways);
  try {
    await oidc.clientSecret();
  } catch (error) {
    return bad((error as Error).message, 'put the secret where Portal.spec.signIn.oidc.clientSecret says');
  }
  return good(`${ways}; registered there as ${site.origin}${oidcReturnPath}`);
}

export async function runDoctor(deps: DoctorDeps): Promise<readonly DoctorCheck[]> {
  const own = checks.map(([name, check]) => guarded(name, async () => ({ name, ...(await check(deps)) })));
  const more = deps.more.map((check, index) => guarded(`check ${index + 1}`, check));
  return await Promise.all([...own, ...more]);
}

async function guarded(name: string, check: () => Promise<DoctorCheck>): Promise<DoctorCheck> {
  try {
    return await check();
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { name, ...bad(detail, 'this check failed in an unforeseen way; the detail names the cause') };
  }
}

function checkListen(listening: { host: string; port: number } | null, site: Site): Verdict {
  if (!listening) return bad('no TCP listener', 'set Portal.spec.listen to a free host:port');
  const at = `${listening.host}:${listening.port}`;
  const loopback = listening.host === '127.0.0.1' || listening.host === '::1' || listening.host === 'localhost';
  if (site.scheme === 'http' && !loopback) {
    return bad(`${at} takes plain http from the network`, 'put a proxy with TLS before it and set Portal.spec.url to its https address');
  }
  return good(`${at}, reached at ${site.origin}`);
}

async function checkStore({ store, clock }: DoctorDeps): Promise<Verdict> {
  const written = String(clock.nowMs());
  await store.putValue('doctor', written);
  const read = await store.value('doctor');
  return read === written
    ? good('wrote and read a value')
    : bad('a value that was written did not come back', 'check the disk of the state folder');
}

async function checkFile(file: string, fix: string): Promise<Verdict> {
  const found = await stat(file).catch(() => null);
  return found?.isFile() ? good(`${path.basename(file)} is there, ${found.size} bytes`) : bad(`${path.basename(file)} is missing`, fix);
}

function checkNode(): Verdict {
  const major = Number(process.versions.node.split('.')[0]);
  return major >= 24
    ? good(`node ${process.versions.node}`)
    : bad(`node ${process.versions.node}`, 'run with Node 24 or newer; npm start brings one');
}

async function checkCommand(command: string, args: readonly string[], fix: string): Promise<Verdict> {
  try {
    const { stdout, stderr } = await run(command, [...args], { timeout: 5_000 });
    return good((stdout || stderr).trim().split('\n')[0] ?? command);
  } catch (error) {
    return bad(`${command} does not run: ${(error as NodeJS.ErrnoException).code ?? 'failed'}`, fix);
  }
}

async function checkDesired({ gateway }: DoctorDeps): Promise<Verdict> {
  const plan = await gateway.plan(null);
  if (!plan.ok)
    return bad(
      `${plan.errors.length} error(s): ${plan.errors[0] ?? ''}`,
      'mend the named place; the last good state stays in force until then',
    );
  if (plan.pendingPrune.length > 0) return bad(`${plan.pendingPrune.length} removal(s) wait`, 'svc apply --prune carries them out');
  return good(`valid, ${plan.changes.length} change(s) to come`);
}

async function checkServers({ gateway }: DoctorDeps): Promise<Verdict> {
  const servers = await gateway.objects('Server/');
  if (servers.length === 0) return bad('no server', 'write a Server document');
  const lost = servers.filter(({ conditions }) => !conditions.some(({ type, status }) => type === 'Reachable' && status === 'True'));
  if (lost.length === 0) return good(`${servers.length} reachable`);
  return bad(lost.map(({ name, message }) => `${name}: ${message}`).join('; '), 'svc why Server/<name> says what is missing');
}

function checkSocketPath(socket: string | null): Verdict {
  if (socket === null) return good('no control socket');
  const bytes = Buffer.byteLength(socket);
  if (bytes <= limits.socketPathBytesMax) return good(`control socket: ${bytes} of ${limits.socketPathBytesMax} bytes`);
  return bad(
    `the control socket's path has ${bytes} bytes`,
    `use a state folder with a path of at most ${limits.socketPathBytesMax - 9} bytes`,
  );
}

/** Without a user manager there are no scopes: apps run without ceilings (spec 3.1 step 7). Without linger none of it lasts (3.3). */
async function checkUserManager(): Promise<Verdict> {
  const runtimeDir = process.env['XDG_RUNTIME_DIR'] ?? `/run/user/${process.getuid?.() ?? 0}`;
  const manager = await exists(path.join(runtimeDir, 'systemd', 'private'));
  const user = os.userInfo().username;
  if (!manager)
    return lacking(
      'no user service manager: apps run without memory and task ceilings',
      `loginctl enable-linger ${user}, where systemd runs`,
    );
  const linger = await exists(path.join('/var/lib/systemd/linger', user));
  return linger ? good('user manager and linger') : bad('linger is off: apps end with the last login', `loginctl enable-linger ${user}`);
}

async function checkDisk({ controlSocket }: DoctorDeps): Promise<Verdict> {
  const dir = controlSocket === null ? process.cwd() : path.dirname(controlSocket);
  const { bavail, bsize } = await statfs(dir);
  const free = bavail * bsize;
  const detail = `${Math.round(free / 1_048_576)} MB free for the state`;
  return free >= bytesFreeMin ? good(detail) : bad(detail, 'make room: the store and the logs of apps need it');
}

async function checkSubdomains({ site }: DoctorDeps): Promise<Verdict> {
  if (site.origins === 'path')
    return bad('one origin for all apps: apps can act as the person', 'use origins: subdomain with a wildcard name, or trusted apps only');
  if (site.hostname === 'localhost' || site.hostname.endsWith('.localhost')) return good('browsers resolve *.localhost themselves');
  if (isIP(site.hostname))
    return bad(`${site.hostname} is an address`, 'give the portal a name with a wildcard record, or use origins: path');
  try {
    const { address } = await lookup(`svc-doctor.${site.hostname}`);
    return good(`*.${site.hostname} resolves to ${address}`);
  } catch {
    return bad(`*.${site.hostname} does not resolve`, `add a wildcard DNS record for *.${site.hostname}, or use origins: path`);
  }
}

async function exists(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  );
}
