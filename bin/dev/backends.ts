/** Backends of the people who play: started, restarted and ended, and why one is not up. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Starts } from '../../api/portal/starts.ts';
import type { Gateway } from '../../schema/gateway.ts';
import { reasonText, type TextLanguage } from '../../schema/texts/reasons.ts';
import type { StartAnswer } from '../../schema/wire/http.ts';
import { mistakeOf, readable } from './mistake.ts';
import type { Running } from '../up/main.ts';
import { limits } from './limits.ts';

export interface Came {
  readonly person: string;
  readonly answer: StartAnswer;
}

export interface Why {
  /** True when the launcher would not start it (a missing entrypoint): then nothing crashed. */
  readonly refused: boolean;
  readonly words: string;
  readonly detail: string;
  readonly tail: readonly string[];
}

export interface Backends {
  /** People whose backend is up, or on its way. */
  running(): readonly string[];
  /** Theirs, or the first one's where there are none. Null: a newer change overtook it. */
  restart(whose: readonly string[], signal: AbortSignal): Promise<readonly Came[] | null>;
  /** Waits for the first answer: true once it comes, false when the backend ended or the signal fired. */
  answersLater(person: string, signal: AbortSignal): Promise<boolean>;
  /** Cause of a start that takes long: the process before it has not ended yet, or the new one does not answer. Null: neither. */
  waitsFor(whose: readonly string[]): 'end' | 'start' | null;
  /** Why it is not up, for a person to read, and the end of what it printed. */
  why(came: Came): Promise<Why>;
  stop(): Promise<void>;
}

/** To find a mistake in; fewer are shown. */
const tailLines = 200;
const shownLines = 12;

export function createBackends(
  app: string,
  people: readonly string[],
  { gateway, portal }: Pick<Running, 'gateway' | 'portal'>,
  { language, folder, own }: { readonly language: TextLanguage; readonly folder: string; readonly own: (text: string) => string },
): Backends {
  const starts = portal.starts();
  const running = (): readonly string[] => people.filter((person) => isUp(gateway, person, app));
  return {
    running,
    restart: async (whose, signal) => {
      const these = whose.length === 0 ? people.slice(0, 1) : whose;
      try {
        return await Promise.all(these.map(async (person) => ({ person, answer: await again(starts, gateway, { person, app, signal }) })));
      } catch (error) {
        if (signal.aborted) return null;
        throw error;
      }
    },
    answersLater: async (person, signal) => {
      while (!signal.aborted && isUp(gateway, person, app)) {
        if (gateway.apps.find(person, app)?.status === 'running') return true;
        await sleep(limits.logLookMs, undefined, { signal }).catch(() => undefined);
      }
      return false;
    },
    waitsFor: (whose) => {
      const states = new Set((whose.length === 0 ? people.slice(0, 1) : whose).map((person) => gateway.apps.find(person, app)?.status));
      return states.has('stopping') ? 'end' : states.has('starting') ? 'start' : null;
    },
    why: async ({ person, answer }) => {
      const how = endOf(answer.status, gateway.apps.find(person, app)?.lastExit ?? null);
      const text = await gateway.commands.apps.log(person, app, { tail: tailLines, previous: false }).catch(() => '');
      const lines = text
        .split('\n')
        .filter((line) => line !== '')
        .map(own);
      return whyOf({ answer, how, lines, folder, language });
    },
    stop: async () => {
      const options = { by: 'admin', deadlineMs: limits.devEndMsMax } as const;
      await Promise.all(running().map((person) => starts.stopAndWait(person, app, options).catch(() => undefined)));
    },
  };
}

/** How its process ended; of one that lives the last end is that of another. */
export function endOf(
  status: StartAnswer['status'],
  exit: { readonly code: number | null; readonly signal: string | null } | null,
): string {
  if (exit === null || status === 'starting' || status === 'running') return '';
  return exit.signal ?? `exit code ${exit.code}`;
}

/** The place of the mistake first, where what it printed has one. */
export function whyOf({
  answer: { reason, message },
  how,
  lines,
  folder,
  language,
}: {
  readonly answer: Pick<StartAnswer, 'reason' | 'message'>;
  readonly how: string;
  readonly lines: readonly string[];
  readonly folder: string;
  readonly language: TextLanguage;
}): Why {
  // Cuts the parts about the attempts, and about output that stands elsewhere.
  const said = message.replace(/; last: \w+$/, '').replace('; its output is above', '');
  if (reason === 'InvalidManifest') return { refused: true, words: said, detail: said, tail: [] };
  const mistake = mistakeOf(lines, folder);
  const detail = [...new Set([mistake?.text ?? '', how, said])].filter((part) => part !== '').join('; ');
  return {
    refused: false,
    words: `${reasonText(reason, language)} (${detail})`,
    detail,
    tail: mistake?.lines ?? readable(lines).slice(-shownLines),
  };
}

function isUp(gateway: Gateway, person: string, app: string): boolean {
  const view = gateway.apps.find(person, app);
  return view !== null && view.status !== 'stopped' && view.status !== 'unknown';
}

async function again(
  starts: Starts,
  gateway: Gateway,
  { person, app, signal }: { readonly person: string; readonly app: string; readonly signal: AbortSignal },
): Promise<StartAnswer> {
  const options = { by: 'admin', deadlineMs: limits.restartMsMax, signal } as const;
  return isUp(gateway, person, app) ? await starts.restartAndWait(person, app, options) : await starts.startAndWait(person, app, options);
}
