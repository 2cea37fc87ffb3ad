/** Refusals of the commands, portals of their own that do not start among it: each mended as the error says. */
import { until } from '../../journeys/until.ts';
import { folder, state, type Site } from '../site.ts';
import type { Group, World } from '../world.ts';

const other = '/etc/outro';
/** A portal beside the site's, of which a test asks whether it comes up. */
const up = (name: string, listen = '127.0.0.1:8799', dir = other): readonly string[] => [
  'up',
  dir,
  '--state',
  `/srv/estado/${name}`,
  '--listen',
  listen,
  '--no-link',
];

async function comesUp(site: Site, argv: readonly string[]): Promise<void> {
  const child = site.portal.start(['svc', ...argv], { as: 'svc' });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const look = (): string | false => (/listening on|open http/.test(said) ? 'yes' : child.exitCode !== null && 'no');
  const isUp = await until(`svc ${argv.join(' ')}`, look, 120_000);
  if (isUp === 'no') throw new Error(`svc ${argv.join(' ')} does not come up: ${said}`);
  await site.portal.sh(`kill "$(cat '${argv[argv.indexOf('--state') + 1]}/pid')"`);
}

const prepare = async (site: Site, script = ''): Promise<void> => {
  await site.portal.sh(`mkdir -p ${other} /srv/estado; chown svc /srv/estado
    printf 'apiVersion: svc/v1\\nkind: Portal\\nmetadata: { name: outro }\\nspec: {}\\n' >${other}/portal.yaml
    ${script}`);
};

/** A portal that is started on a state of its own: `before` as root. */
function start(
  name: string,
  id: string,
  before: string,
  says: RegExp,
  mend: (site: Site, fix: readonly string[]) => Promise<unknown>,
  argv = up(id),
): World {
  return { name, lane: 'up', break: (site) => prepare(site, before), truth: {}, cli: { argv, says }, mend, healed: {} };
}
const as =
  (script: (line: string) => string, argv: readonly string[]) =>
  async (site: Site, [, line = '']: readonly string[]): Promise<void> => {
    await site.portal.sh(script(line));
    await comesUp(site, argv);
  };

const ups: readonly World[] = [
  start(
    'another program has the port',
    'porta',
    '',
    /another program listens there; give --listen another address/,
    (site) => comesUp(site, up('porta')),
    up('porta', '0.0.0.0:8787'),
  ),
  start(
    'the port needs root',
    'raiz',
    '',
    /port 80 takes root, or CAP_NET_BIND_SERVICE.*; give --listen another address/,
    (site) => comesUp(site, up('raiz')),
    up('raiz', '127.0.0.1:80'),
  ),
  start(
    'the address is of another machine',
    'longe',
    '',
    /it is no address of this machine; give --listen another address/,
    (site) => comesUp(site, up('longe')),
    up('longe', '203.0.113.9:8799'),
  ),
  start(
    'the folder of documents is not there',
    'nada',
    '',
    /\/etc\/nada/,
    (site) => comesUp(site, up('nada')),
    up('nada', '127.0.0.1:8799', '/etc/nada'),
  ),
  start(
    'the state folder may not be made',
    'fechado',
    'mkdir -p /srv/estado/fechado; chmod 755 /srv/estado/fechado; chown root /srv/estado/fechado',
    /the state folder \/srv\/estado\/fechado\/s can't be made: \/srv\/estado\/fechado can't be written to by svc; make the folder for svc/,
    as(
      () => 'install -d -o svc /srv/estado/fechado/s',
      ['up', other, '--state', '/srv/estado/fechado/s', '--listen', '127.0.0.1:8799', '--no-link'],
    ),
    ['up', other, '--state', '/srv/estado/fechado/s', '--listen', '127.0.0.1:8799', '--no-link'],
  ),
  start(
    'the state folder is of another account',
    'alheio',
    'mkdir -p /srv/estado/alheio; chmod 777 /srv/estado/alheio',
    /belongs to another account: (chown -R svc \/srv\/estado\/alheio),/,
    as((line) => line, up('alheio')),
  ),
  start(
    'the state folder is read-only',
    'lido',
    'mkdir -p /srv/estado/lido; mount -t tmpfs -o ro,uid=$(id -u svc),mode=700 tmpfs /srv/estado/lido',
    /read-only file system|EROFS/,
    as(() => 'mount -o remount,rw /srv/estado/lido', up('lido')),
  ),
  start(
    'the database is damaged',
    'podre',
    'install -d -m 700 -o svc /srv/estado/podre; head -c 8192 /dev/urandom >/srv/estado/podre/svc.db; chown svc /srv/estado/podre/svc.db',
    /it is damaged: .*(mv (\S+) \S+\.damaged; rm -f \S+-wal \S+-shm)/,
    as((line) => line, up('podre')),
  ),
  start(
    'the state folder is full',
    'cheio',
    'mkdir -p /srv/estado/cheio; mount -t tmpfs -o size=64k,uid=$(id -u svc),mode=700 tmpfs /srv/estado/cheio; head -c 64k /dev/zero >/srv/estado/cheio/lixo || true',
    /DISK_FULL no space left/,
    as(() => 'rm /srv/estado/cheio/lixo; mount -o remount,size=64m /srv/estado/cheio', up('cheio')),
  ),
  start(
    'its documents have a mistake',
    'errado',
    'mkdir -p /etc/errado; echo "apiVersion: svc/v1\nkind: Portal\nmetadata: { name: outro }\nspec: { lisen: x }" >/etc/errado/portal.yaml',
    /portal\.yaml:4:.*did you mean "?listen/s,
    as(() => 'sed -i "s#lisen: x#listen: \\"127.0.0.1:8799\\"#" /etc/errado/portal.yaml', up('errado', '127.0.0.1:8799', '/etc/errado')),
    up('errado', '127.0.0.1:8799', '/etc/errado'),
  ),
  start(
    'its store does not answer',
    'banco',
    'mkdir -p /etc/banco; echo "apiVersion: svc/v1\nkind: Portal\nmetadata: { name: outro }\nspec: { store: \\"postgres://svc@127.0.0.1:9/svc\\" }" >/etc/banco/portal.yaml',
    /can't be opened: connect ECONNREFUSED 127\.0\.0\.1:9\. Check that the server runs/,
    as(() => 'cp /etc/outro/portal.yaml /etc/banco/', up('banco', '127.0.0.1:8799', '/etc/banco')),
    up('banco', '127.0.0.1:8799', '/etc/banco'),
  ),
  start(
    'its address is https and it has no certificate',
    'https',
    'mkdir -p /etc/https; echo "apiVersion: svc/v1\nkind: Portal\nmetadata: { name: outro }\nspec: { url: \\"http://casa.example\\", origins: subdomain }" >/etc/https/portal.yaml',
    /INSECURE_ADDRESS .*"origins: path" when every app is trusted/,
    as(() => 'sed -i s/subdomain/path/ /etc/https/portal.yaml', up('https', '127.0.0.1:8799', '/etc/https')),
    up('https', '127.0.0.1:8799', '/etc/https'),
  ),
  start('another portal has the state', 'mesmo', '', /STATE_IN_USE/, (site) => comesUp(site, up('mesmo')), [
    'up',
    other,
    '--state',
    state,
    '--listen',
    '127.0.0.1:8799',
    '--no-link',
  ]),
];

/** A command that is given the right word then. */
function said(
  name: string,
  argv: readonly string[],
  says: RegExp,
  right: (fix: readonly string[]) => readonly string[],
  before: World['break'] = async () => undefined,
): World {
  return {
    name,
    break: before,
    truth: {},
    cli: { argv, says },
    mend: async (site, fix) => {
      const words = right(fix);
      const { code, out, err } = await site.svc(...words);
      if (code !== 0) throw new Error(`svc ${words.join(' ')}: ${out}${err}`);
    },
    healed: {},
  };
}

export const commandGroup: Group = {
  name: 'commands',
  servers: ['vega'],
  share: 8,
  worlds: [
    ...ups,
    said(
      'no portal runs there',
      ['get', '--state', '/srv/nenhum'],
      /no portal answers on \/srv\/nenhum\/svc\.sock; start one with: svc up DIR --state \/srv\/nenhum/,
      () => ['get'],
    ),
    said('a bare name', ['why', 'ana'], /did you mean .*(Person\/ana)/, ([, key = '']) => ['why', key]),
    said('a kind that does not exist', ['why', 'Pessoa/ana'], /no object Backend\/Pessoa\/ana; svc get lists them/, () => ['get']),
    said('an object that does not exist', ['why', 'Server/siriu'], /Server\/siriu/, () => ['why', 'Server/sirius']),
    said('a link for a login', ['link', 'ana.login'], /ana\.login is the login of (ana)/, ([, name = '']) => ['link', name]),
    said('an app that is not there', ['start', 'lia/nada'], /nada/, () => ['start', 'lia/notas']),
    said(
      'a server that is this machine',
      ['doctor', '--server', 'aqui'],
      /aqui is this machine: svc doctor without --server looks at it/,
      () => ['get', 'Server/aqui'],
    ),
    said('a server that does not exist', ['server', 'add', 'nenhum'], /nenhum/, () => ['server', 'add', 'vega']),
    said('an option that does not exist', ['get', '--wid'], /unknown option '--wid'/, () => ['get', '-o', 'wide']),
    said('a command that does not exist', ['gett'], /did you mean get/i, () => ['get']),
    said(
      'the log of an app that never ran',
      ['logs', 'ana/notas'],
      /app notas is not installed for ana|none of their apps was started: notas has no log/,
      () => ['get'],
    ),
    said('a package that has no version before', ['rollback', 'notas-aqui'], /notas: no version before 1\.0\.0 is known/, () => ['get']),
    said(
      'a server that stands in a document',
      ['server', 'forget', 'vega'],
      /Server\/vega is wanted \(vega\.yaml:\d+\): remove its document/,
      () => ['get'],
    ),
    said('a job that does not exist', ['jobs', 'cancel', '999'], /"999" is no job: expected its id; svc jobs get lists them/, () => [
      'get',
    ]),
    said('sessions of nobody', ['sessions', 'ninguem'], /ninguem/, () => ['sessions', 'ana']),
    said('a link for nobody', ['link', 'annna'], /annna/, () => ['link', 'ana']),
    said('a folder that is not there', ['plan', '/etc/nada'], /\/etc\/nada/, () => ['get']),
    said('a kind that is misspelled', ['get', 'severs'], /no object severs; did you mean "servers"/, () => ['get', 'servers']),
    said('an app of a person who is not there', ['start', 'anna/notas'], /anna/, () => ['start', 'lia/notas']),
    said('a file that is not there', ['validate', `${folder}/nada.yaml`], /nada\.yaml/, () => [
      'validate',
      `${folder}/people.yaml`,
      `${folder}/sirius.yaml`,
      `${folder}/vega.yaml`,
      `${folder}/polar.yaml`,
      `${folder}/aqui.yaml`,
    ]),
  ],
};
