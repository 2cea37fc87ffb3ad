/**
 * The configuration of a reverse proxy before the portal, for what the answers say: HTTPS with certificates, HTTP/2, redirect, HSTS, and nothing that
 * holds back a stream, a WebSocket or a large file. Decision: docs/decisions/0409-https-by-a-front-that-exists.md
 */
import { readFileSync } from 'node:fs';
import { SvcError } from '../../schema/errors.ts';

export const frontKinds = ['caddy', 'nginx', 'none'] as const;
export type FrontKind = (typeof frontKinds)[number];
type Proxy = Exclude<FrontKind, 'none'>;

export interface Front {
  readonly kind: Proxy;
  /** Public name, without a port. */
  readonly host: string;
  /** Whether apps have origins below the name. */
  readonly isWide: boolean;
  /** host:port of the portal. */
  readonly portal: string;
  /** Files of a certificate for the name and all below it, and of its key; null: Caddy gets one for each name. */
  readonly certificate: string | null;
  readonly key: string | null;
  /** `internal`: an authority of Caddy's own. Else the directory of an ACME server. null: the one that Caddy takes by itself. */
  readonly acme: string | null;
  /** File with the root of that ACME server. */
  readonly acmeRoot: string | null;
  readonly email: string | null;
}

interface Place {
  readonly file: string;
  readonly service: string;
  readonly program: string;
  /** Debian package. */
  readonly package: string;
  /** Whether the configuration can be used. */
  readonly check: readonly string[];
  /** For a shell, where there is no systemd: in the foreground. */
  readonly run: string;
}

export const places: Readonly<Record<Proxy, Place>> = {
  caddy: {
    file: '/etc/caddy/Caddyfile',
    service: 'caddy',
    program: '/usr/bin/caddy',
    package: 'caddy',
    check: ['caddy', 'validate', '--adapter', 'caddyfile', '--config', '/etc/caddy/Caddyfile'],
    run: 'caddy run --config /etc/caddy/Caddyfile',
  },
  nginx: {
    file: '/etc/nginx/conf.d/svc.conf',
    service: 'nginx',
    program: '/usr/sbin/nginx',
    package: 'nginx-light',
    check: ['nginx', '-t', '-q'],
    run: "nginx -g 'daemon off;'",
  },
};

/** The first line of what was written here: the options that made it, which the next run begins with. */
const mark = '# Written by svc setup, which writes it anew: ';

/** null: nobody's, or somebody else's. */
export function optionsIn(text: string | null): readonly string[] | null {
  const [line = ''] = (text ?? '').split('\n');
  return line.startsWith(mark) ? line.slice(mark.length).split(' ') : null;
}

const optionsOf = (front: Front): readonly string[] => {
  const named = { certificate: front.certificate, key: front.key, acme: front.acme, 'acme-root': front.acmeRoot, email: front.email };
  return ['--front', front.kind, ...Object.entries(named).flatMap(([name, value]) => (value === null ? [] : [`--${name}`, value]))];
};

export function frontText(front: Front): string {
  if (front.kind === 'nginx' && front.certificate === null)
    throw new SvcError('BAD_REQUEST', 'nginx gets no certificate by itself: --certificate FILE --key FILE, for the name and all below it');
  return `${mark}${optionsOf(front).join(' ')}\n${front.kind === 'caddy' ? caddyText(front) : nginxText(front)}`;
}

function caddyText({ host, isWide, portal, certificate, key, acme, acmeRoot, email }: Front): string {
  const isOnDemand = certificate === null;
  const global = [
    ...(isOnDemand ? ['on_demand_tls {', `\task http://${portal}/api/certificado`, '}'] : []),
    ...(email === null ? [] : [`email ${email}`]),
    ...(acme === null || acme === 'internal' ? [] : [`acme_ca ${acme}`]),
    ...(acmeRoot === null ? [] : [`acme_ca_root ${acmeRoot}`]),
  ];
  // Certificates are made for each origin, when a browser first comes: no authority has to be shown the zone.
  const tls = isOnDemand
    ? ['tls {', ...(acme === 'internal' ? ['\tissuer internal'] : []), '\ton_demand', '}']
    : [`tls ${certificate} ${key ?? ''}`];
  const site = [...tls, 'encode zstd gzip', 'header ?Strict-Transport-Security "max-age=31536000"', `reverse_proxy ${portal}`];
  const block = (head: string, lines: readonly string[]): string => `${head}{\n${lines.map((line) => `\t${line}\n`).join('')}}\n`;
  return `${global.length === 0 ? '' : block('', global)}${block(`${host}${isWide ? `, *.${host}` : ''} `, site)}`;
}

/** A kernel without IPv6 refuses its address. */
const hasIpv6 = (): boolean => {
  try {
    return readFileSync('/proc/net/if_inet6', 'latin1') !== '';
  } catch {
    return false;
  }
};

function nginxText({ host, isWide, portal, certificate, key }: Front): string {
  const listen = (what: string): string => `  listen ${what};\n${hasIpv6() ? `  listen [::]:${what};\n` : ''}`;
  const names = `  server_name ${host}${isWide ? ` *.${host}` : ''};\n`;
  return `map $http_upgrade $svc_connection {
  default upgrade;
  '' '';
}
server {
${listen('80')}${names}  return 308 https://$host$request_uri;
}
server {
${listen('443 ssl http2')}${names}  ssl_certificate ${certificate};
  ssl_certificate_key ${key};
  ssl_protocols TLSv1.2 TLSv1.3;
  ssl_session_cache shared:svc:10m;
  add_header Strict-Transport-Security "max-age=31536000" always;
  gzip on;
  gzip_proxied any;
  gzip_types text/css text/javascript application/json image/svg+xml;
  # The portal has limits of its own, and apps theirs.
  client_max_body_size 0;
  location / {
    proxy_pass http://${portal};
    proxy_http_version 1.1;
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header Upgrade $http_upgrade;
    proxy_set_header Connection $svc_connection;
    # An app's slow answer and a person's upload are not kept back.
    proxy_buffering off;
    proxy_request_buffering off;
    # A socket, or an answer, may be silent for so long.
    proxy_read_timeout 1h;
    proxy_send_timeout 1h;
  }
}
`;
}
