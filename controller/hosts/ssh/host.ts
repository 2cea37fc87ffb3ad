/**
 * Host driver `ssh`: a server reached through its sshd. One connection per account, so that sshd keeps people apart, and one more for
 * installed packages. The listing of the system's packages and of all homes goes over the connection of the admin account. Names are
 * validated before they reach ssh, values go over standard input, sockets through `direct-streamlocal@openssh.com`. Decisions:
 * docs/decisions/0063-how-the-portal-signs-in.md, 0085, 0086
 */
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { isAccountName } from '../../../schema/account-name.ts';
import { pause, type Clock } from '../../../schema/clock.ts';
import { SvcError, type ErrorCode } from '../../../schema/errors.ts';
import { same } from '../../../schema/texts/doctor.ts';
import type { Words } from '../../../schema/texts/reasons.ts';
import type { CredentialState, InstallOutcome, InstallResult } from '../../../schema/install-events.ts';
import { attributesArgv, attributesThere } from '../../files/kept-attributes.ts';
import { limits } from '../limits.ts';
import { limits as sharedLimits } from '../../../schema/limits.ts';
import { accountPaths, type ServerPlace } from '../../../schema/server-paths.ts';
import { isOlderKit, kitVersionMin } from '../../../schema/supervisor-protocol.ts';
import { makeAccount } from '../../../schema/texts/open-account.ts';
import { signedWords, wordsOf } from '../local-installer.ts';
import type { PackageSource } from '../../../kit/repository/reading/source.ts';
import type { Host, InstalledPackage, InstallRun, Inventory } from '../host.ts';
import type { FileSystem } from '../../files/file-system.ts';
import { keepFileSystems } from '../../files/kept-file-systems.ts';
import { createSftpFileSystem } from '../../files/sftp/file-system.ts';
import { createInstallerLines } from '../installer-lines.ts';
import { checkSocketPath } from '../unix-socket.ts';
import type { SshCredential, SshTarget } from './connect.ts';
import type { SshConnection } from './connection.ts';
import { createConnections, type Connections } from './connections.ts';
import { forwardsSockets, noForwarding } from './forwarding.ts';
import { shellError } from './login-shell.ts';
import { listError, readListLine } from './list-lines.ts';
import { createListing, firstLine, missingKit, notRun, type Listing } from './listing.ts';
import { createFileCache } from './file-cache.ts';
import type { RemoteResult, RemoteRun } from './remote-run.ts';
import { askWhyNoRoom } from './why-no-room.ts';
import { whyShutOut } from './why-shut-out.ts';

export interface SshHostOptions {
  readonly server: string;
  readonly target: SshTarget;
  /** The account for root's work: root itself, or one that may `sudo` without a password. */
  readonly admin: string;
  readonly credential: () => Promise<SshCredential>;
  /** Folder of the kit on the server. */
  readonly kit: string;
  /** Put before /opt and /var/lib on the server; '' on a real one. */
  readonly prefix: string;
  readonly clock: Clock;
  /** Makes the one file that is sent: bytes and digest of a tarball, or of the tarball that a folder was packed into. */
  readonly pack: (source: Exclude<PackageSource, { readonly kind: 'url' }>) => Promise<PackedSource>;
  readonly onBadPackage: (folder: string, error: unknown) => void;
  /** The command that brings the kit of this portal there, or the person who does. */
  readonly kitFix: string;
}

export interface PackedSource {
  readonly bytes: number;
  readonly sha256: string;
  read(): AsyncIterable<Uint8Array>;
  /** Takes away what was made. */
  remove(): Promise<void>;
}

interface Parts {
  readonly options: SshHostOptions;
  readonly connections: Connections;
  readonly listing: Listing;
}

export function createSshHost(options: SshHostOptions): Host {
  const { server, clock } = options;
  const connections = createConnections(options);
  const listing = createListing({
    clock,
    onBadPackage: options.onBadPackage,
    kitFix: options.kitFix,
    admin: options.admin,
    run: (stdin, onLine) => {
      const argv = asRoot(options, kitCommand(options, 'svc-app-list'));
      return repeatable(connections.admin(), () => ({ argv, stdin: textOf(stdin), onLine, msMax: limits.serverObserveMsMax }));
    },
  });
  const parts: Parts = { options, connections, listing };
  const files = createFileCache();
  const fileSystems = keepFileSystems(String, (account) => filesOver(connections.of(account), clock));
  const packagesOf = async (account: string | null, next: readonly string[]): Promise<readonly InstalledPackage[]> => {
    const names = [...(account === null ? [] : [account]), ...next].filter(isAccountName);
    const observation = await listing.observe(names, account === null);
    return account === null ? observation.system : [...observation.system, ...(observation.accounts.get(account)?.own ?? [])];
  };
  return {
    server,
    place: (account) => placeOf(parts, account),
    dial: (account, socketPath) => dial(parts, account, socketPath),
    directSocketPath: () => null,
    files: async (account) => await fileSystems.of(checkedAccount(parts, account)),
    run: async (account, run) => {
      if (account !== null) checkAccount(parts, account);
      const connection = account === null ? connections.admin() : connections.of(account);
      return await connection.run({ ...run, stdin: textOf(run.stdin) });
    },
    shell: async (account, size, folder) => {
      checkAccount(parts, account);
      return await connections.terminals(account).shell(size, folder);
    },
    startSupervisor: (account) => explained(parts, account, startSupervisor(parts, account)),
    closed: async () => (await listing.observe([], false)).closed,
    installed: (account, next = []) => packagesOf(account, next),
    packageFile: async (account, app, scope, file) => {
      const installed = (await packagesOf(account, [])).find((one) => one.app === app && one.scope === scope);
      if (!installed) return null;
      const key = JSON.stringify([scope, scope === 'pessoa' ? account : '', app, installed.hash, file]);
      return await files.get(key, () => readFile(parts, account, app, scope, file));
    },
    install: (source, scope, account, run = {}) => install(parts, source, { scope, account, ...run }),
    mendEngines: async (app, run = {}) => {
      await runInstaller(parts, [app], { scope: 'sistema', account: null, ...run });
    },
    inventoryMark: async () => (await listing.observe([], false)).engines,
    inventory: (requirements) => inventory(parts, requirements),
    rollBack: async (app, scope, account) => {
      await runInstaller(parts, ['--rollback', app], { scope, account });
    },
    confirm: async (app, scope, account) => {
      await runInstaller(parts, ['--confirm', app], { scope, account });
    },
    remove: async (app, scope, account) => {
      await runInstaller(parts, ['--remove', app, '--force'], { scope, account });
    },
    credential: (app, order) => credential(parts, app, order),
    asPortal: async () => null,
    door: () => connections.door(),
    onDoubt: (listener) => connections.onDoubt(listener),
    close: async () => {
      await fileSystems.close();
      connections.close();
    },
  };
}

export function filesOver(connection: SshConnection, clock: Clock): FileSystem {
  return createSftpFileSystem({
    open: () => connection.subsystem('sftp'),
    clock,
    whyNoSftp: (text) => whyNoSftp(connection, text),
    whyNoRoom: askWhyNoRoom((command) => connection.run(command)),
    keepAttributes: async (from, to, what) => {
      const stdin = (async function* () {
        yield attributesThere(from, to, what);
      })();
      // A server that runs no commands for the account keeps the mode only.
      return await connection.run({ argv: ['env', 'LC_ALL=C', ...attributesArgv], stdin, msMax: limits.keepAttributesMsMax }).then(
        ({ code }) => code === 0,
        () => false,
      );
    },
  });
}

/** A subsystem is started by the login shell of the account, too. */
async function whyNoSftp(connection: SshConnection, text: string | null): Promise<Error | null> {
  const asked = { argv: ['cat'], stdin: textOf('x'), msMax: limits.shellAskMsMax };
  const end = await connection.run(asked).catch((error: unknown) => error as Error);
  if (end instanceof Error) return end;
  if (end.neverBegan === true) return shellError(connection.account, { kind: 'ends', text: end.said });
  return text === null ? null : shellError(connection.account, { kind: 'prints', text });
}

function checkedAccount(parts: Parts, account: string): string {
  checkAccount(parts, account);
  return account;
}

function checkAccount({ options }: Parts, account: string): void {
  if (!isAccountName(account)) throw new SvcError('NOT_FOUND', `${JSON.stringify(account)} can't be an account of ${options.server}`);
}

async function placeOf(parts: Parts, account: string): Promise<ServerPlace> {
  checkAccount(parts, account);
  const { home } = await parts.listing.whereabouts(account);
  if (home === null) {
    const fix = same(makeAccount(account));
    throw new SvcError('NOT_FOUND', `${parts.options.server} has no account ${account}`, { fix });
  }
  return { home, prefix: parts.options.prefix };
}

async function dial(parts: Parts, account: string, socketPath: string): Promise<Duplex> {
  checkAccount(parts, account);
  checkSocketPath(socketPath);
  return await parts.connections.of(account).dial(socketPath);
}

/** argv of a command of the kit. */
function kitCommand({ kit, prefix }: SshHostOptions, command: string, ...words: readonly string[]): readonly string[] {
  const program = path.posix.join(kit, 'bin', command);
  return prefix === '' ? [program, ...words] : ['env', `SVC_PREFIX=${prefix}`, program, ...words];
}

function asRoot({ admin }: SshHostOptions, argv: readonly string[]): readonly string[] {
  return admin === 'root' ? argv : ['sudo', '-n', '-H', '--', ...argv];
}

/**
 * Runs a command that may run twice. A kept connection that turned out to be dead proves nothing about the server: a new one is tried.
 * Installs and removals are not repeated here: the caller observes first.
 */
async function repeatable(connection: SshConnection, command: () => RemoteRun): Promise<RemoteResult> {
  const wasUp = connection.isUp();
  try {
    return await connection.run(command());
  } catch (error) {
    if (!wasUp || !(error instanceof SvcError) || error.code !== 'SERVER_UNREACHABLE') throw error;
    return await connection.run(command());
  }
}

async function* textOf(text: string): AsyncGenerator<Uint8Array> {
  if (text !== '') yield Buffer.from(text);
}

/** Errors that a change of the account or its groups may mend. */
const ofAccount: ReadonlySet<ErrorCode> = new Set(['SHELL_REFUSED', 'HOME_MISSING', 'SUPERVISOR_FAILED', 'FILES_UNREADABLE']);

async function explained({ options, connections, listing }: Parts, account: string, start: Promise<void>): Promise<void> {
  try {
    await start;
  } catch (error) {
    const cause = await whyShutOut(error, {
      server: options.server,
      account,
      run: (command) => connections.admin().run({ ...command, argv: asRoot(options, command.argv) }),
      closed: async () => (await listing.observe([account], false)).closed.get(account) ?? null,
    });
    if (cause instanceof SvcError && ofAccount.has(cause.code)) connections.of(account).renew();
    throw cause;
  }
}

/** Returns when it listens, whether this call started it or not. The command ends at once: the supervisor belongs to no sshd session. */
async function startSupervisor(parts: Parts, account: string): Promise<void> {
  const { options, connections } = parts;
  const { clock } = options;
  const paths = accountPaths(await placeOf(parts, account));
  checkSocketPath(paths.supervisorSocket);
  const seen = await parts.listing.whereabouts(account);
  // It may have been brought up to date since.
  const kit = isOlderKit(seen.kit) ? (await parts.listing.observe([account], true)).kit : seen.kit;
  if (isOlderKit(kit)) {
    // Starting it now would only end in it being replaced by ours.
    throw missingKit(`${options.server} has the kit ${kit}, the portal needs ${kitVersionMin} at least`, options.kitFix);
  }
  const connection = connections.of(account);
  const endMs = clock.monotonicMs() + limits.supervisorStartMsMax;
  const argv = kitCommand(options, 'svc-app-supervisor', '--detach');
  let spoken = '';
  const onLine = (line: string): void => void (spoken ||= line);
  const result = await repeatable(connection, () => ({ argv, msMax: limits.supervisorStartMsMax, onLine }));
  if (result.code !== 0) throw failed(result, options.kitFix, spoken, paths.supervisorLog);
  // The socket file is there; one that a dead supervisor left accepts no connection yet.
  for (;;) {
    const stream = await connection.dial(paths.supervisorSocket).catch(() => null);
    stream?.destroy();
    if (stream) return;
    if (clock.monotonicMs() > endMs) {
      const forwards = await forwardsSockets(connection, path.posix.join(options.kit, 'node/bin/node'));
      throw forwards === false
        ? new SvcError('SUPERVISOR_FAILED', noForwarding(options.server, account))
        : notAnswering(paths.supervisorLog);
    }
    await pause(clock, limits.supervisorDialMs);
  }
}

/** Nothing of ours writes to stdout here: a shell that lets nobody in does (nologin). A missing home is reported on stderr. */
function failed(result: RemoteResult, kitFix: string, spoken: string, log: string): SvcError {
  const missing = notRun(result, kitFix, null, 'svc-app-supervisor');
  if (missing.code === 'KIT_MISSING') return missing;
  const words = firstLine(spoken === '' ? result.said : spoken).replace(/^svc-app-supervisor: /, '');
  // EX_CONFIG: it did not come as far as its log.
  const more = result.code === 78 && words !== '' ? words : `${words === '' ? '' : `${words}; `}see ${log}`;
  const message = `svc-app-supervisor ended with ${result.signal ?? result.code}: ${more}`;
  if (/No space left on device|Disk quota exceeded/.test(words)) return new SvcError('DISK_FULL', message);
  if (/Permission denied|Operation not permitted|Read-only file system/.test(words)) return new SvcError('FILES_UNREADABLE', message);
  const fix: Words = { pt: 'corrija no servidor o que a mensagem diz', en: 'mend on the server what the message says' };
  return new SvcError('SUPERVISOR_FAILED', message, words === '' ? {} : { fix });
}

function notAnswering(log: string): SvcError {
  return new SvcError('SUPERVISOR_FAILED', `svc-app-supervisor did not answer within ${limits.supervisorStartMsMax / 1_000} s: see ${log}`);
}

interface InstallOrder extends InstallRun {
  readonly scope: InstalledPackage['scope'];
  readonly account: string | null;
  readonly stdin?: AsyncIterable<Uint8Array>;
}

async function install(parts: Parts, source: PackageSource, order: InstallOrder): Promise<InstalledPackage> {
  const done = source.kind === 'url' ? await installFromUrl(parts, source, order) : await sendAndInstall(parts, source, order);
  const { scope, account } = order;
  const observation = await parts.listing.observe(account === null ? [] : [account], true);
  const among = account === null || scope === 'sistema' ? observation.system : (observation.accounts.get(account)?.own ?? []);
  const found = among.find(({ app }) => app === done.app);
  if (!found) throw new SvcError('INTERNAL', `${done.app} vanished while it was installed`);
  return found;
}

/** The server itself fetches it. */
async function installFromUrl(
  parts: Parts,
  source: Extract<PackageSource, { readonly kind: 'url' }>,
  order: InstallOrder,
): Promise<InstallResult> {
  return await runInstaller(parts, [...wordsOf(source), '--force'], order);
}

async function sendAndInstall(
  parts: Parts,
  source: Exclude<PackageSource, { readonly kind: 'url' }>,
  order: InstallOrder,
): Promise<InstallResult> {
  const packed = await parts.options.pack(source);
  try {
    const act = ['-', '--bytes', String(packed.bytes), '--sha256', packed.sha256, ...signedWords(source), '--force'];
    return await runInstaller(parts, act, { ...order, stdin: packed.read() });
  } finally {
    await packed.remove();
  }
}

/** As root, or, for what a person has for themself, as that person. */
async function runInstaller(parts: Parts, act: readonly string[], order: InstallOrder): Promise<InstallResult> {
  const { options, connections, listing } = parts;
  const { scope, account, signal } = order;
  if (signal?.aborted ?? false) throw new SvcError('CANCELLED', 'the installation was cancelled before it began');
  const argv = kitCommand(options, 'svc-app-install', '--json', '--cancellable', `--${scope}`, ...act);
  try {
    if (scope === 'sistema') return resultOf(await talk(options.kitFix, connections.installs(options.admin), asRoot(options, argv), order));
    if (account === null) throw new SvcError('BAD_REQUEST', 'scope pessoa needs the account');
    await placeOf(parts, account);
    return resultOf(await talk(options.kitFix, connections.installs(account), argv, order));
  } finally {
    listing.changed();
  }
}

function resultOf(outcome: Exclude<InstallOutcome, { readonly event: 'error' }>): InstallResult {
  if (outcome.event === 'done') return outcome;
  throw new SvcError('INTERNAL', 'svc-app-install answered something else');
}

/** Engines, GPU, and which of the requirements are not met. */
async function inventory({ options, connections }: Parts, requirements: readonly string[]): Promise<Inventory> {
  const argv = asRoot(options, kitCommand(options, 'svc-app-install', '--json', '--look', '-'));
  const stdin = textOf(requirements.map((requirement) => `${requirement.replaceAll('\n', ' ')}\n`).join(''));
  const outcome = await talk(
    options.kitFix,
    connections.admin(),
    argv,
    { stdin, scope: 'sistema', account: null },
    limits.serverObserveMsMax,
  );
  if (outcome.event === 'look') return { missing: outcome.missing, engines: outcome.engines, gpu: outcome.gpu };
  throw new SvcError('INTERNAL', 'svc-app-install answered something else');
}

async function credential({ options, connections }: Parts, app: string, order: string): Promise<CredentialState> {
  const argv = asRoot(options, kitCommand(options, 'svc-app-install', '--json', '--credential', app));
  const asked = { stdin: textOf(order), scope: 'sistema', account: null } as const;
  const outcome = await talk(options.kitFix, connections.admin(), argv, asked, limits.serverObserveMsMax);
  if (outcome.event === 'credential') return outcome;
  throw new SvcError('INTERNAL', 'svc-app-install answered something else');
}

async function talk(
  kitFix: string,
  connection: SshConnection,
  argv: readonly string[],
  { onEvent, signal, stdin }: InstallOrder,
  msMax: number = limits.installMsMax,
): Promise<Exclude<InstallOutcome, { readonly event: 'error' }>> {
  const lines = createInstallerLines(onEvent ?? (() => undefined));
  const isCancellable = argv.includes('--cancellable');
  const result = await connection.run({
    argv,
    ...(stdin === undefined ? {} : { stdin }),
    ...(isCancellable ? { cancelLine: 'cancel\n' } : {}),
    ...(signal === undefined ? {} : { signal }),
    onLine: (line) => lines.take(line),
    msMax,
  });
  if (result.code === 126 || result.code === 127) throw notRun(result, kitFix, null, 'svc-app-install');
  return lines.outcome([result.signal ?? `exit code ${result.code}`, result.said].filter(Boolean).join(': '), signal?.aborted ?? false);
}

/** By a command of the kit as the person: they may read what they may run. */
async function readFile(parts: Parts, account: string, app: string, scope: string, file: string): Promise<Uint8Array | null> {
  if (/[\n\r\0]/.test(file)) return null;
  const chunks: Buffer[] = [];
  let ended = false;
  let refused: SvcError | null = null;
  await parts.connections.of(account).run({
    argv: kitCommand(parts.options, 'svc-app-list', '--file', app, `--${scope}`),
    stdin: textOf(`${file}\n`),
    onLine: (text) => {
      const line = readListLine(text);
      if (line?.event === 'bytes') chunks.push(Buffer.from(line.base64, 'base64'));
      else if (line?.event === 'end') ended = true;
      else if (line?.event === 'error') refused = listError(line);
    },
    msMax: sharedLimits.accountObserveMsMax,
  });
  if ((refused as SvcError | null)?.code === 'NOT_FOUND') return null;
  if (refused) throw refused;
  if (!ended) throw new SvcError('SERVER_UNREACHABLE', 'the file was not told to its end');
  return Buffer.concat(chunks);
}
