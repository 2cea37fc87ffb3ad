/**
 * `/__svc/…` inside an app's URL space: what the error panel talks to. It runs on the app's origin, without the shell's cookie, so
 * it reaches exactly this one app of this one person: its state, its start and stop, its events.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SvcError } from '../../schema/errors.ts';
import { onGone } from '../http/gone.ts';
import { limits as apiLimits } from '../limits.ts';
import { limits } from './limits.ts';
import { sendProblem } from '../http/problems.ts';
import type { ProxyDeps, ProxyTarget } from './contract.ts';
import { faceOf, type PanelState } from './panel-face.ts';
import type { RequestHead } from './request-head.ts';

export const ownPrefix = '/__svc/';
const heartbeatMs = 20_000;

export interface OwnRoutes {
  /** Answers anything under `/__svc/`. Resolves when answered; streams go on. */
  answer(req: IncomingMessage, res: ServerResponse, target: ProxyTarget, head: RequestHead): Promise<void>;
}

/** The present state for the panel. Null when the app is not installed for the person. */
export async function panelState(deps: ProxyDeps, target: ProxyTarget): Promise<PanelState | null> {
  const view = deps.appView(target.person, target.app);
  if (view === null) return null;
  const tail = await deps.logTail(target.person, target.app).catch(() => '');
  const untilNextMs = view.nextAttemptAtMs === null ? 0 : view.nextAttemptAtMs - deps.clock.nowMs();
  return {
    name: view.name,
    status: view.status,
    // Running is not enough: a reload only makes sense when there is something to reach.
    ready: view.ready && deps.route(target.person, target.app) !== null,
    reason: view.reason,
    message: view.message,
    wanted: view.wanted,
    pinned: view.pinned,
    escopo: view.escopo,
    lastExit: view.lastExit,
    step: view.step,
    retryAfterMs: Math.max(1_000, untilNextMs),
    log: tail.split('\n').slice(-apiLimits.proxyPanelLogLines).join('\n').trim(),
  };
}

export function createOwnRoutes(deps: ProxyDeps): OwnRoutes {
  const streams = new Map<string, number>();

  const events = (res: ServerResponse, target: ProxyTarget): void => {
    const key = `${target.person}\0${target.app}`;
    const open = streams.get(key) ?? 0;
    if (open >= limits.proxyPanelStreamsPerAppMax) {
      sendProblem(res, new SvcError('BACKEND_BUSY', 'too many open event streams for this app'));
      return;
    }
    streams.set(key, open + 1);
    res.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    res.write('retry: 2000\n\n');
    const unsubscribe = deps.bus.onPublish((person, event) => {
      if (person !== target.person || !('app' in event) || event.app !== target.app) return;
      // An edge: the receiver reads the state again.
      if (res.writableLength < apiLimits.eventSocketBufferedBytesMax) res.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    });
    let cancelBeat = (): void => {};
    const beat = (): void => {
      res.write(': \n\n');
      cancelBeat = deps.clock.at(deps.clock.monotonicMs() + heartbeatMs, beat);
    };
    cancelBeat = deps.clock.at(deps.clock.monotonicMs() + heartbeatMs, beat);
    onGone(res, () => {
      unsubscribe();
      cancelBeat();
      const left = (streams.get(key) ?? 1) - 1;
      if (left === 0) streams.delete(key);
      else streams.set(key, left);
    });
  };

  const wish = async (res: ServerResponse, target: ProxyTarget, head: RequestHead, verb: 'start' | 'stop'): Promise<void> => {
    if (!fromThisOrigin(head, deps.portalOrigin)) throw new SvcError('CROSS_ORIGIN', 'only the panel of this app may start and stop it');
    await deps.wish(target.person, target.app, verb);
    sendJson(res, 202, { ok: true });
  };

  const state = async (res: ServerResponse, target: ProxyTarget): Promise<void> => {
    const now = await panelState(deps, target);
    if (now === null) throw new SvcError('NOT_FOUND', `app ${target.app} is not installed for this person`);
    sendJson(res, 200, { ...now, face: faceOf(now) });
  };

  const run = async (req: IncomingMessage, res: ServerResponse, target: ProxyTarget, head: RequestHead): Promise<void> => {
    switch (`${req.method} ${target.path.slice(ownPrefix.length).split('?', 1)[0]}`) {
      case 'GET estado':
        return await state(res, target);
      case 'GET eventos':
        return events(res, target);
      case 'POST iniciar':
        return await wish(res, target, head, 'start');
      case 'POST parar':
        return await wish(res, target, head, 'stop');
      default:
        throw new SvcError('NOT_FOUND', 'no such route of the portal in this app');
    }
  };

  return {
    answer: async (req, res, target, head) => {
      try {
        await run(req, res, target, head);
      } catch (error) {
        const coded = error instanceof SvcError ? error : new SvcError('INTERNAL', 'the portal failed');
        if (res.headersSent) res.destroy();
        else sendProblem(res, coded, req.method);
      }
    },
  };
}

function sendJson(res: ServerResponse, status: number, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value));
  res.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  res.end(body);
}

/** A change needs the browser's word that a page of this very origin asks for it. */
function fromThisOrigin(head: RequestHead, portalOrigin: string): boolean {
  if (head.fetchSite !== '') return head.fetchSite === 'same-origin';
  return head.origin.toLowerCase() === `${portalOrigin.slice(0, portalOrigin.indexOf('://'))}://${head.host.toLowerCase()}`;
}
