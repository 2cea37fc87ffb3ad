/** The proxy on what the portal knows of apps. */
import type { Bus } from '../store/bus.ts';
import type { Clock } from '../schema/clock.ts';
import type { Gateway } from '../schema/gateway.ts';
import { limits as sharedLimits } from '../schema/limits.ts';
import type { Mandates } from './auth/mandates.ts';
import type { PortalDev } from './dev/contract.ts';
import { withDevServer } from './dev/dev-server.ts';
import type { Site } from './hosts.ts';
import { limits } from './limits.ts';
import type { Metrics } from './metrics.ts';
import { createProxy, type Proxy, type ProxyDeps } from './proxy/proxy.ts';
import type { Starts } from './starts.ts';

interface ProxyParts {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly gateway: Gateway;
  readonly starts: Starts;
  readonly site: Site;
  readonly metrics: Metrics;
  readonly mandates: Mandates;
  readonly dev: PortalDev | undefined;
}

export function createProxyOf({ bus, clock, gateway: { apps, commands }, starts, site, metrics, mandates, dev }: ProxyParts): Proxy {
  const deps: ProxyDeps = {
    mandates,
    route: (person, app) => commands.apps.route(person, app),
    tokenRefused: (person, app) => commands.apps.tokenRefused(person, app),
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
