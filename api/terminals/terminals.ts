/** The terminals of all people: opened, shown by pages, ended. They belong to a person, not to a session: who signs in again finds them. */
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { PeopleCommands, PeopleView } from '../../schema/gateway.ts';
import type { TerminalSize } from '../../schema/terminals.ts';
import type { TerminalView } from '../../schema/wire/terminals.ts';
import { createLeakyCells } from '../auth/leaky-cells.ts';
import type { Session } from '../auth/sessions.ts';
import { ownEvents } from '../connections/fault-owner.ts';
import { createRate } from '../http/rate.ts';
import { limits } from './limits.ts';
import { createScreens, type Screens } from './screens.ts';
import { createTerminal, type Terminal } from './terminal.ts';
import type { PageLine } from './viewers.ts';

export interface Terminals {
  list(person: string): readonly TerminalView[];
  /** Rejects TERMINALS_FULL, TERMINAL_AS_PORTAL, RATE_LIMITED, NOT_FOUND, SERVER_UNREACHABLE, SSH_SATURATED. */
  open(session: Pick<Session, 'person' | 'admin'>, size: TerminalSize, folder?: Uint8Array | null): Promise<TerminalView>;
  /** Null when the person has no such terminal. */
  attach(person: string, id: string, page: PageLine): { readonly terminal: Terminal; readonly leave: () => void } | null;
  /** False: this person shows terminals too quickly. */
  mayAttach(person: string): boolean;
  /** Hangs the shell up. False when the person has none of that id. */
  end(person: string, id: string): boolean;
  close(): void;
}

interface Kept {
  readonly id: string;
  readonly person: string;
  readonly openedAtMs: number;
  readonly terminal: Terminal;
  /** Their mark as administrator (`Portal.spec.admins`) let them open it: it ends with the mark. */
  readonly needsMark: boolean;
}

export interface TerminalsDeps {
  readonly clock: Clock;
  readonly people: Pick<PeopleView, 'find'>;
  readonly commands: Pick<PeopleCommands, 'openShell'>;
  readonly log: Pick<Logger, 'warn'>;
}

export function createTerminals(deps: TerminalsDeps): Terminals {
  const { clock, log } = deps;
  const kept = new Map<string, Kept>();
  /** Being opened, by person: they count. */
  const opening = new Map<string, number>();
  const count = createRate(clock, { burst: limits.terminalOpensBurst, refillMs: limits.terminalOpenRefillMs });
  const attaches = createLeakyCells(clock, { burst: limits.terminalAttachesBurst, refillMs: limits.terminalAttachRefillMs });
  const screens = createScreens({
    clock,
    onLost: (person, why) => log.warn({ person, why }, 'the screens of their terminals were given up'),
  });
  let isClosed = false;
  const forget = ({ id, terminal }: Pick<Kept, 'id' | 'terminal'>): void => {
    kept.delete(id);
    terminal.forget();
  };
  const stopSweep = sweepRegularly(deps, kept, forget);
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
        const one = await start(deps, screens, session, { size, folder }, (ended) => {
          // Whoever looks has seen it end.
          if (ended.terminal.pages() > 0) forget(ended);
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
      // The page gets the end.
      if (terminal.end() !== null) forget({ id, terminal });
      return { terminal, leave };
    },
    mayAttach: (person) => attaches.take(person) === 0,
    end: (person, id) => {
      const terminal = find(person, id);
      if (terminal === null) return false;
      terminal.hangUp();
      // No page needs the end.
      if (terminal.pages() === 0) forget({ id, terminal });
      return true;
    },
    close: () => {
      isClosed = true;
      stopSweep();
      for (const one of kept.values()) forget(one);
      screens.close();
    },
  };
}

async function start(
  { clock, commands, people }: TerminalsDeps,
  screens: Screens,
  { person, admin }: Pick<Session, 'person' | 'admin'>,
  { size, folder }: { readonly size: TerminalSize; readonly folder: Uint8Array | null },
  onEnd: (one: Kept) => void,
): Promise<Kept> {
  const shell = await commands.openShell(person, size, admin, folder);
  const screen = screens.open(person, {
    size,
    reply: (text) => one.terminal.reply(text),
    onTitle: (title) => one.terminal.setTitle(title),
    onLost: () => one.terminal.lost(),
  });
  ownEvents(shell.output, { what: 'a terminal', person, app: null, isOwed: false, end: () => shell.end() });
  const needsMark = shell.asPortal === true && people.find(person)?.isAdmin === true;
  const terminal = createTerminal({ shell, screen, clock, onEnd: () => onEnd(one) });
  const one: Kept = { id: `t${randomBytes(12).toString('hex')}`, person, openedAtMs: clock.nowMs(), terminal, needsMark };
  return one;
}

/** Forgets terminals that no page showed for long, that ended long ago, or whose people are gone or are no administrators any more. */
function sweepRegularly({ clock, people }: TerminalsDeps, kept: ReadonlyMap<string, Kept>, forget: (one: Kept) => void): () => void {
  const sweep = (): void => {
    const nowMs = clock.monotonicMs();
    for (const one of kept.values()) {
      const { person, terminal } = one;
      const end = terminal.end();
      const awayMs = nowMs - (terminal.awaySinceMs() ?? nowMs);
      const isOld = end === null ? awayMs > limits.terminalAwayMsMax : nowMs - end.atMs > limits.terminalEndedMsMax;
      const known = people.find(person);
      if (isOld || known === null || (one.needsMark && known.isAdmin !== true)) forget(one);
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
