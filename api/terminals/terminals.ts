/** The terminals of all people: opened, shown by pages, ended. They belong to a person, not to a session: who signs in again finds them. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { PeopleCommands, PeopleView } from '../../schema/gateway.ts';
import type { TerminalSize } from '../../schema/terminals.ts';
import type { TerminalView } from '../../schema/wire/terminals.ts';
import type { Session } from '../auth/sessions.ts';
import { createRate } from '../rate.ts';
import { limits } from './limits.ts';
import { createScreen } from './screen.ts';
import { createTerminal, type Terminal } from './terminal.ts';
import type { PageLine } from './viewers.ts';

export interface Terminals {
  list(person: string): readonly TerminalView[];
  /** Rejects TERMINALS_FULL, TERMINAL_AS_PORTAL, RATE_LIMITED, NOT_FOUND, SERVER_UNREACHABLE, SSH_SATURATED. */
  open(session: Pick<Session, 'person' | 'admin'>, size: TerminalSize, folder?: Uint8Array | null): Promise<TerminalView>;
  /** Null when the person has no such terminal. */
  attach(person: string, id: string, page: PageLine): { readonly terminal: Terminal; readonly leave: () => void } | null;
  /** Hangs the shell up. False when the person has none of that id. */
  end(person: string, id: string): boolean;
  close(): void;
}

interface Kept {
  readonly id: string;
  readonly person: string;
  readonly openedAtMs: number;
  readonly terminal: Terminal;
}

export interface TerminalsDeps {
  readonly clock: Clock;
  readonly people: Pick<PeopleView, 'find'>;
  readonly commands: Pick<PeopleCommands, 'openShell'>;
}

export function createTerminals(deps: TerminalsDeps): Terminals {
  const { clock } = deps;
  const kept = new Map<string, Kept>();
  /** Being opened, by person: they count. */
  const opening = new Map<string, number>();
  const count = createRate(clock, { burst: limits.terminalOpensBurst, refillMs: limits.terminalOpenRefillMs });
  let isClosed = false;
  const stopSweep = sweepRegularly(deps, kept);
  const of = (person: string): readonly Kept[] => [...kept.values()].filter((one) => one.person === person);
  const find = (person: string, id: string): Terminal | null => {
    const found = kept.get(id);
    return found?.person === person ? found.terminal : null;
  };
  return {
    list: (person) => of(person).map(viewOf),
    open: async (session, size, folder = null) => {
      const { person } = session;
      count(person);
      const mine = of(person).filter(({ terminal }) => terminal.end() === null).length + (opening.get(person) ?? 0);
      const all = kept.size + [...opening.values()].reduce((sum, each) => sum + each, 0);
      if (mine >= limits.terminalsPerPersonMax || all >= limits.terminalsMax) throw full(mine >= limits.terminalsPerPersonMax);
      opening.set(person, (opening.get(person) ?? 0) + 1);
      try {
        const one = await start(deps, session, { size, folder }, (ended) => {
          // Whoever looks has seen it end.
          if (ended.terminal.pages() > 0) kept.delete(ended.id);
        });
        // The portal ended meanwhile.
        if (isClosed) one.terminal.hangUp();
        kept.set(one.id, one);
        return viewOf(one);
      } finally {
        const left = (opening.get(person) ?? 1) - 1;
        if (left === 0) opening.delete(person);
        else opening.set(person, left);
      }
    },
    attach: (person, id, page) => {
      const terminal = find(person, id);
      if (terminal === null) return null;
      const leave = terminal.attach(page);
      // It was told of the end.
      if (terminal.end() !== null) kept.delete(id);
      return { terminal, leave };
    },
    end: (person, id) => {
      const terminal = find(person, id);
      if (terminal === null) return false;
      terminal.hangUp();
      // Nobody needs to be told how.
      if (terminal.pages() === 0) kept.delete(id);
      return true;
    },
    close: () => {
      isClosed = true;
      stopSweep();
      for (const { terminal } of kept.values()) terminal.hangUp();
      kept.clear();
    },
  };
}

async function start(
  { clock, commands }: TerminalsDeps,
  { person, admin }: Pick<Session, 'person' | 'admin'>,
  { size, folder }: { readonly size: TerminalSize; readonly folder: Uint8Array | null },
  onEnd: (one: Kept) => void,
): Promise<Kept> {
  const shell = await commands.openShell(person, size, admin, folder);
  const screen = await createScreen({
    size,
    reply: (text) => one.terminal.type(Buffer.from(text)),
    onTitle: (title) => one.terminal.setTitle(title),
  });
  const terminal = createTerminal({ shell, screen, clock, onEnd: () => onEnd(one) });
  const one: Kept = { id: `t${randomBytes(12).toString('hex')}`, person, openedAtMs: clock.nowMs(), terminal };
  return one;
}

/** What no page showed for long, what ended long ago, and what is of people who are gone. */
function sweepRegularly({ clock, people }: TerminalsDeps, kept: Map<string, Kept>): () => void {
  const sweep = (): void => {
    const nowMs = clock.monotonicMs();
    for (const { id, person, terminal } of kept.values()) {
      const end = terminal.end();
      const awayMs = nowMs - (terminal.awaySinceMs() ?? nowMs);
      const isOld = end === null ? awayMs > limits.terminalAwayMsMax : nowMs - end.atMs > limits.terminalEndedMsMax;
      if (!isOld && people.find(person) !== null) continue;
      terminal.hangUp();
      kept.delete(id);
    }
    cancel = clock.at(nowMs + limits.terminalSweepMs, sweep);
  };
  let cancel = clock.at(clock.monotonicMs() + limits.terminalSweepMs, sweep);
  return () => cancel();
}

function viewOf({ id, openedAtMs, terminal }: Kept): TerminalView {
  return { id, titulo: terminal.title(), abertoEm: openedAtMs, fim: terminal.end()?.how ?? null, paginas: terminal.pages() };
}

function full(isOwn: boolean): SvcError {
  const what = isOwn ? `${limits.terminalsPerPersonMax} terminals of this person are open` : `${limits.terminalsMax} terminals are open`;
  return new SvcError('TERMINALS_FULL', `${what}: end one first`);
}
