/**
 * `svc-app-install <dir|tarball|id> …`: argv, one act, exit code. 0 done, 1 refused or failed, 2 usage.
 * With --json each line of stdout is an object of events.ts; the last one has `event` done or error.
 */
import { mkdirSync, statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { SvcError } from '../../schema/errors.ts';
import { errorCode } from '../atomic-file.ts';
import { isAppId, placeFrom } from '../place.ts';
import type { InstallEvent, InstallLine, InstallResult, Scope } from '../../schema/install-events.ts';
import { confirm, install, remove, rollBack, type Target } from './install.ts';
import { findSource } from './source.ts';

const usage = `usage: svc-app-install DIR|TARBALL|ID[@VERSION] [--force] [--sistema|--pessoa] [--json]
                       [--repository DIR|URL] [--sha256 HEX]
       svc-app-install --rollback ID | --remove ID | --confirm ID   [--force] [--sistema|--pessoa] [--json]

A path holds a "/" or ends in .tgz; anything else is an id, looked up in the repository (--repository, SVC_REPOSITORY).
SVC_APP_REBUILD=1 with --force runs installCommand again for the same version.
`;

interface Order {
  readonly act: 'install' | 'rollback' | 'remove' | 'confirm';
  /** What to install, or the id. */
  readonly what: string;
  readonly scope: Scope | null;
  readonly force: boolean;
  readonly json: boolean;
  readonly repository: string;
  readonly sha256: string | null;
}

/** Null when it is no order of ours. */
function orderFrom(argv: readonly string[]): Order | null {
  const flag = { type: 'boolean', default: false } as const;
  const text = { type: 'string' } as const;
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
        repository: text,
        sha256: text,
        rollback: text,
        remove: text,
        confirm: text,
      },
    });
  } catch {
    return null;
  }
  const { values, positionals } = parsed;
  const acts = (['rollback', 'remove', 'confirm'] as const).filter((name) => values[name] !== undefined);
  if (acts.length + positionals.length !== 1 || (values.sistema && values.pessoa)) return null;
  const [act] = acts;
  const what = act === undefined ? positionals[0] : values[act];
  if (what === undefined || what === '' || (act !== undefined && !isAppId(what))) return null;
  if (values.sha256 !== undefined && !/^[0-9a-f]{64}$/.test(values.sha256)) return null;
  return {
    act: act ?? 'install',
    what,
    scope: values.pessoa ? 'pessoa' : values.sistema ? 'sistema' : null,
    force: values.force,
    json: values.json,
    repository: values.repository ?? process.env['SVC_REPOSITORY'] ?? '',
    sha256: values.sha256 ?? null,
  };
}

/** Whoever may write the system's folder: root, or the owner of the prefix that stands for a whole server. */
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
  const onEvent = (event: InstallEvent): void => tell(order, event);
  return { place, scope, force: order.force, rebuild: process.env['SVC_APP_REBUILD'] === '1', onEvent };
}

async function run(order: Order): Promise<InstallResult> {
  const target = targetFrom(order);
  if (order.act === 'rollback') return await rollBack(target, order.what);
  if (order.act === 'remove') return await remove(target, order.what);
  if (order.act === 'confirm') return await confirm(target, order.what);
  return await install(target, await findSource(order.what, order.repository, order.sha256));
}

function tell(order: Order, event: InstallLine): void {
  if (order.json) process.stdout.write(`${JSON.stringify(event)}\n`);
  else if (event.event === 'error') process.stderr.write(`svc-app-install: ${event.code} ${event.message}\n`);
  else process.stdout.write(sentence(event));
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

/** A full disk is a state of the world, not a defect. */
function coded(error: unknown): SvcError {
  if (error instanceof SvcError) return error;
  const code = errorCode(error);
  const message = error instanceof Error ? error.message : String(error);
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new SvcError('DISK_FULL', `no space left: ${message}; what was installed is as it was`);
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return new SvcError('FORBIDDEN', message);
  return new SvcError('INTERNAL', message);
}

async function main(argv: readonly string[]): Promise<number> {
  const order = orderFrom(argv);
  if (order === null) {
    process.stderr.write(usage);
    return 2;
  }
  // Whoever listened may be gone; the installation goes on.
  process.stdout.on('error', () => undefined);
  // Whatever the caller's was: what is installed is for everybody.
  process.umask(0o022);
  try {
    tell(order, await run(order));
    return 0;
  } catch (error) {
    const { code, message, details } = coded(error);
    tell(order, { event: 'error', code, message, details });
    return 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
