/**
 * `svc-app-install <dir|tarball|id> …`: argv, one act, exit code. 0 done, 1 refused or failed, 2 usage.
 * With --json each line of stdout is an object of events.ts; the last one has `event` done or error.
 */
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { SvcError } from '../../schema/errors.ts';
import { diskError } from '../disk-error.ts';
import { isAppId, nearAppIdFault } from '../../schema/app-id.ts';
import { kitRoot, placeFrom } from '../place.ts';
import type { InstallEvent, InstallLine, InstallOutcome, InstallResult, Scope } from '../../schema/install-events.ts';
import { confirm, install, remove, rollBack, type Target } from './install.ts';
import { cancelBy } from './input.ts';
import { applyCredential, readOrder } from '../service/credential.ts';
import { takeInventory } from './inventory.ts';
import { findSource, folderOf, type Found } from './source.ts';
import { signedBy } from '../repository/reading/signed-package.ts';
import { dropOwnStagings } from './versions.ts';
import { tellsVersion } from '../version.ts';
import { unpacksWithVersion } from './unpack.ts';

const usage = `usage: svc-app-install DIR|TARBALL|ID[@VERSION] [--force] [--sistema|--pessoa] [--json]
                       [--repository DIR|URL] [--sha256 HEX] [--chave KEY [--assinatura BASE64]]
       svc-app-install - --bytes N --sha256 HEX …   (the tarball comes on standard input)
       svc-app-install --rollback ID | --remove ID | --confirm ID   [--force] [--sistema|--pessoa] [--json]
       svc-app-install --credential ID --json   (as root; look, restart, or give and lines of SVC_PORTAL_…, on standard input)
       svc-app-install --look [REQUIREMENT… | -] --json   (-: requirements on standard input, one a line)

A path holds a "/" or ends in .tgz; anything else is an id, looked up in the repository (--repository, SVC_REPOSITORY), and where nobody has it your
folder of that name. With --chave (a public key of minisign) only a package that it signed is installed; the signature is that of the repository, or
--assinatura.
SIGTERM cancels: what was installed before stays. With --cancellable so does the line "cancel" on standard input, behind the tarball.
SVC_APP_REBUILD=1 with --force runs installCommand again for the same version: as root at once, with --pessoa at the next start.
`;

interface Order {
  readonly act: 'install' | 'rollback' | 'remove' | 'confirm' | 'look' | 'credential';
  /** The thing to install (a path or an address), or the id. */
  readonly what: string;
  /** Requirements to check with `--look`. */
  readonly requirements: readonly string[];
  readonly scope: Scope | null;
  readonly force: boolean;
  readonly json: boolean;
  readonly repository: string;
  readonly sha256: string | null;
  /** Public key that must have signed the package, and the text of the signature, unless the repository has it. */
  readonly chave: string | null;
  readonly assinatura: string | null;
  /** Size of the tarball on standard input. */
  readonly bytes: number | null;
  readonly cancellable: boolean;
}

/** Null when the arguments are not valid. */
function orderFrom(argv: readonly string[]): Order | null {
  const flag = { type: 'boolean', default: false } as const;
  const word = { type: 'string' } as const;
  let parsed;
  try {
    parsed = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        force: flag,
        sistema: flag,
        pessoa: flag,
        json: flag,
        repository: word,
        sha256: word,
        chave: word,
        assinatura: word,
        bytes: word,
        cancellable: flag,
        rollback: word,
        remove: word,
        confirm: word,
        credential: word,
        look: flag,
      },
    });
  } catch {
    return null;
  }
  const { values, positionals } = parsed;
  const acts = (['rollback', 'remove', 'confirm', 'credential'] as const).filter((name) => values[name] !== undefined);
  const scope = values.pessoa ? ('pessoa' as const) : values.sistema ? ('sistema' as const) : null;
  const common = {
    scope,
    force: values.force,
    json: values.json,
    cancellable: values.cancellable,
    chave: values.chave ?? null,
    assinatura: values.assinatura === undefined ? null : Buffer.from(values.assinatura, 'base64').toString('utf8'),
    repository: values.repository ?? process.env['SVC_REPOSITORY'] ?? '',
  };
  if (values.look) {
    if (acts.length > 0 || !values.json) return null;
    return { ...common, act: 'look', what: '', requirements: positionals, sha256: null, bytes: null };
  }
  if (values.credential !== undefined && !values.json) return null;
  if (acts.length + positionals.length !== 1 || (values.sistema && values.pessoa)) return null;
  const [act] = acts;
  const what = act === undefined ? positionals[0] : values[act];
  if (what === undefined || what === '' || (act !== undefined && !isAppId(what) && nearAppIdFault(what) === null)) return null;
  if (values.sha256 !== undefined && !/^[0-9a-f]{64}$/.test(values.sha256)) return null;
  const bytes = values.bytes === undefined ? null : Number(values.bytes);
  if (what === '-' ? !isCount(bytes) || values.sha256 === undefined : bytes !== null) return null;
  return { ...common, act: act ?? 'install', what, requirements: [], sha256: values.sha256 ?? null, bytes };
}

const isCount = (bytes: number | null): boolean => bytes !== null && Number.isSafeInteger(bytes) && bytes > 0;

/** Only root, or the owner of the prefix that is used as a whole server, may write the system's folder. */
function maySystem(prefix: string): boolean {
  const uid = process.getuid?.();
  return uid === 0 || (prefix !== '' && statSync(prefix, { throwIfNoEntry: false })?.uid === uid);
}

function targetFrom(order: Order): Target {
  const place = placeFrom(process.env);
  if (place.prefix !== '') mkdirSync(place.prefix, { recursive: true });
  const scope = order.scope ?? (maySystem(place.prefix) ? 'sistema' : 'pessoa');
  if (scope === 'sistema' && !maySystem(place.prefix))
    throw new SvcError('FORBIDDEN', 'only root installs for the whole server; --pessoa installs for you alone');
  const onEvent = (event: InstallEvent): void => emit(order, event);
  const binDir = join(kitRoot(process.env, import.meta.dirname), 'bin');
  return { place, scope, force: order.force, rebuild: process.env['SVC_APP_REBUILD'] === '1', onEvent, binDir };
}

async function run(order: Order): Promise<Exclude<InstallOutcome, { event: 'error' }>> {
  if (order.act === 'look') return await takeInventory(placeFrom(process.env), await requirementsOf(order));
  const fault = order.act === 'install' ? null : nearAppIdFault(order.what);
  if (fault !== null) throw new SvcError('BAD_REQUEST', fault);
  const target = targetFrom(order);
  if (order.act === 'credential')
    return { event: 'credential', ...(await applyCredential(order.what, readOrder(await text(process.stdin)))) };
  if (order.bytes === null) listenForCancel(order);
  if (order.act === 'rollback') return await rollBack(target, order.what);
  if (order.act === 'remove') return await remove(target, order.what);
  if (order.act === 'confirm') return await confirm(target, order.what);
  const installed = async (found: Found) => await install(target, await signedBy(order, found));
  if (order.bytes !== null && order.sha256 !== null) return await installed(fromInput(order, order.bytes, order.sha256));
  try {
    return await installed(await findSource(order.what, order.repository, order.sha256));
  } catch (error) {
    const folder = folderOf(order.what, error, process.env['SUDO_UID']);
    if (folder === null) throw error;
    return await installed(folder);
  }
}

async function requirementsOf({ requirements }: Order): Promise<readonly string[]> {
  if (requirements.length !== 1 || requirements[0] !== '-') return requirements;
  return (await text(process.stdin)).split('\n').filter((line) => line !== '');
}

/** The source of a tarball that the portal sends over ssh. */
function fromInput(order: Order, bytes: number, sha256: string): Found {
  const whenRead = (): void => listenForCancel(order);
  return { source: { kind: 'input', input: process.stdin, bytes, sha256, whenRead }, app: null, version: null, offers: new Map() };
}

/** The end of a connection cancels nothing; the word does. */
function listenForCancel(order: Order): void {
  if (order.cancellable) cancelBy(process.stdin, () => cancel(order));
}

/**
 * At any step the version before or the new one is whole. Downloads are removed at once, since there may be no next run. Other leftovers
 * are removed by the next run (decision 0060).
 */
function cancel(order: Order): never {
  dropOwnStagings();
  emit(order, { event: 'error', code: 'CANCELLED', message: 'cancelled; what was installed is as it was', details: {} });
  process.exit(1);
}

function emit(order: Order, event: InstallLine): void {
  if (order.json) process.stdout.write(`${JSON.stringify(event)}\n`);
  else if (event.event === 'error') process.stderr.write(`svc-app-install: ${event.code} ${event.message}\n`);
  else if (event.event !== 'look' && event.event !== 'credential') process.stdout.write(sentence(event));
}

function sentence(event: InstallEvent | InstallResult): string {
  if (event.event === 'step') return '';
  if (event.event === 'engine') return `${event.nome} ${event.versao}: ${event.step === 'extract' ? 'extracting' : 'ready'}\n`;
  if (event.event === 'download') {
    const mega = (bytes: number): string => (bytes / 1e6).toFixed(1);
    const eta = event.etaMs === null ? '' : `, ${Math.ceil(event.etaMs / 1_000)} s left`;
    return `${event.nome} ${event.versao}: ${mega(event.bytes)} of ${mega(event.total)} MB${eta}\n`;
  }
  const version = event.version === null ? '' : ` ${event.version}`;
  const before = event.before === null || event.before === event.version ? '' : ` (before: ${event.before})`;
  const ended = event.ended === 0 ? '' : `; ${event.ended} processes of the code before were ended`;
  return `${event.app}${version}: ${event.result}${before}, ${event.scope}${ended}\n`;
}

function coded(thrown: unknown): SvcError {
  const error = diskError(thrown, '; what was installed is as it was');
  return error instanceof SvcError ? error : new SvcError('INTERNAL', error instanceof Error ? error.message : String(error));
}

async function main(argv: readonly string[]): Promise<number> {
  if (tellsVersion(argv, unpacksWithVersion)) return 0;
  const order = orderFrom(argv);
  if (order === null) {
    process.stderr.write(usage);
    return 2;
  }
  // The reader of the output may be gone; the installation goes on.
  process.stdout.on('error', () => undefined);
  process.once('SIGTERM', () => cancel(order));
  // Independent of the caller's umask: what is installed is readable by all.
  process.umask(0o022);
  try {
    emit(order, await run(order));
    if (order.cancellable) process.stdin.destroy();
    return 0;
  } catch (error) {
    const { code, message, details } = coded(error);
    emit(order, { event: 'error', code, message, details });
    return 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
