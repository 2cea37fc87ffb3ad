/**
 * Answers the question that a reverse proxy on this machine asks before it gets a certificate for a name that a browser came with (Caddy:
 * `on_demand_tls.ask`): yes for the portal's own names, so that nobody makes it ask an authority for any other. Decision:
 * docs/decisions/0409-https-by-a-front-that-exists.md
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AppOrigins } from './app-origins.ts';
import { classifyHost, type Site } from '../http/hosts.ts';
import { pathOf, queryOf } from '../http/navigation.ts';

const path = '/api/certificado';

/** Whoever asks came by address from this machine: see isLocalQuestion. */
export const isCertificateQuestion = (req: IncomingMessage): boolean => req.method === 'GET' && pathOf(req.url ?? '') === path;

/** 204 yes, 404 no, both without a body. */
export function answerCertificateQuestion(
  req: IncomingMessage,
  res: ServerResponse,
  { site, apps }: { readonly site: Site; readonly apps: Pick<AppOrigins, 'isInstalled'> },
): void {
  const name = queryOf(req.url ?? '').get('domain') ?? '';
  const host = classifyHost(/^[A-Za-z0-9.-]+$/.test(name) ? name + site.host.slice(site.hostname.length) : undefined, site);
  const isOurs = host.kind === 'shell' || host.kind === 'files' || (host.kind === 'app' && apps.isInstalled(host.app));
  res.writeHead(isOurs ? 204 : 404, { 'cache-control': 'no-store' }).end();
}
