/** Log of `svc up` on a terminal: errors and lines marked with `tell`, as sentences. A service gets JSON lines. */
import { color, moment, plain, safeForTerminal, warn } from '../output.ts';

interface Line {
  readonly level: number;
  readonly time: number;
  readonly msg: string;
  readonly tell?: boolean;
  readonly key?: string;
  /** State after a transition. */
  readonly to?: string;
  readonly reason?: string;
  readonly message?: string;
  /** Several lines each: place, code, the line of the file and a caret. */
  readonly errors?: readonly string[];
  readonly held?: readonly string[];
  readonly err?: { readonly message?: string };
}

const errorLevel = 50;
const namesMax = 20;
const messageCharsMax = 300;
const gatherMs = 700;

/** Null: nothing for a person to read. */
export function sentenceOf(text: string, nowMs: number): string | null {
  const line = JSON.parse(text) as Line;
  const failure = failureIn(line);
  if (failure !== null) return `${color('dim', moment(line.time, nowMs), process.stderr)}  ${color('yellow', failure, process.stderr)}\n`;
  if (line.level < errorLevel && line.tell !== true) return null;
  const tone = line.level >= errorLevel ? 'red' : line.level >= 40 ? 'yellow' : 'green';
  const about = [line.key, line.err?.message].filter((part) => part !== undefined && part !== '').map((part) => `: ${plain(part ?? '')}`);
  const head = `${color('dim', moment(line.time, nowMs), process.stderr)}  ${color(tone, plain(line.msg), process.stderr)}${about.join('')}`;
  const held = line.held ?? [];
  const names = held.length > namesMax ? [...held.slice(0, namesMax), `and ${held.length - namesMax} more`] : held;
  const below = [...(line.errors ?? []).map(safeForTerminal), ...names.map((name) => `  ${plain(name)}`)];
  return `${[head, ...below].join('\n')}\n`;
}

/** Describes a failure for which people would wait in vain, and the command that says more. */
function failureIn({ msg, to, key, reason, message }: Line): string | null {
  if (msg !== 'transition' || to !== 'failed' || key === undefined) return null;
  const words = plain(message ?? '');
  const cut = words.length > messageCharsMax ? `${words.slice(0, messageCharsMax)}…` : words;
  return `${plain(key)} failed: ${[reason, cut].filter(Boolean).join(': ')} (svc why ${plain(key)})`;
}

/** The package that was installed just now. */
export function installedBy(text: string): string | null {
  const { msg, to, key } = JSON.parse(text) as Line;
  return msg === 'transition' && to === 'installed' && key?.startsWith('Package/') === true ? plain(key.slice('Package/'.length)) : null;
}

export function installedSentence(names: readonly string[], nowMs: number): string {
  const more = names.length > namesMax ? `, and ${names.length - namesMax} more` : '';
  const text = `installed: ${names.slice(0, namesMax).join(', ')}${more}`;
  return `${color('dim', moment(nowMs, nowMs), process.stderr)}  ${color('green', text, process.stderr)}\n`;
}

/** A destination for pino. Packages that are installed one after the other are printed together. */
export function terminalLog(): { write(text: string): void } {
  let names: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  const tell = (): void => {
    warn(installedSentence(names, Date.now()));
    names = [];
  };
  return {
    write: (text) => {
      const name = installedBy(text);
      if (name !== null) {
        names.push(name);
        clearTimeout(timer);
        timer = setTimeout(tell, gatherMs).unref();
        return;
      }
      const sentence = sentenceOf(text, Date.now());
      if (sentence !== null) warn(sentence);
    },
  };
}
