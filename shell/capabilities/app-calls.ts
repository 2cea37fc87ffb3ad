/**
 * Calls between apps through this desktop: takes the verb `apps.pedir` from its port to the provider's answer and back.
 *
 *   call-port.ts   the port of one call: streams and their bounds
 *   call.ts        the call to the portal, with the questions to the person before it
 *   questions.ts   the questions; svc-consent.ts shows them
 *   turns.ts       how many calls use the browser's connections at once
 */
import type { AppCallArgs } from '../../schema/bridge/app-verbs.ts';
import type { CallError } from '../../schema/bridge/call.ts';
import { ApiError } from '../session/api.ts';
import { callCapability, putConsent, type PortalCall } from '../session/capabilities-api.ts';
import { readConsents } from '../session/settings-api.ts';
import { limits } from './limits.ts';
import { callOtherApp, decide, heedConsents, type CallDeps } from './call.ts';
import { openCallPort } from './call-port.ts';
import { createQuestions, type Decision, type Question, type Questions } from './questions.ts';
import { createTurns, type Turns } from './turns.ts';
import type { Shell } from '../windows/shell.ts';

export interface CallsDesk extends Shell {
  /** Calls between apps, and the open question about one. */
  readonly appCalls: AppCalls;
}

export interface AppCalls {
  readonly question: Questions['shown'];
  /** Carries out one call of the app; `page` fires when its page is gone. */
  carry(de: string, args: AppCallArgs, page: AbortSignal): void;
  /** Rejects where the portal did not keep it: the question stays. */
  decide(question: Question, decision: Decision): Promise<void>;
  /** The portal said that consents changed. */
  heed(): void;
}

const isMultiplexed = (): boolean => {
  const [loaded] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return loaded !== undefined && /^h[23]/.test(loaded.nextHopProtocol);
};

export interface AppCallsDeps extends Pick<CallDeps, 'prefer'> {
  /** A call waits for its answer, until `over` fires: its provider may be starting. */
  readonly slow: (call: PortalCall, over: AbortSignal) => void;
}

export function createAppCalls({ prefer, slow }: AppCallsDeps): AppCalls {
  const questions = createQuestions(() => performance.now());
  const turns = createTurns(isMultiplexed() ? limits.callsAtOnceMultiplexedMax : limits.callsAtOnceMax);
  const deps: CallDeps = {
    portal: callCapability,
    consents: readConsents,
    consent: putConsent,
    prefer,
    questions,
    waiting: (call) => {
      const over = new AbortController();
      const timer = setTimeout(slow, limits.callSlowMs, call, over.signal);
      return () => {
        clearTimeout(timer);
        over.abort();
      };
    },
  };
  return {
    question: questions.shown,
    carry: (de, args, page) => void carry(deps, turns, de, args, page),
    decide: async (question, decision) => await decide(deps, question, decision),
    // A portal that does not answer now leaves the question open.
    heed: () => void heedConsents(deps).catch(() => undefined),
  };
}

async function carry(deps: CallDeps, turns: Turns, de: string, args: AppCallArgs, page: AbortSignal): Promise<void> {
  const { capacidade, caminho, metodo, cabecalhos, app = null } = args;
  const port = openCallPort(args.porta, page);
  const { signal } = port;
  let give = (): void => undefined;
  const portal: CallDeps['portal'] = async (call) => {
    give();
    give = await turns.take(signal);
    return await deps.portal(call, signal);
  };
  const questions = { ...deps.questions, ask: async (question: Question) => (give(), await deps.questions.ask(question, signal)) };
  try {
    const corpo = args.corpo === true ? await port.body() : args.corpo;
    const call: PortalCall = { de, capacidade, caminho, metodo, cabecalhos, corpo, para: app, uso: null };
    await port.answer(await callOtherApp({ ...deps, portal, questions }, call, signal));
  } catch (error) {
    if (!signal.aborted) port.fail(errorOf(error));
  } finally {
    give();
  }
}

/**
 * The portal's refusal with its code; any other error means that the answer was cut: the provider ended, or the person withdrew their
 * consent.
 */
function errorOf(error: unknown): CallError {
  if (!(error instanceof ApiError)) return { code: 'interrompido', message: error instanceof Error ? error.message : String(error) };
  const { code, message, status, retryAfterMs } = error;
  return { code, message, ...(status === 0 ? {} : { status }), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}
