/** Apps that do not do what an app has to do. All of ana, pinned on; each is mended by a next version, unless the fix says something else. */
import { until } from '../../journeys/until.ts';
import { goodBackend, type Site } from '../site.ts';
import type { Group, Truth, World } from '../world.ts';

export const documents = (id: string, versao = '1.0.0', more = ''): readonly string[] => [
  `kind: Package\nmetadata: { name: ${id} }\nspec: { app: ${id}, versao: ${versao}, server: sirius${more} }`,
  `kind: Backend\nmetadata: { name: ana-${id} }\nspec: { app: ${id}, pessoa: ana, estado: ligado }`,
];

interface Broken {
  readonly id: string;
  readonly manifest?: object;
  readonly files?: Readonly<Record<string, string>>;
}

const publish = async (site: Site, { id, manifest, files }: Broken, version = '1.0.0'): Promise<void> => {
  await site.app(id, { ...manifest, version }, files);
  await site.write(id, ...documents(id, version));
  await site.svc('apply');
  // Every package of the server has its turn.
  await until(
    `Package/${id}`,
    async () => ['installed', 'failed', 'missing'].includes((await site.objects()).get(`Package/${id}`)?.state ?? ''),
    240_000,
  );
};

/** The fix of an author who read the error. */
const nextVersion =
  (id: string, manifest: object = {}) =>
  (site: Site): Promise<void> =>
    publish(site, { id, manifest }, '1.0.1');

const backend = (id: string): string => `Backend/ana/${id}`;

function app(name: string, broken: Broken, truth: Truth, over: Partial<World> = {}): World {
  const { id } = broken;
  return {
    name,
    break: (site) => publish(site, broken),
    truth: { [backend(id)]: truth },
    mend: nextVersion(id),
    healed: { [backend(id)]: 'running' },
    ...over,
  };
}

const main = (text: string): Readonly<Record<string, string>> => ({ 'main.py': text });
const serve = (body: string): string => `import http.server, os, socket, socketserver
class H(http.server.BaseHTTPRequestHandler):
    def address_string(self): return 'unix'
    def log_message(self, *a): pass
    def do_GET(self):
        ${body}
class S(socketserver.ThreadingUnixStreamServer):
    pass
S(os.environ['SVC_APP_SOCKET'], H).serve_forever()
`;
const logs = /svc logs ana\/(\S+)/;

const running: Group = {
  name: 'apps that do not run',
  servers: ['sirius'],
  share: 4,
  worlds: [
    app(
      'ends at once',
      { id: 'acaba', files: main('import sys\nprint("falta config.ini")\nsys.exit(3)\n') },
      { reason: 'ExitedAtOnce', says: /ended right after it began.*3/, fix: logs },
    ),
    app(
      'ends again and again',
      { id: 'teima', files: main('import sys\nsys.exit(3)\n') },
      { state: 'failed', reason: 'ExitedAtOnce', says: /restarted 4 times/, fix: /svc logs ana\/teima/ },
    ),
    app(
      'dies after it was ready',
      {
        id: 'morre',
        files: main(
          serve(
            "import threading; self.send_response(200); self.end_headers(); self.wfile.write(b'ok'); self.wfile.flush(); threading.Timer(1, lambda: os._exit(9)).start()",
          ),
        ),
      },
      { reason: 'Crashed', says: /its process died.*9/, fix: logs },
    ),
    app(
      'never opens its socket',
      { id: 'mudo', files: main('import time\ntime.sleep(3600)\n') },
      { reason: 'NeverBound', says: /without binding the socket/, fix: /bind SVC_APP_SOCKET/ },
    ),
    app(
      'binds TCP',
      {
        id: 'porta',
        files: main('import http.server\nhttp.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler).serve_forever()\n'),
      },
      { reason: 'BoundTcp', says: /TCP port/, fix: /bind SVC_APP_SOCKET/ },
    ),
    app(
      'answers 500',
      { id: 'erro', files: main(serve('self.send_response(500); self.end_headers()')) },
      { reason: 'AnswersError', says: /500/, fix: /svc logs ana\/erro.*healthcheckPath/ },
    ),
    app(
      'answers 401 to its probe',
      { id: 'nega', files: main(serve('self.send_response(401); self.end_headers()')) },
      { reason: 'AnswersError', says: /401/, fix: /svc logs ana\/nega.*healthcheckPath/ },
    ),
    app(
      'goes to the background',
      { id: 'fundo', files: main(`import os, sys\nif os.fork() > 0: sys.exit(0)\nos.setsid()\n${goodBackend}`) },
      { reason: /ExitedAtOnce|SocketRefused/, says: /background/, fix: /stay and serve/ },
    ),
    app(
      'its entrypoint is no program',
      { id: 'script', manifest: { backend: { runtime: 'binary', entrypoint: 'run' } }, files: { run: 'nada-disso' } },
      { reason: 'ExitedAtOnce', says: /127/, fix: logs },
    ),
    app(
      'its #! names nothing',
      { id: 'cabeca', manifest: { backend: { runtime: 'binary', entrypoint: 'run' } }, files: { run: '#!/opt/nada/perl\n' } },
      { reason: 'RuntimeMissing', says: /\/opt\/nada\/perl, which is not on this server/, fix: /mend the entrypoint/ },
    ),
    app(
      'its installCommand fails',
      { id: 'prepara', manifest: { backend: { installCommand: 'echo falta libx; exit 4' } } },
      { reason: 'PackageMissing', fix: /svc why Package\/prepara/ },
      {
        truth: {
          'Package/prepara': { reason: 'InstallCommandFailed', says: /4/, fix: /publish a version that mends it/ },
          'Backend/ana/prepara': { reason: 'NotInstalled', fix: /svc why Package\/prepara/ },
        },
        plan: /the last attempt failed|InstallCommandFailed/,
      },
    ),
    app(
      'needs a GPU',
      { id: 'placa', manifest: { recursos: { gpu: { modo: 'necessaria' } } } },
      { reason: 'NoGpu', says: /GPU/, fix: /server with a GPU/ },
      { mend: nextVersion('placa', { recursos: { gpu: { modo: 'opcional' } } }) },
    ),
    app(
      'lacks a secret',
      { id: 'chave', manifest: { secrets: [{ name: 'API_KEY', required: true }] } },
      { reason: 'Healthy', says: /lacks secrets.*API_KEY/, fix: /(svc secret set ana\/chave API_KEY)/ },
      {
        mend: async (site, [, line = '']) => {
          await site.portal.sh(`printf segredo | ${line} --state /var/lib/svc/state`, { as: 'svc' });
          const { fix } = await site.why('Backend/ana/chave');
          const again = /svc restart ana\/chave/.exec(fix ?? '')?.[0];
          if (again === undefined) throw new Error(`what comes after the secret: ${fix}`);
          await site.svc('restart', 'ana/chave');
          const after = await site.why('Backend/ana/chave');
          if (/lacks|other secrets/.test(after.sentence)) throw new Error(after.sentence);
        },
      },
    ),
  ],
};

/** Makes a world of a running app that somebody harms on its server. */
function hurt(name: string, id: string, script: string, truth: Truth, over: Partial<World> = {}): World {
  return app(name, { id }, truth, {
    break: async (site) => {
      await publish(site, { id });
      await runs(site, id);
      await site.server('sirius').sh(`cd /home/ana/.svc-apps/${id}; ${script}`);
    },
    ...over,
  });
}

const runs = async (site: Site, id: string): Promise<unknown> =>
  await until(`${id} to run`, async () => (await site.objects()).get(backend(id))?.state === 'running', 120_000);

const onSirius =
  (line: (id: string) => string) =>
  async (site: Site, match: readonly string[]): Promise<void> => {
    await site.server('sirius').sh(line(match[1] ?? ''));
  };
const start =
  (id: string) =>
  async (site: Site): Promise<unknown> =>
    await site.svc('start', `ana/${id}`);

const hurts: Group = {
  name: 'apps that are hurt on their server',
  servers: ['sirius'],
  share: 3,
  worlds: [
    hurt(
      'its process is stopped by a signal',
      'parado',
      'kill -STOP $(head -n 1 run.pid | grep -o ^[0-9]*)',
      { reason: 'Suspended', says: /stopped by a signal/, fix: /(kill -CONT \d+)/ },
      { mend: onSirius((line) => line) },
    ),
    hurt(
      'its env file is deleted',
      'desejo',
      'rm env',
      { reason: 'PinnedRunning', fix: null },
      { truth: { 'Backend/ana/desejo': { reason: 'Healthy', fix: null } } },
    ),
    hurt('its env file is damaged', 'ambiente', 'printf "\\0\\0x=1" >env; kill $(head -n 1 run.pid | grep -o ^[0-9]*)', {
      reason: 'Healthy',
      fix: undefined,
    }),
    hurt('its env file is readable by all', 'aberto', 'chmod 644 env; kill $(head -n 1 run.pid | grep -o ^[0-9]*)', {
      reason: 'Healthy',
      fix: undefined,
    }),
    hurt(
      'its secrets are no JSON',
      'cofre',
      "echo '{' >secrets.json; chmod 600 secrets.json; chown ana secrets.json; kill $(head -n 1 run.pid | grep -o ^[0-9]*)",
      { reason: 'InvalidEnvironment', says: /secrets\.json/, fix: /mend the file/ },
      {
        mend: async (site) => {
          await site.server('sirius').sh("echo '{}' >/home/ana/.svc-apps/cofre/secrets.json");
        },
      },
    ),
    hurt(
      'its secrets are readable by all',
      'vitrine',
      "echo '{}' >secrets.json; chmod 644 secrets.json; chown ana secrets.json; kill $(head -n 1 run.pid | grep -o ^[0-9]*)",
      { reason: 'InvalidEnvironment', says: /others may read or write it \(mode 644\); make it 600/, fix: /mend the file/ },
      {
        mend: async (site) => {
          await site.server('sirius').sh('chmod 600 /home/ana/.svc-apps/vitrine/secrets.json');
        },
      },
    ),
    hurt(
      'a folder is at its socket',
      'lugar',
      'kill $(head -n 1 run.pid | grep -o ^[0-9]*); rm -f app.sock; mkdir -p app.sock/x',
      { reason: 'SocketRefused', says: /app\.sock/, fix: /move away what the message names; then svc start ana\/lugar/ },
      {
        mend: async (site) => {
          await site.server('sirius').sh('mv /home/ana/.svc-apps/lugar/app.sock /home/ana/lugar-antes');
          await site.svc('start', 'ana/lugar');
        },
      },
    ),
    hurt('its socket is deleted', 'sumiu', 'rm app.sock', { reason: 'Healthy', fix: null }),
    hurt(
      'its package is deleted',
      'apagado',
      'rm -rf /opt/svc-apps/apagado',
      { reason: 'Healthy', fix: null },
      {
        truth: { 'Package/apagado': { reason: 'Installed', fix: null } },
        healed: { 'Package/apagado': 'installed', 'Backend/ana/apagado': 'running' },
      },
    ),
    hurt(
      'its manifest is changed',
      'mexido',
      'echo "{" >/opt/svc-apps/mexido/svc-app.json',
      { reason: 'Healthy', fix: null },
      {
        truth: { 'Package/mexido': { reason: 'Installed', fix: null } },
        healed: { 'Package/mexido': 'installed', 'Backend/ana/mexido': 'running' },
      },
    ),
    hurt(
      'its folder is no longer its own',
      'alheio',
      'kill $(head -n 1 run.pid | grep -o ^[0-9]*); chown -R root:root . && chmod 700 .',
      { reason: 'FilesUnreadable', says: /svc-apps\/alheio/, fix: /mend what the message names/ },
      {
        mend: async (site) => {
          await site.server('sirius').sh('chown -R ana:ana /home/ana/.svc-apps/alheio');
        },
      },
    ),
  ],
};

const python: Group = {
  name: 'python is away',
  servers: ['sirius'],
  share: 1,
  worlds: [
    app(
      'python3 is not on the server',
      { id: 'cobra' },
      { reason: 'RuntimeMissing', says: /python3/, fix: /install what the message names on \S+ .*python3.*svc start ana\/cobra/ },
      {
        break: async (site) => {
          await site.server('sirius').sh('for f in /usr/bin/python3*; do mv $f /root/; done');
          await publish(site, { id: 'cobra' });
        },
        mend: async (site) => {
          await site.server('sirius').sh('mv /root/python3* /usr/bin/');
          await start('cobra')(site);
        },
      },
    ),
  ],
};

export const appGroups: readonly Group[] = [running, hurts, python];
