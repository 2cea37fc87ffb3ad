/** A reverse proxy before the portal: what `svc setup` writes, or the very block of docs/fronts.md, and the defaults of Debian for the rest. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { run } from './machines.ts';
import { shippedTree } from './shipped-tree.ts';
import { until } from './until.ts';

const checkout = path.resolve(import.meta.dirname, '../..');

export const fronts = ['nginx', 'caddy', 'apache', 'haproxy'] as const;
export type Front = (typeof fronts)[number];

/** Where it runs: on a machine of a street, or here. */
export interface Place {
  /** A folder that is there and is its own. */
  readonly folder: string;
  sh(script: string, how?: { readonly input: string }): Promise<unknown>;
  start(argv: readonly string[]): ChildProcess;
}

/** A proxy that stays in front and listens with all its children: the words that start it, and what stands around the block of the page. */
interface Kind {
  readonly program: string;
  argv(config: string, folder: string): readonly string[];
  around(block: string, folder: string): string;
}

const apacheModules = [
  'mpm_event',
  'authz_core',
  'filter',
  'deflate',
  'headers',
  'proxy',
  'proxy_http',
  'reqtimeout',
  'socache_shmcb',
  'ssl',
  'http2',
] as const;

const kinds: Readonly<Record<Front, Kind>> = {
  nginx: {
    program: '/usr/sbin/nginx',
    argv: (config, folder) => ['/usr/sbin/nginx', '-c', config, '-e', `${folder}/error.log`],
    around: (block, folder) => {
      const kept = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((each) => `${each}_temp_path ${folder}/${each};`).join(' ');
      return `daemon off; user root; worker_processes 2; pid ${folder}/pid;\nevents {}\nhttp { access_log off; ${kept}\n${block} }\n`;
    },
  },
  caddy: {
    program: '/usr/bin/caddy',
    argv: (config) => ['/usr/bin/caddy', 'run', '--adapter', 'caddyfile', '--config', config],
    around: (block, folder) =>
      `{\n\tadmin off\n\tdefault_bind 127.0.0.1\n\tauto_https off\n\tstorage file_system ${folder}/kept\n}\n${block}`,
  },
  apache: {
    program: '/usr/sbin/apache2',
    argv: (config) => ['/usr/sbin/apache2', '-DFOREGROUND', '-f', config],
    around: (block, folder) => {
      const modules = apacheModules.map((each) => `LoadModule ${each}_module /usr/lib/apache2/modules/mod_${each}.so\n`).join('');
      const port = /<VirtualHost \S*:(\d+)>/.exec(block)?.[1] ?? '443';
      // As apache2.conf, mods-available/reqtimeout.conf and mods-available/ssl.conf of Debian have them.
      return `${modules}ServerRoot ${folder}\nDefaultRuntimeDir ${folder}\nPidFile ${folder}/pid\nErrorLog ${folder}/error.log\nUser www-data\nGroup www-data
Timeout 300\nKeepAlive On\nMaxKeepAliveRequests 100\nKeepAliveTimeout 5\nRequestReadTimeout header=20-40,minrate=500 body=10,minrate=500
SSLSessionCache shmcb:${folder}/ssl(512000)\nServerName localhost\nListen 127.0.0.1:${port}\n${block}`;
    },
  },
  haproxy: {
    program: '/usr/sbin/haproxy',
    argv: (config) => ['/usr/sbin/haproxy', '-f', config],
    // The timeouts of Debian's haproxy.cfg.
    around: (block) => `global\n  maxconn 2000\ndefaults\n  timeout connect 5000\n  timeout client 50000\n  timeout server 50000\n${block}`,
  },
};

const packages: Readonly<Record<Front, string>> = { nginx: 'nginx-light', caddy: 'caddy', apache: 'apache2-bin', haproxy: 'haproxy' };

const texts = new Map<Front, Promise<string>>();
/** As `svc setup` of the shipped tree prints it, asked for once. */
async function printed(front: Front): Promise<string> {
  const text = texts.get(front) ?? print(front);
  texts.set(front, text);
  return await text;
}
async function print(front: Front): Promise<string> {
  const files = ['--certificate', '/etc/ssl/svc.pem', '--key', '/etc/ssl/svc.key'];
  const argv = ['setup', '--print', '--dir', '/nowhere', '--url', 'https://svc.example.org', '--front', front, ...files];
  return (await run([path.join(await shippedTree(), 'bin/svc'), ...argv], {})).out;
}

function blockOf(front: Front): string {
  const page = readFileSync(path.join(checkout, 'docs/fronts.md'), 'utf8');
  const block = new RegExp(`\`\`\`${front}\\n([^]*?)\`\`\``).exec(page)?.[1];
  if (block === undefined) throw new Error(`docs/fronts.md has no block for ${front}`);
  return block;
}

/** The configuration for another name, port, portal and folder of certificates. */
async function told(
  front: Front,
  { host, port, portal, folder }: { readonly host: string; readonly port: number; readonly portal: number; readonly folder: string },
): Promise<string> {
  const text = front === 'nginx' || front === 'caddy' ? await printed(front) : blockOf(front);
  return text
    .replaceAll('svc.example.org', front === 'caddy' ? `${host}:${port}` : host)
    .replaceAll('127.0.0.1:8787', `127.0.0.1:${portal}`)
    .replaceAll('/etc/ssl/', `${folder}/`)
    .replaceAll(/ *listen \[::\].*\n/g, '')
    .replace('listen 80', `listen unix:${folder}/80`)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('*:443', `127.0.0.1:${port}`)
    .replace('bind :443', `bind 127.0.0.1:${port}`);
}

/** A certificate for the name and all below it, signed by itself. */
const certificate = `cd "$FOLDER"
[ -e svc.pem ] || openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=$HOST" \\
  -addext "subjectAltName=DNS:$HOST,DNS:*.$HOST" -keyout svc.key -out svc.pem 2>/dev/null
cat svc.pem svc.key >svc.both`;

/** Resolves when it takes connections at 127.0.0.1:`port`; to the function that ends it. */
export async function openFront(
  front: Front,
  place: Place,
  { host, port, portal }: { readonly host: string; readonly port: number; readonly portal: number },
): Promise<() => Promise<void>> {
  const { folder } = place;
  const { program, argv, around } = kinds[front];
  const config = `${folder}/${front}.conf`;
  const isThere = `[ -x ${program} ] || { echo "install it with:  apt-get install -y ${packages[front]}"; exit 1; }`;
  await place.sh(`cat >'${config}'\n${isThere}\nFOLDER='${folder}' HOST='${host}'\n${certificate}`, {
    input: around(await told(front, { host, port, portal, folder }), folder),
  });
  const pid = `${folder}/${front}.pid`;
  const child = place.start(['sh', '-c', `echo $$ >'${pid}'; exec "$@"`, 'sh', ...argv(config, folder)]);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-4_000)));
  await until(`${front} in front`, async () => {
    if (child.exitCode !== null) throw new Error(`${front} ended with ${child.exitCode}:\n${said}`);
    const tried = `curl -sk -o /dev/null --max-time 5 --connect-to '::127.0.0.1:${port}' https://${host}:${port}/`;
    return await place.sh(tried).then(
      () => true,
      () => false,
    );
  });
  return async () => {
    await place.sh(`kill $(cat '${pid}')`);
    await until(`${front} to end`, () => child.exitCode !== null || child.signalCode !== null);
  };
}
