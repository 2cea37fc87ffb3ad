/**
 * Answers a navigation when there is no backend to pass it to: the app is started and the answer held for at most 20 s; a longer start becomes the
 * error panel (status 503, Retry-After). Source: rules 3.2.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorKinds, SvcError } from '../../schema/errors.ts';
import type { BackendRoute } from '../../schema/gateway.ts';
import { limits } from '../../schema/limits.ts';
import { silent } from '../../schema/reasons/derived.ts';
import type { StartAnswer } from '../../schema/wire/http.ts';
import { sendProblem } from '../http/problems.ts';
import type { AppView, ProxyDeps, ProxyTarget } from './contract.ts';
import type { ExchangeFailure } from './exchange.ts';
import { panelState } from './own-routes.ts';
import type { PanelState } from './panel-face.ts';
import { panelHeaders, panelPage } from './panel.ts';
import type { RequestHead } from './request-head.ts';

/** The result of waiting for a start: the answer, or the code of a refusal in its place. */
type Verdict = Partial<Omit<StartAnswer, 'reason'> & Pick<PanelState, 'reason'>>;

interface Navigation {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly target: ProxyTarget;
  readonly head: RequestHead;
}

export interface Held {
  /** Starts the app and waits; one of the two is called, or neither when the client went away. */
  navigation(
    navigation: Navigation,
    outcome: { readonly ready: (route: BackendRoute) => void; readonly answered: (status: number) => void },
  ): void;
  /** Answers with the panel: the backend was there but failed. */
  panel(navigation: Navigation, failure: ExchangeFailure, answered: (status: number) => void): void;
  /** For refusals of what is no navigation. */
  retryAfterMs(target: ProxyTarget): number;
}

export function retryAfterHeader(ms: number): Record<string, string> {
  return { 'retry-after': String(Math.max(1, Math.ceil(ms / 1_000))) };
}

export function createHeld(deps: ProxyDeps): Held {
  const show = (navigation: Navigation, state: PanelState, status: number): void => {
    const { res, target, head, req } = navigation;
    if (res.destroyed || res.headersSent) return;
    const page = Buffer.from(panelPage(state, target.basePath, head.acceptLanguage, deps.portalOrigin));
    res.writeHead(status, { ...panelHeaders(deps.portalOrigin), ...retryAfterHeader(state.retryAfterMs), 'content-length': page.length });
    res.end(req.method === 'HEAD' ? undefined : page);
  };

  /** The panel with what the answer says on top of the state at hand. */
  const panelWith = async (navigation: Navigation, said: Partial<PanelState>, status: number): Promise<number> => {
    const state = await panelState(deps, navigation.target);
    if (state === null) {
      const error = new SvcError('NOT_FOUND', `app ${navigation.target.app} is not installed for this person`);
      if (!navigation.res.destroyed) sendProblem(navigation.res, error);
      return error.status;
    }
    show(navigation, { ...state, ...said }, status);
    return status;
  };

  const wait = async (target: ProxyTarget, signal: AbortSignal): Promise<Verdict> => {
    try {
      return await deps.hold(target.person, target.app, signal);
    } catch (error) {
      // A refusal (pinned stopped, not installed) or the end of the wait: the panel says it.
      return { ready: false, ...(error instanceof SvcError && !signal.aborted ? { reason: error.code, message: error.message } : {}) };
    }
  };

  const hold = async (navigation: Navigation): Promise<BackendRoute | number> => {
    const { res, target } = navigation;
    const stop = new AbortController();
    const abort = (): void => stop.abort();
    res.once('close', abort);
    const cancelDeadline = deps.clock.at(deps.clock.monotonicMs() + limits.navigationHoldMsMax, abort);
    const late = new Promise<null>((resolve) => stop.signal.addEventListener('abort', () => resolve(null), { once: true }));
    const answer = await Promise.race([wait(target, stop.signal), late]);
    cancelDeadline();
    res.off('close', abort);
    if (res.destroyed) return 0;
    const route = deps.route(target.person, target.app);
    if (answer?.ready === true && route !== null) return route;
    return await panelWith(navigation, answer === null ? {} : said(answer), 503);
  };

  return {
    navigation: (navigation, outcome) => {
      hold(navigation).then(
        (result) => (typeof result === 'number' ? outcome.answered(result) : outcome.ready(result)),
        () => {
          if (!navigation.res.headersSent) sendProblem(navigation.res, new SvcError('INTERNAL', 'the portal failed to hold the request'));
          outcome.answered(500);
        },
      );
    },
    panel: (navigation, failure, answered) => {
      const status = errorKinds[failure.code].status;
      const view = deps.appView(navigation.target.person, navigation.target.app);
      // The known state of the app says more than the result of one request.
      const said = view !== null && isUnanswering(view) ? {} : { message: failure.message, reason: failure.code };
      panelWith(navigation, { ready: false, ...said }, status).then(answered, () => navigation.res.destroy());
    },
    retryAfterMs: (target) => {
      const view = deps.appView(target.person, target.app);
      const untilNextMs = view?.nextAttemptAtMs == null ? 0 : view.nextAttemptAtMs - deps.clock.nowMs();
      return Math.max(1_000, untilNextMs);
    },
  };
}

/** Its process runs, and it is known not to answer. Decision: docs/decisions/0137-what-runs-still-answers.md */
export function isUnanswering({ ready, reason }: AppView): boolean {
  return !ready && silent.includes(reason);
}

export function unansweringFailure({ message }: AppView): ExchangeFailure {
  return { code: 'BACKEND_TIMEOUT', message };
}

/** Only what the answer really says replaces the state at hand. */
function said(answer: Verdict): Partial<PanelState> {
  const { status, reason, message, retryAfterMs } = answer;
  return {
    ...(status === undefined ? {} : { status }),
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}
