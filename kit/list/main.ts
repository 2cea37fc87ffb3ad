/**
 * kit/list/: `svc-app-list`, what the portal asks a server: which packages stand there, and where accounts live. Changes nothing but
 * its caches of hashes. Prints the lines of schema/list-lines.ts.
 *
 *   svc-app-list              the system's packages, and those of the accounts named on standard input, one a line (needs root);
 *                             with lines `=NAME STAMP` only what changed since (schema/list-lines.ts)
 *   svc-app-list --own        those of this account
 *   svc-app-list --file ID --sistema|--pessoa     the file of the package whose path is the line on standard input
 *
 * Exit codes: 0 told, 1 failed (the last line says why), 2 usage.
 */
import { text } from 'node:stream/consumers';
import { lookUpAccounts } from '../../schema/account-lookup.ts';
import { isAccountName } from '../../schema/account-name.ts';
import { SvcError } from '../../schema/errors.ts';
import type { ListLine } from '../../schema/list-lines.ts';
import { accountPaths } from '../../schema/server-paths.ts';
import { kitVersion } from '../../schema/supervisor-protocol.ts';
import { isAppId } from '../../schema/app-id.ts';
import { placeFrom } from '../place.ts';
import { hasOwn, listOwn, unread } from './accounts.ts';
import { tellsVersion } from '../version.ts';
import { closedAmong } from '../../schema/closed-accounts.ts';
import { silentHomes } from './answering.ts';
import { readPackageFile } from './file.ts';
import { listPackages } from './packages.ts';
import { inventoryStamp, stampAs, stampOf } from './stamp.ts';

const usage = 'usage: svc-app-list | svc-app-list --own | svc-app-list --file ID --sistema|--pessoa\n';
const chunkBytes = 192 * 1_024;

function emit(line: ListLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function listAll(): Promise<void> {
  const place = placeFrom(process.env);
  const asked = (await text(process.stdin)).split('\n').filter((line) => line !== '');
  const names = asked.filter(isAccountName);
  if (names.length > 0 && process.getuid?.() !== 0) throw new SvcError('FORBIDDEN', 'only root reads what other accounts installed');
  const accounts = await lookUpAccounts(names);
  for (const name of names) emit({ event: 'account', account: name, home: accounts.get(name)?.home ?? null });
  for (const [account, why] of await closedAmong([...accounts.keys()], Date.now())) emit({ event: 'closed', account, why });
  const known = stampsIn(asked);
  const isSame = (account: string | null, stamp: string | null): boolean => {
    const same = stamp !== null && known.get(account ?? '') === stamp;
    if (same) emit({ event: 'same', account });
    else if (stamp !== null) emit({ event: 'stamp', account, stamp });
    return same;
  };
  const { systemApps, engines } = accountPaths(place);
  const stamp = inventoryStamp(engines);
  if (stamp !== null) emit({ event: 'engines', stamp });
  // All stamps first: while this program acts as another account, nothing else of it runs.
  const silent = await silentHomes([...accounts.values()].map(({ home }) => home));
  const answering = [...accounts.values()].filter(({ home }) => !silent.has(home));
  for (const account of accounts.values()) {
    if (silent.has(account.home)) emit(unread(account, place.prefix, `its home ${account.home} does not answer`));
  }
  const changed = answering.filter(hasOwn).filter((account) => {
    const { personApps } = accountPaths({ home: account.home, prefix: place.prefix });
    return !isSame(account.name, stampAs(account, personApps));
  });
  if (!isSame(null, stampOf(systemApps))) await listPackages(systemApps, null, emit);
  await listOwn(changed, place.prefix, emit);
}

/** `=ACCOUNT STAMP`, and `= STAMP` for the system. */
function stampsIn(lines: readonly string[]): ReadonlyMap<string, string> {
  const found = lines.map((line) => /^=([^ ]*) ([0-9a-z]{1,64})$/.exec(line));
  return new Map(found.flatMap((match) => (match === null ? [] : [[match[1] ?? '', match[2] ?? '']])));
}

async function emitFile(app: string, scope: string): Promise<void> {
  const paths = accountPaths(placeFrom(process.env));
  const [file = ''] = (await text(process.stdin)).split('\n');
  const bytes = await readPackageFile(scope === '--pessoa' ? paths.personApps : paths.systemApps, app, file);
  if (bytes === null) throw new SvcError('NOT_FOUND', 'the package holds no such file');
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    emit({ event: 'bytes', base64: bytes.subarray(at, at + chunkBytes).toString('base64') });
  }
}

async function main(argv: readonly string[]): Promise<number> {
  if (tellsVersion(argv)) return 0;
  const [act, app = '', scope = ''] = argv;
  const acts: Readonly<Record<string, () => Promise<void>>> = {
    all: listAll,
    own: () => listPackages(accountPaths(placeFrom(process.env)).personApps, null, emit),
    file: () => emitFile(app, scope),
  };
  const isFile = act === '--file' && argv.length === 3 && isAppId(app) && (scope === '--sistema' || scope === '--pessoa');
  const name = argv.length === 0 ? 'all' : argv.length === 1 && act === '--own' ? 'own' : isFile ? 'file' : null;
  if (name === null) {
    process.stderr.write(usage);
    return 2;
  }
  // The reader of the output may be gone.
  process.stdout.on('error', () => undefined);
  try {
    await acts[name]?.();
    emit({ event: 'end', version: kitVersion });
    return 0;
  } catch (error) {
    const coded = error instanceof SvcError ? error : new SvcError('INTERNAL', error instanceof Error ? error.message : String(error));
    emit({ event: 'error', code: coded.code, message: coded.message });
    return 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
