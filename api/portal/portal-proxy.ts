/** The proxy on what the portal knows of apps. */
import type { Logger } from 'pino';
import type { Bus } from '../../store/bus.ts';
import type { Clock } from '../../schema/clock.ts';
import type { Gateway } from '../../schema/gateway.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import type { Mandates } from '../auth/mandates.ts';
import type { PortalDev } from '../dev/contract.ts';
import { withDevServer } from '../dev/dev-server.ts';
import type { Site } from '../http/hosts.ts';
import { limits } from '../limits.ts';
import type { Metrics } from '../site/metrics.ts';
import { createProxy, type Proxy, type ProxyDeps } from '../proxy/proxy.ts';
import type { Starts } from './starts.ts';

interface ProxyParts {
  readonly bus: Bus;
  readonly log: Logger;
  readonly clock: Clock;
  readonly gateway: Gateway;
  readonly starts: Starts;
  readonly site: Site;
  readonly metrics: Metrics;
  readonly mandates: Mandates;
  readonly dev: PortalDev | undefined;
}

export function createProxyOf({ bus, log, clock, gateway: { apps, commands }, starts, site, metrics, mandates, dev }: ProxyParts): Proxy {
  const deps: ProxyDeps = {
    mandates,
    route: (person, app) => commands.apps.route(person, app),
    tokenRefused: (person, app) => commands.apps.tokenRefused(person, app),
    badAnswer: badAnswers(clock, log, (...note) => commands.apps.note(...note)),
    hold: (person, app, signal) =>
      starts.startAndWait(person, app, { by: 'navigation', deadlineMs: sharedLimits.navigationHoldMsMax, signal }),
    appView: (person, app) => apps.find(person, app),
    logTail: (person, app) => commands.apps.log(person, app, { tail: limits.proxyPanelLogLines, previous: false }),
    wish: (person, app, wish) => starts.post(person, app, wish, 'person'),
    bus,
    portalOrigin: site.origin,
    clock,
    metrics: metrics.proxy,
  };
  return withDevServer(createProxy(deps), dev, (route) => createProxy({ ...deps, route }), { starts, site });
}

/** In the portal's log and in that of the app, where `svc why` shows it: once a minute for an app of a person, whatever it answers. */
function badAnswers(clock: Clock, log: Logger, note: Gateway['commands']['apps']['note']): ProxyDeps['badAnswer'] {
  const tellAgainAtMs = new Map<string, number>();
  return (person, app, reason) => {
    const nowMs = clock.monotonicMs();
    const key = `${person} ${app}`;
    if (nowMs < (tellAgainAtMs.get(key) ?? 0)) return;
    for (const [each, atMs] of tellAgainAtMs) if (atMs <= nowMs) tellAgainAtMs.delete(each);
    tellAgainAtMs.set(key, nowMs + limits.badAnswerLogMs);
    log.warn({ person, app, reason }, 'an answer of an app was refused');
    note(person, app, `the portal refused an answer of the app: ${reason}`.slice(0, sharedLimits.logNoteCharsMax)).catch(() => undefined);
  };
}
