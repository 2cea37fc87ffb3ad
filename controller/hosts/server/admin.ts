/**
 * controller/hosts/server/: a server as its administrator sees it: installing, keeping and removing the kit, preparing accounts, and the doctor.
 * The work on the server is done by the fixed scripts of kit/server over the admin's ssh connection; arguments are validated first, and no
 * command line is composed from them. Decision: docs/decisions/0065-server-kit.md
 * This file: the acts. facts.ts parses what a server reports, kit-state.ts keeps it; controller/servers/ judges it (checks.ts) and acts (kit-work.ts).
 */
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { isAccountName } from '../../../schema/account-name.ts';
import type { Clock } from '../../../schema/clock.ts';
import { SvcError } from '../../../schema/errors.ts';
import { someNames } from '../../../schema/texts/names.ts';
import { sudoRefused } from '../sudo-refused.ts';
import { limits } from '../../limits.ts';
import { isKitId, readFacts, type ServerFacts } from './facts.ts';

/** Runs argv on the server as the admin account: the ssh driver's connection. */
export interface Runner {
  run(command: {
    readonly argv: readonly string[];
    readonly stdin?: AsyncIterable<Uint8Array>;
    readonly onLine?: (line: string) => void;
    readonly msMax: number;
  }): Promise<{ readonly code: number | null; readonly signal: string | null; readonly said: string }>;
}

export interface KitTarball {
  readonly id: string;
  readonly file: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Where the file lacks the runtime: what is sent is made in memory. */
  readonly whole?: () => Promise<WholeKit>;
}

interface WholeKit {
  /** Hex. */
  readonly sha256: string;
  readonly open: () => Readable;
  /** After the last read. */
  readonly close: () => void;
}

export interface ServerAdmin {
  /** Account whose connection it is. */
  readonly account: string;
  /** Where the administrator of the server finds the portal's public key, in words. */
  readonly publicKeyAt: string;
  facts(accounts: readonly string[]): Promise<ServerFacts>;
  /** Starts each command of the kit that is in place; answers the parts of it that do not run. */
  tryKit(): Promise<readonly string[]>;
  /** Uploads the kit and makes it current; reports each step. The current kit stays current until the final rename. */
  install(kit: KitTarball, onStep: (step: string) => void): Promise<void>;
  /** The kit before `from` is current again, also where the answer was lost; answers its id. Rejects NO_PREVIOUS_VERSION. */
  rollBack(from: string | null): Promise<string>;
  /** Key, lingering and service manager of each account that is there; answers what could not be had, in words. */
  prepareAccounts(origins: string, accounts: readonly string[], opening?: OpeningKeys): Promise<readonly string[]>;
  /** The line of another key beside the one of the first, for the administrator's own account, or the first one off; answers in which files. */
  changeOwnKey(act: 'add' | 'drop', from: string, to: string): Promise<readonly string[]>;
  /** Things that the kit keeps of the account outside of its home, in words; after `remove`, those that could not be removed. */
  kept(act: 'look' | 'remove', account: string): Promise<readonly string[]>;
  /** Rejects KIT_IN_USE, naming what runs, unless forced; answers what could not be done, in words. */
  remove(force: boolean, onStep: (step: string) => void): Promise<readonly string[]>;
  /** Whether the portal answers there at this URL, asked with the kit's own Node: `ok`, or in a word why not. */
  askPortal(url: string): Promise<string>;
  /** Accounts among these whose sockets sshd does not forward to; asked with the kit's own Node, as each of them. */
  unforwarded(accounts: readonly string[]): Promise<readonly string[]>;
  /** `TYPE KEY` that the portal signs in with; null when it is what an agent holds. */
  publicKey(): Promise<string | null>;
  /** A person asks now: a connection that failed recently is retried without its pause. */
  hurry(): void;
  close(): void;
}

/** `TYPE KEY` that accounts are to let in. `next`: as well. */
export interface OpeningKeys {
  readonly key: string;
  readonly next: string | null;
}

export interface ServerAdminOptions {
  readonly server: string;
  readonly admin: string;
  readonly runner: Runner;
  /** Whether sshd forwards to sockets of that account, with the Node that lies there; null where it could not be tried. */
  readonly forwards?: (account: string, node: string) => Promise<boolean | null>;
  readonly publicKey: () => Promise<string | null>;
  readonly publicKeyAt: string;
  readonly hurry: () => void;
  readonly close: () => void;
  /** Folder of kit/server's scripts. */
  readonly scripts: string;
  readonly clock: Clock;
  /** '/' on a server. */
  readonly root?: string;
}

type Script = 'facts' | 'try' | 'prepare' | 'install' | 'rollback' | 'accounts' | 'keys' | 'leave' | 'remove';

/** Functions that a script uses, from a file of their own. */
const before: Readonly<Record<Script, readonly string[]>> = {
  facts: ['own'],
  try: ['own'],
  prepare: ['own'],
  install: ['own'],
  rollback: ['own'],
  accounts: ['own', 'reload'],
  keys: [],
  leave: ['own'],
  remove: ['own', 'reload'],
};

export function createServerAdmin(options: ServerAdminOptions): ServerAdmin {
  const { server, admin, runner, root = '/' } = options;
  const asRoot = (argv: readonly string[]): readonly string[] => (admin === 'root' ? argv : ['sudo', '-n', '--', ...argv]);
  const run = async (script: Script, words: readonly string[], msMax: number, onLine?: (line: string) => void): Promise<Ended> => {
    const lines: string[] = [];
    const ended = await runner.run({
      argv: asRoot(['sh', '-s', '--', root, ...words]),
      stdin: textOf(...[...before[script], script].map((name) => path.join(options.scripts, `${name}.sh`))),
      onLine: (line) => {
        if (lines.length < limits.kitScriptLinesMax) lines.push(line);
        onLine?.(line);
      },
      msMax,
    });
    return { ...ended, script, lines };
  };
  const done = (ended: Ended): Ended => (ended.code === 0 ? ended : refuse(server, admin, ended));
  return {
    account: admin,
    publicKeyAt: options.publicKeyAt,
    facts: async (accounts) => readFacts(done(await run('facts', accounts.filter(isAccountName), limits.kitScriptMsMax)).lines),
    tryKit: async () => textsOf(done(await run('try', [], limits.kitScriptMsMax)).lines, 'lacks'),
    install: async (kit, onStep) => {
      onStep('upload');
      const whole = await kit.whole?.();
      const sha256 = whole?.sha256 ?? kit.sha256;
      try {
        if (!isKitId(kit.id) || !/^[0-9a-f]{64}$/.test(sha256)) throw new SvcError('INTERNAL', 'a kit without a name');
        const tarball = whole?.open() ?? (await openTarball(kit));
        try {
          done(await run('prepare', [], limits.kitScriptMsMax));
          await upload(options, asRoot, sha256, tarball);
        } finally {
          tarball.destroy();
        }
      } finally {
        whole?.close();
      }
      done(await run('install', [kit.id, sha256], limits.kitScriptMsMax, (line) => reportStep(line, onStep)));
    },
    rollBack: async (from) => {
      const { lines } = done(await run('rollback', from === null ? [] : [from], limits.kitScriptMsMax));
      return lines.find((line) => line.startsWith('kit '))?.slice(4) ?? '';
    },
    prepareAccounts: async (origins, accounts, opening) => {
      const keys = [opening?.key ?? (await options.publicKey()), opening?.next ?? null].flatMap((key) => wordsOf(key));
      const { lines } = done(await run('accounts', [origins, ...keys, ...accounts.filter(isAccountName)], limits.kitScriptMsMax));
      return accountTroubles(lines);
    },
    changeOwnKey: async (act, from, to) => {
      const { lines } = done(await run('keys', [act, admin, ...wordsOf(from), ...wordsOf(to)], limits.kitScriptMsMax));
      return textsOf(lines, 'at');
    },
    kept: async (act, account) =>
      isAccountName(account) ? textsOf(done(await run('leave', [act, account], limits.kitScriptMsMax)).lines, 'made') : [],
    remove: async (force, onStep) => {
      const { lines } = done(await run('remove', [force ? 'yes' : 'no'], limits.kitScriptMsMax, (line) => reportStep(line, onStep)));
      return lines.flatMap(troubleOf);
    },
    askPortal: (url) => askPortal(options, url),
    unforwarded: (accounts) => unforwarded(options, accounts),
    publicKey: options.publicKey,
    hurry: options.hurry,
    close: options.close,
  };
}

/** Splits `TYPE KEY` into the two words that the scripts take. */
function wordsOf(key: string | null): readonly [type: string, key: string] {
  const [type = '-', bytes = '-'] = key?.split(' ') ?? [];
  return [type, bytes];
}

interface Ended {
  readonly script: Script;
  readonly code: number | null;
  readonly signal: string | null;
  readonly said: string;
  readonly lines: readonly string[];
}

const kitNode = (root: string): string => path.posix.join(root, 'opt/svc/current/node/bin/node');

async function* textOf(...files: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const file of files) yield readFileSync(file);
}

/** The URL is an outside text: in an alphabet that no shell minds. */
async function askPortal({ runner, root = '/', scripts }: ServerAdminOptions, url: string): Promise<string> {
  const lines: string[] = [];
  const { code } = await runner.run({
    // Without the environment, as backends have it.
    argv: ['env', '-i', kitNode(root), '-', Buffer.from(url).toString('base64url')],
    stdin: textOf(path.join(scripts, 'ask-portal.cjs')),
    onLine: (line) => lines.push(line),
    msMax: limits.serverProbeMsMax,
  });
  const [word = ''] = lines;
  return code === 0 && /^[A-Za-z0-9_-]{1,60}$/.test(word) ? word : `the question ended with exit code ${code}`;
}

async function unforwarded({ forwards, root = '/' }: ServerAdminOptions, accounts: readonly string[]): Promise<readonly string[]> {
  if (forwards === undefined) return [];
  const tried = accounts.filter(isAccountName).slice(0, limits.serverProbeAccountsMax);
  const works = await Promise.all(tried.map((account) => forwards(account, kitNode(root))));
  return tried.filter((_, index) => works[index] === false);
}

/** Opened before the server is asked for anything: a fault of this machine is none of the server. */
async function openTarball({ file }: KitTarball): Promise<Readable> {
  try {
    return (await open(file)).createReadStream();
  } catch (error) {
    throw new SvcError('KIT_INCOMPLETE', `the server kit of this svc can't be read: ${(error as Error).message}`);
  }
}

async function upload(
  { runner, root = '/', server, admin }: ServerAdminOptions,
  asRoot: (argv: readonly string[]) => readonly string[],
  sha256: string,
  tarball: Readable,
): Promise<void> {
  const target = path.posix.join(root, 'opt/svc/.in', `${sha256}.tgz`);
  const ended = await runner.run({
    argv: asRoot(['dd', `of=${target}`, 'status=none', 'conv=fsync', 'bs=64k']),
    stdin: tarball,
    msMax: limits.kitUploadMsMax,
  });
  if (ended.code !== 0) refuse(server, admin, { ...ended, script: 'prepare', lines: [] });
}

function reportStep(line: string, onStep: (step: string) => void): void {
  if (line.startsWith('step ')) onStep(line.slice(5));
}

/** A single sentence for each trouble, however many accounts have it. */
function accountTroubles(lines: readonly string[]): readonly string[] {
  const having = (what: string): readonly string[] => textsOf(lines, what);
  const count = (names: readonly string[]): string =>
    names.length === 1 ? (names[0] ?? '') : `${names.length} accounts (${someNames(names).en})`;
  const [noLinger, noManager] = [having('no-linger'), having('no-manager')];
  const both = noLinger.filter((name) => noManager.includes(name));
  const [linger, manager] = [noLinger, noManager].map((names) => names.filter((name) => !both.includes(name)));
  return [
    ...(both.length === 0 ? [] : [`lingering could not be enabled for ${count(both)}, nor their service managers started`]),
    ...(linger?.length ? [`lingering could not be enabled for ${count(linger)}`] : []),
    ...(manager?.length ? [`the service manager could not be started for ${count(manager)}`] : []),
    ...lines.flatMap(troubleOf),
  ];
}

function troubleOf(line: string): readonly string[] {
  const [what, account = ''] = line.split(' ');
  if (what === 'no-reload')
    return ['sshd could not be told to read its configuration anew; on the server run systemctl reload ssh, or kill -HUP <pid of sshd>'];
  if (what === 'left') return [`${account} holds what is not the server kit's: it stays`];
  return [];
}

/** Texts of the lines of that name. */
function textsOf(lines: readonly string[], name: string): readonly string[] {
  return lines.flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : []));
}

/** The exit codes that the scripts promise, and what a shell or sudo says instead of them. */
function refuse(server: string, admin: string, { script, code, signal, said, lines }: Ended): never {
  const end = said.trim().split('\n').at(-1) ?? '';
  const refused = sudoRefused(admin, said);
  if (refused !== null) throw refused;
  if (script === 'install' && code === 10) throw new SvcError('CHECKSUM_MISMATCH', `the kit did not arrive whole on ${server}`);
  if (script === 'install' && code === 11)
    throw new SvcError('KIT_FAILED', `of the server kit this does not run on ${server}: ${textsOf(lines, 'lacks').join(', ')}`);
  if (code === 16) {
    const at = textsOf(lines, 'taken').join(', ');
    throw new SvcError('KIT_FAILED', `${at} on ${server} is not the server kit's, which needs that name: move it to another place`);
  }
  if (code === 17) {
    const at = textsOf(lines, 'foreign').join(', ');
    const fix = `chown ${admin} ${at} && chmod go-w ${at}, once nothing in it is another's`;
    throw new SvcError(
      'KIT_FAILED',
      `another account than ${admin} may write to ${at} on ${server}, from where everybody's apps run: ${fix}`,
    );
  }
  if (script === 'install' && code === 12) throw new SvcError('DISK_FULL', `no room for the kit below /opt on ${server}: ${end}`);
  if (script === 'rollback' && code === 13) throw new SvcError('NO_PREVIOUS_VERSION', `${server} has no kit to go back to`);
  if ((script === 'accounts' || script === 'keys') && code === 14)
    throw new SvcError('KIT_FAILED', `${server}: ${lines.at(-1)?.replace(/^error /, '') ?? ''}`);
  if (script === 'remove' && code === 15) throw new SvcError('KIT_IN_USE', `still running on ${server}: ${lines.slice(0, 8).join('; ')}`);
  if (code === 75) throw new SvcError('INSTALL_BUSY', `somebody else works on the kit of ${server}`);
  if (/no space left/i.test(said)) throw new SvcError('DISK_FULL', `no room on ${server}: ${end}`);
  throw new SvcError('KIT_FAILED', `${script} ended with ${signal ?? `exit code ${code}`} on ${server}: ${end}`);
}
