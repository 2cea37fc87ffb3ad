/**
 * Lingering on a `local` server: checked when a session of a person begins, turned on where it is off, logged where it can't be (rules 3.3,
 * supervisor rule 5). On ssh servers the administrator's observation does it (kit-work.ts). Decision: docs/decisions/0068-lingering.md
 */
import type { Host } from '../hosts/host.ts';
import { createTurns } from '../../schema/turns.ts';
import { limits } from '../limits.ts';
import type { Context } from '../context.ts';
import type { PersonEntry } from '../entries.ts';

/** `none`: systemd does not run. `off`: it was only read. `refused`: it could not be turned on. */
type Lingering = 'none' | 'on' | 'enabled' | 'off' | 'refused';

/** $1 the account, '' for the portal's own; $2 whether to turn it on; $3 what stands before the paths of the system, for tests. */
const script = `account=\${1:-$(id -un)}
if [ ! -d "$3/run/systemd/system" ]; then echo none; exit; fi
if [ -e "$3/var/lib/systemd/linger/$account" ]; then echo on; exit; fi
if [ "$2" != fix ]; then echo off; exit; fi
if loginctl --no-ask-password enable-linger "$account" </dev/null >/dev/null 2>&1; then echo enabled; else echo refused; fi
`;

const told: Readonly<Record<Lingering, string | null>> = {
  on: null,
  enabled: 'lingering was turned on: what runs as the account goes on after its last login',
  none: 'systemd does not run on this machine: there is no lingering to turn on',
  off: 'lingering is off: what runs as the account may end with its last login; a server with a prefix leaves the machine as it is',
  refused:
    'lingering could not be turned on: what runs as the account may end with its last login; as root: loginctl enable-linger ACCOUNT',
};

interface Looked {
  readonly host: Pick<Host, 'run' | 'asPortal'>;
  readonly account: string;
  readonly fixes: boolean;
  readonly root?: string;
}

/**
 * After a start of the portal all who are signed in come at once: the accounts of this machine are checked one after the other, and a
 * person with the same account joins the check under way.
 */
const underWay = new Map<string, Promise<Lingering>>();
const inTurn = createTurns();

/** Rejects as Host.run does. */
export async function lookAtLingering({ host, account, fixes, root = '' }: Looked): Promise<Lingering> {
  const runsAs = (await host.asPortal(account)) === null ? account : '';
  const argv = ['sh', '-s', '--', runsAs, fixes ? 'fix' : 'look', root];
  const name = argv.join(' ');
  const found = underWay.get(name) ?? inTurn('', async () => await look(host, argv)).finally(() => underWay.delete(name));
  underWay.set(name, found);
  return await found;
}

async function look(host: Looked['host'], argv: readonly string[]): Promise<Lingering> {
  let found: Lingering = 'refused';
  const signal = AbortSignal.timeout(limits.lingerMsMax);
  await host.run(null, {
    argv,
    stdin: script,
    onLine: (line) => (found = line in told ? (line as Lingering) : 'refused'),
    signal,
    msMax: limits.lingerMsMax,
  });
  return found;
}

/** A session of the person began. Never rejects. */
export async function lingerOnArrival({ options: { log } }: Context, { key, account, server }: PersonEntry): Promise<void> {
  const { spec } = server.placed.document;
  if (!('local' in spec)) return;
  try {
    // Below a prefix is a small server of its own, as in the examples: the machine around it is not changed.
    const found = await lookAtLingering({ host: server.host, account, fixes: (spec.local?.prefix ?? '') === '' });
    const message = told[found];
    if (message !== null) log[found === 'refused' || found === 'off' ? 'warn' : 'info']({ key, account, lingering: found }, message);
  } catch (error) {
    log.warn({ key, account, error: (error as Error).message }, told.refused ?? '');
  }
}
