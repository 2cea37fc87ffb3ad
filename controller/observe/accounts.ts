/**
 * Accounts of a server, by its own name service (getent: files, LDAP, SSSD): the members of a group, and those that are asked for by name.
 * A single command over the connection of the administrator's account, which needs no right for it. Every line that comes back is checked
 * against its form.
 */
import { hash } from 'node:crypto';
import { isAccountName } from '../../schema/account-name.ts';
import { asPlainLine } from '../../schema/plain-line.ts';
import type { SeenAccount, SeenAccounts } from '../../reconcilers/members.ts';
import type { Host } from '../hosts/host.ts';
import { limits } from '../limits.ts';

/**
 * Names unknown to getent are left out of the answer; a group that is not there is the line `X`. The line `E` says that the answer is
 * complete: a getent that could not be run, or was killed, ends it before, since nobody loses a group for that.
 */
const script = `
# 2: there is none of that name, by xargs 123; 3: the directory lists nobody.
settled() { case $1 in 0 | 2 | 3 | 123) ;; *) echo "it ended with $1" >&2; exit 75 ;; esac; }
report() {
  export LC_ALL=C
  set -f
  group=$1 members= primary= gid=
  uid_min=$(awk '$1 == "UID_MIN" { print $2; exit }' /etc/login.defs 2>/dev/null)
  echo "U \${uid_min:-1000}"
  awk '$1 == "passwd:" { for (i = 2; i <= NF; i++) if ($i !~ /^(files|compat|db|systemd|altfiles|extrausers|mymachines|\\[.*)$/) { print "D"; exit } }' /etc/nsswitch.conf 2>/dev/null
  if [ -n "$group" ]; then
    line=$(getent group -- "$group")
    settled $?
    [ -n "$line" ] || { echo X; return; }
    gid=$(printf '%s\\n' "$line" | cut -d: -f3)
    printf 'G %s\\n' "$(printf '%s\\n' "$line" | cut -d: -f1,3)"
    members=$(printf '%s\\n' "$line" | cut -d: -f4 | tr ',' '\\n')
    all=$(getent passwd)
    settled $?
    primary=$(printf '%s\\n' "$all" | awk -F: -v gid="$gid" '$4 == gid { print $1 }')
  fi
  printf '%s\\n' "$members" | awk 'NF { print "M " $0 }'
  names=$({ printf '%s\\n' "$members" "$primary"; known; } | awk 'NF && !seen[$0]++')
  [ -n "$names" ] || { echo E; return; }
  accounts=$(printf '%s\\n' "$names" | tr '\\n' '\\0' | xargs -0 getent passwd --)
  settled $?
  printf '%s\\n' "$accounts" | awk 'NF { print "P " $0 }'
  printf '%s\\n' "$names" | awk -F: 'NR == FNR { asked[$0]; next } $1 in asked { print "L " $1 }' - /etc/passwd
  [ -n "$accounts" ] || { echo E; return; }
  others=$(printf '%s\\n' "$accounts" | cut -d: -f1 | tr '\\n' '\\0' | xargs -0 getent initgroups --)
  settled $?
  printf '%s\\n' "$others" | awk 'NF { print "I " $0 }'
  names=$({ printf '%s\\n' "$accounts" | cut -d: -f4; printf '%s\\n' "$others" | awk '{ for (i = 2; i <= NF; i++) print $i }'; } |
    awk 'NF && !seen[$0]++' | tr '\\n' '\\0' | xargs -0 getent group --)
  settled $?
  printf '%s\\n' "$names" | cut -d: -f1,3 | awk 'NF { print "N " $0 }'
  echo E
}
`;

/** Behind the first line the shell has all at once; names are accounts, of an alphabet without quotes, spaces and line ends. */
function textFor(group: string | null, known: readonly string[]): string {
  return `eval "$(cat)"\nknown() {\ncat <<'...'\n${known.join('\n')}\n...\n}\n${script}\nreport '${group ?? ''}'\n`;
}

/** A server's answer about accounts: `unreadable` says nothing about anybody. */
export type AccountsAnswer =
  | { readonly kind: 'seen'; readonly seen: SeenAccounts; readonly said: string }
  | { readonly kind: 'no-group' }
  | { readonly kind: 'unreadable'; readonly message: string };

/** Word for word what was said before to the same question, with what was made of it. */
export interface SameAnswer<Made> {
  readonly kind: 'same';
  readonly made: Made;
}

const unreadable = (message: string): AccountsAnswer => ({ kind: 'unreadable', message });

/**
 * Rejects as the host does. `known`: accounts to be read besides the members of the group. `before`: `said` of an earlier answer, and what
 * was made of it; ten thousand accounts take a tenth of a second to read, and mostly say the same.
 */
export async function observeAccounts<Made>(
  host: Host,
  { group, known }: { readonly group: string | null; readonly known: readonly string[] },
  before: { readonly said: string; readonly made: Made } | null,
  signal: AbortSignal,
): Promise<AccountsAnswer | SameAnswer<Made>> {
  const stdin = textFor(group, known.filter(isAccountName));
  const lines: string[] = [];
  let isTooMuch = false;
  const end = await host.run(null, {
    argv: ['sh', '-s'],
    stdin,
    onLine: (line) => {
      isTooMuch ||= lines.length >= limits.accountsLinesMax || line.length > limits.accountsLineCharsMax;
      if (!isTooMuch) lines.push(line);
    },
    signal,
    msMax: limits.accountsMsMax,
  });
  if (isTooMuch) return unreadable(`${host.server} printed more than the accounts of ${limits.peopleOfListMax} people`);
  if (end.code === 0 && lines.at(-1) === 'X') return { kind: 'no-group' };
  if (end.code === 0 && lines.at(-1) === 'E') {
    const said = hash('sha256', [stdin, ...lines].join('\n'));
    return said === before?.said ? { kind: 'same', made: before.made } : readAccounts(lines, group, host.server, said);
  }
  const said = asPlainLine(end.said).slice(0, limits.accountsSaidCharsMax);
  return unreadable(`getent on ${host.server} did not come to its end${said === '' ? '' : `: ${said}`}`);
}

/** By the letter that begins a line. */
const forms = {
  U: /^U (\d{1,9})$/,
  G: /^G ([^:]{1,256}):(\d{1,10})$/,
  M: /^M (.{1,256})$/,
  P: /^P ([^:]{1,256}):[^:]*:(\d{1,10}):(\d{1,10}):([^:]*):[^:]*:([^:]*)$/,
  L: /^L ([^:]{1,256})$/,
  I: /^I (\S{1,256})((?:\s+\d{1,10})*)\s*$/,
  N: /^N ([^:]{1,256}):(\d{1,10})$/,
} as const;

type Letter = keyof typeof forms;

function matchesOf(lines: readonly string[]): (letter: Letter) => Matches {
  const found = new Map<string, RegExpExecArray[]>();
  for (const line of lines) {
    const letter = line.slice(0, 1);
    const match = forms[letter as Letter]?.exec(line) ?? null;
    if (match === null) continue;
    const same = found.get(letter);
    if (same === undefined) found.set(letter, [match]);
    else same.push(match);
  }
  return (letter) => found.get(letter) ?? [];
}

function readAccounts(lines: readonly string[], asked: string | null, server: string, said: string): AccountsAnswer {
  const all = matchesOf(lines);
  const [[, uidMin] = []] = all('U');
  if (uidMin === undefined) return unreadable(`${server} did not say from which uid on its accounts are people's`);
  const [[, group, gid] = []] = all('G');
  // A number is taken for the group with that number.
  if (asked !== null && group !== asked) return { kind: 'no-group' };
  const accounts = accountsIn(all('P'), all('I'), all('N'));
  if (accounts.length > limits.peopleOfListMax)
    return unreadable(`${server} named ${accounts.length} accounts, and a document makes at most ${limits.peopleOfListMax} people`);
  const local = new Set(all('L').map(([, name]) => name));
  const seen: SeenAccounts = {
    group: asked === null ? null : { gid: Number(gid), members: all('M').map(([, name = '']) => name) },
    uidMin: Number(uidMin),
    accounts,
    directoryIsSilent: lines.includes('D') && accounts.every(({ name }) => local.has(name)),
  };
  return { kind: 'seen', seen, said };
}

type Matches = readonly RegExpExecArray[];

function accountsIn(rows: Matches, initgroups: Matches, groups: Matches): readonly SeenAccount[] {
  const names = new Map(groups.map(([, name = '', gid]) => [Number(gid), name]));
  const others = new Map(initgroups.map(([, name = '', gids = '']) => [name, gids.split(/\s+/).filter(Boolean).map(Number)]));
  const accounts = new Map<string, SeenAccount>();
  for (const [, name = '', uid, gid, gecos = '', shell = ''] of rows) {
    const own = [Number(gid), ...(others.get(name) ?? [])].flatMap((one) => names.get(one) ?? []);
    accounts.set(name, { name, uid: Number(uid), gid: Number(gid), gecos, shell, groups: own });
  }
  return [...accounts.values()];
}
