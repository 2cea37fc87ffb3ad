/** Packages that can't be installed, on polar; each is mended in the repository or in its document. */
import { until } from '../../journeys/until.ts';
import { apps, type Site } from '../site.ts';
import type { Group, Truth, World } from '../world.ts';

const wanted = (id: string, versao: string, more = ''): string =>
  `kind: Package\nmetadata: { name: ${id} }\nspec: { app: ${id}, versao: ${versao}, server: polar${more} }`;
const want = async (site: Site, id: string, versao = '1.0.0', more = ''): Promise<void> => {
  await site.write(id, wanted(id, versao, more));
  await site.svc('apply');
};

function packaged(name: string, id: string, manifest: object, truth: Truth, mend: World['mend'], over: Partial<World> = {}): World {
  return {
    name,
    break: async (site) => {
      await site.app(id, manifest);
      await want(site, id);
    },
    truth: { [`Package/${id}`]: truth },
    plan: /./,
    mend,
    healed: { [`Package/${id}`]: 'installed' },
    ...over,
  };
}

const missing = (says: RegExp): Truth => ({
  reason: 'SourceMissing',
  says,
  fix: /put it into the repository or correct versao/,
});
const refused = (says: RegExp): Truth => ({ reason: 'SourceRefused', says, fix: /mend in the repository what the message names/ });

export const packageGroup: Group = {
  name: 'packages',
  servers: ['polar'],
  share: 6,
  worlds: [
    packaged(
      'a version that is not there',
      'velho',
      {},
      missing(/version 9\.9\.9 is wanted and the repository holds version 1\.0\.0/),
      (site) => site.app('velho', { version: '9.9.9' }),
      {
        break: async (site) => {
          await site.app('velho');
          await want(site, 'velho', '9.9.9');
        },
      },
    ),
    packaged('an app that is not there', 'ausente', {}, missing(/holds nothing of it/), (site) => site.app('ausente'), {
      break: (site) => want(site, 'ausente'),
    }),
    packaged('its manifest is no JSON', 'torto', {}, refused(/svc-app\.json/), (site) => site.app('torto'), {
      break: async (site) => {
        await site.app('torto');
        await site.portal.sh(`echo '{' >${apps}/torto/svc-app.json`);
        await want(site, 'torto');
      },
    }),
    packaged('its manifest has a field too many', 'demais', { cor: 'azul' }, refused(/svc-app\.json:1:\d+ UNKNOWN_FIELD.*cor/), (site) =>
      site.app('demais'),
    ),
    packaged(
      'its entrypoint is not in it',
      'oco',
      { backend: { entrypoint: 'nada.py' } },
      { reason: 'InstallFailed', says: /the entrypoint nada\.py is missing/, fix: /mend what the message names/ },
      (site) => site.app('oco'),
    ),
    packaged(
      'somebody went back to the version before',
      'voltou',
      {},
      { reason: 'RolledBack', says: /1\.0\.1 is wanted and was rolled back to 1\.0\.0/, fix: /(svc rollback voltou --undo)/ },
      (site, [line = '']) => site.svc(...line.split(' ').slice(1, 4)),
      {
        break: async (site) => {
          for (const version of ['1.0.0', '1.0.1']) {
            await site.app('voltou', { version });
            await want(site, 'voltou', version);
            const isThere = async (): Promise<boolean> => (await site.objects()).get('Package/voltou')?.message === `version ${version}`;
            await until(`voltou ${version}`, isThere, 240_000);
          }
          await site.svc('rollback', 'voltou');
        },
        plan: null,
      },
    ),
    packaged(
      'its files may not be read',
      'fechado',
      {},
      refused(/fechado.*(can't be read|EACCES|permission)/i),
      (site) => site.portal.sh(`chmod 755 ${apps}/fechado`),
      {
        break: async (site) => {
          await site.app('fechado');
          await site.portal.sh(`chmod 000 ${apps}/fechado`);
          await want(site, 'fechado');
        },
      },
    ),
    packaged(
      'a capability that nobody offers',
      'pede',
      { requires: ['texto/v1'] },
      { reason: 'CapabilityMissing', says: /texto\/v1/, fix: /install the app/ },
      async (site) => {
        await site.app('oferece', { provides: ['texto/v1'], capacidades: { 'texto/v1': { rota: '/texto', rotulo: 'Texto' } } });
        await want(site, 'oferece');
      },
    ),
    packaged(
      'a Linux package that is not there',
      'precisa',
      { requiredPackages: ['svc-mundo-nada'] },
      {
        reason: 'PackageMissing',
        says: /svc-mundo-nada/,
        fix: /types the line that the message names|(apt-get install -y svc-mundo-nada)/,
      },
      async (site) => {
        // The machine has no network: the package is made there.
        await site.server('polar').sh(
          `mkdir -p /tmp/p/DEBIAN; printf 'Package: svc-mundo-nada\\nVersion: 1\\nArchitecture: all\\nMaintainer: x <x@x>\\nDescription: x\\n' >/tmp/p/DEBIAN/control
         dpkg-deb -b /tmp/p /tmp/p.deb >/dev/null; dpkg -i /tmp/p.deb`,
        );
      },
    ),
    packaged(
      'a shell that is too old',
      'futuro',
      { minShellVersion: '99' },
      { reason: 'ShellTooOld', says: /99/, fix: /update svc, or ask for an older versao/ },
      async (site) => {
        await site.app('futuro', { version: '0.9.0' });
        await want(site, 'futuro', '0.9.0');
      },
    ),
    packaged(
      'a scope that it does not have',
      'escopo',
      {},
      { reason: 'ScopeRefused', says: /pessoa|sistema/, fix: /change instalacao/ },
      (site) => want(site, 'escopo'),
      {
        break: async (site) => {
          await site.app('escopo');
          await want(site, 'escopo', '1.0.0', ', instalacao: pessoa, pessoa: rui');
        },
      },
    ),
    packaged(
      'an engine that nobody offers',
      'motorista',
      {},
      // Between two attempts, or in the middle of one: what the one before said stays.
      { reason: /InstallFailed|Installing/, says: /127\.0\.0\.1:9\/motor-x\.tar\.gz.*ECONNREFUSED/, fix: undefined },
      async (site) => {
        await site.app('motorista', { version: '1.0.1' });
        await want(site, 'motorista', '1.0.1');
      },
      {
        break: async (site) => {
          const url = 'http://127.0.0.1:9/motor-x.tar.gz';
          await site.app('motorista', { motores: [{ nome: 'motor-x', versao: '1.0', url, sha256: '0'.repeat(64), tamanho: 1000 }] });
          await want(site, 'motorista');
          await until('what is said of it', async () => (await site.why('Package/motorista')).sentence.includes('ECONNREFUSED'), 240_000);
        },
      },
    ),
    packaged(
      'its source changed under the same version',
      'mudado',
      {},
      { reason: 'Installed', says: /other files|holds now under the same version/, fix: /raise "version" in (\S+)/ },
      async (site) => {
        await site.app('mudado', { version: '1.0.1' }, { 'novo.txt': 'x' });
        await want(site, 'mudado', '1.0.1');
      },
      {
        break: async (site) => {
          await site.app('mudado');
          await want(site, 'mudado');
          await until('mudado', async () => (await site.objects()).get('Package/mudado')?.state === 'installed', 240_000);
          await site.portal.sh(`echo x >${apps}/mudado/novo.txt`);
          await until('what is said of it', async () => ((await site.why('Package/mudado')).fix ?? '').includes('raise'));
        },
      },
    ),
    packaged(
      'a file is where its versions go on the server',
      'tomado',
      {},
      { reason: 'InstallFailed', says: /\/opt\/svc-apps\/\.versions\/tomado/, fix: /mend what the message names/ },
      (site) => site.server('polar').sh('rm /opt/svc-apps/.versions/tomado'),
      {
        break: async (site) => {
          await site.server('polar').sh('mkdir -p /opt/svc-apps/.versions; touch /opt/svc-apps/.versions/tomado');
          await site.app('tomado');
          await want(site, 'tomado');
        },
      },
    ),
    packaged(
      'it is for everybody, and the machine has no systemd',
      'todos',
      { kind: 'service', escopo: 'servidor' },
      { reason: 'ScopeRefused', says: /systemd, which does not run here/, fix: /change instalacao, or server/ },
      async (site) => {
        await site.app('todos', { version: '1.0.1' });
        await want(site, 'todos', '1.0.1');
      },
    ),
    packaged(
      'only root installs here: in a folder of its own',
      'pasta',
      {},
      {
        reason: 'ScopeRefused',
        says: /or local: (\{ prefix: ali \}) in the Server document/,
        fix: /change instalacao, or server, .* as the message says/,
      },
      async (site) => {
        await site.write(
          'pasta',
          wanted('pasta', '1.0.0').replace('polar', 'ali'),
          'kind: Server\nmetadata: { name: ali }\nspec: { local: { prefix: ali } }',
        );
        await site.svc('apply');
      },
      {
        break: async (site) => {
          await site.app('pasta');
          await site.write(
            'pasta',
            wanted('pasta', '1.0.0').replace('polar', 'ali'),
            'kind: Server\nmetadata: { name: ali }\nspec: { local: {} }',
          );
          await site.svc('apply');
        },
      },
    ),
    packaged(
      'the folder for everybody belongs to another account',
      'alheia',
      {},
      {
        reason: 'InstallFailed',
        says: /\/srv\/alheia belongs to the uid 0, and the portal runs as the uid \d+: chown -R \d+ \/srv\/alheia/,
        fix: /mend what the message names/,
      },
      (site) => site.portal.sh('chown -R svc /srv/alheia'),
      {
        break: async (site) => {
          await site.portal.sh('mkdir -p /srv/alheia/home; chown svc /srv/alheia/home');
          await site.app('alheia');
          await site.write(
            'alheia',
            wanted('alheia', '1.0.0').replace('polar', 'alem'),
            'kind: Server\nmetadata: { name: alem }\nspec: { local: { prefix: /srv/alheia } }',
          );
          await site.svc('apply');
        },
      },
    ),
    packaged(
      'the folder for everybody can not be made',
      'fundo',
      {},
      {
        reason: 'InstallFailed',
        says: /\/srv\/fundo\/ali can't be made: .*install -d -o \d+ \/srv\/fundo\/ali/,
        fix: /mend what the message names/,
      },
      (site) => site.portal.sh('install -d -o svc /srv/fundo/ali'),
      {
        break: async (site) => {
          await site.portal.sh('mkdir -p /srv/fundo');
          await site.app('fundo');
          await site.write(
            'fundo',
            wanted('fundo', '1.0.0').replace('polar', 'longe'),
            'kind: Server\nmetadata: { name: longe }\nspec: { local: { prefix: /srv/fundo/ali } }',
          );
          await site.svc('apply');
        },
      },
    ),
    packaged(
      'only root installs here',
      'local',
      {},
      { reason: 'ScopeRefused', says: /say instalacao: pessoa, and for whom/, fix: /change instalacao.* as the message says/ },
      async (site) => {
        await site.app('local', { version: '1.0.1', instalacao: ['pessoa'] });
        await site.write(
          'local',
          `kind: Package\nmetadata: { name: local }\nspec: { app: local, versao: 1.0.1, server: la, instalacao: pessoa, pessoa: leo }`,
          ...la,
        );
      },
      {
        break: async (site) => {
          await site.app('local');
          await site.write('local', wanted('local', '1.0.0').replace('polar', 'la'), ...la);
          await site.svc('apply');
        },
      },
    ),
  ],
};

/** The machine of the portal without a folder of its own for apps. */
const la = [
  'kind: Server\nmetadata: { name: la }\nspec: { local: {} }',
  'kind: Person\nmetadata: { name: leo }\nspec: { nome: Leo, login: leo, server: la }',
];
