/** Parses the lines of kit/server/facts.sh strictly, since the server is not trusted. */
import { SvcError } from '../../../schema/errors.ts';

export interface AccountFacts {
  readonly name: string;
  readonly found: boolean;
  readonly linger: boolean;
  readonly manager: boolean;
  /** Controllers that its service manager may use. */
  readonly delegated: readonly string[];
  readonly key: boolean;
  /** Its home is a folder of its own. */
  readonly home: boolean;
  /** It has a shell that lets somebody in. */
  readonly shell: boolean;
  readonly freeKb: number | null;
}

export interface ServerFacts {
  readonly arch: string;
  readonly uid: number;
  readonly os: string;
  readonly clockS: number;
  readonly systemd: number | null;
  readonly cgroup: string;
  readonly controllers: readonly string[];
  readonly optFreeKb: number | null;
  /** Commands that the kit needs and are not there. */
  readonly missing: readonly string[];
  readonly python3: boolean;
  /** Kit in place; null for none and for one that does not run. */
  readonly kit: string | null;
  /** The version that is in place, also one that does not run. */
  readonly kitAt: string | null;
  /** Parts of it that are missing or do not run: such a kit counts as none. */
  readonly kitLacks: readonly string[];
  readonly kitPrevious: string | null;
  readonly origins: string;
  /** `TYPE KEY` of the portal that it lets in; '' for none. */
  readonly key: string;
  readonly renderNodes: number;
  /** Lower-case settings of sshd; '' where it reported none. */
  readonly sshd: { readonly streamlocal: string; readonly disabled: string; readonly pubkey: string; readonly password: string };
  /** The sshd that runs reads the keys that the kit puts there; true of a kit that does not say. */
  readonly sshdReads: boolean;
  readonly killUserProcesses: boolean | null;
  readonly accounts: readonly AccountFacts[];
}

/** Throws KIT_FAILED for an answer that is none. */
export function readFacts(lines: readonly string[]): ServerFacts {
  const facts = new Map<string, string>();
  const missing: string[] = [];
  const kitLacks: string[] = [];
  const accounts: AccountFacts[] = [];
  for (const line of lines) {
    const at = line.indexOf(' ');
    const name = at === -1 ? line : line.slice(0, at);
    const value = at === -1 || line.slice(at + 1) === '-' ? '' : line.slice(at + 1).trim();
    if (name === 'missing') missing.push(value);
    else if (name === 'kit_lacks') kitLacks.push(value);
    else if (name === 'account') accounts.push(readAccount(value));
    else facts.set(name, value);
  }
  const text = (name: string): string => facts.get(name) ?? '';
  if (text('arch') === '' || !/^[0-9]+$/.test(text('uid'))) throw new SvcError('KIT_FAILED', 'the server did not tell what it is');
  const runs = text('kit_runs') === 'yes';
  return {
    arch: text('arch'),
    uid: Number(text('uid')),
    os: text('os'),
    clockS: Number(text('clock_s')),
    systemd: numberOf(text('systemd')),
    cgroup: text('cgroup'),
    controllers: words(text('controllers'), ' '),
    optFreeKb: numberOf(text('opt_free_kb')),
    missing,
    python3: text('python3') !== '',
    kit: runs && kitLacks.length === 0 && isKitId(text('kit')) ? text('kit') : null,
    kitAt: isKitId(text('kit')) ? text('kit') : null,
    kitLacks,
    kitPrevious: isKitId(text('kit_previous')) ? text('kit_previous') : null,
    origins: text('origins'),
    key: text('key'),
    renderNodes: numberOf(text('gpu')) ?? 0,
    sshd: {
      streamlocal: text('sshd_streamlocal'),
      disabled: text('sshd_disabled'),
      pubkey: text('sshd_pubkey'),
      password: text('sshd_password'),
    },
    sshdReads: text('sshd_reads') !== 'no',
    killUserProcesses: text('kill_user_processes') === '' ? null : text('kill_user_processes') === 'true',
    accounts,
  };
}

/** As kit/server/pack.ts makes them: words that need no quoting in any shell. */
export function isKitId(text: string): boolean {
  return /^[0-9A-Za-z][0-9A-Za-z.-]{0,63}-[0-9a-f]{8}$/.test(text);
}

function readAccount(text: string): AccountFacts {
  const [name = '', state = '', ...pairs] = text.split(' ');
  const values = new Map(pairs.map((pair): [string, string] => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
  const yes = (key: string): boolean => values.get(key) === 'yes';
  return {
    name,
    found: state === 'found',
    linger: yes('linger'),
    manager: yes('manager'),
    delegated: words(values.get('delegated') ?? '', ','),
    key: yes('key'),
    home: values.get('home') !== 'no',
    shell: values.get('shell') !== 'no',
    freeKb: numberOf(values.get('free_kb') ?? ''),
  };
}

function words(text: string, between: string): readonly string[] {
  return text.split(between).filter((word) => word !== '' && word !== '-');
}

function numberOf(text: string): number | null {
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : null;
}
