/** A folder of documents with a mistake: one after the other, since a folder with one is not in force. Each is mended as the message says. */
import { until } from '../../journeys/until.ts';
import { apps, folder, state, type Site } from '../site.ts';
import type { Group, World } from '../world.ts';

const put =
  (file: string, text: string) =>
  async (site: Site): Promise<void> => {
    await site.writeText(file, text);
    await site.svc('apply');
  };
const drop = async (site: Site): Promise<void> => {
  await site.write('ruim');
  await site.svc('apply');
};

const document = (kind: string, name: string, spec: string): string =>
  `apiVersion: svc/v1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}\n`;
const person = (spec: string, name = 'nova'): string => document('Person', name, spec);
const nova = '{ nome: Nova, login: nova.login, server: sirius, account: livre }';
const good = person(nova);

/** `svc why` names the first place; the commands name all, and what may have been meant. */
const place = /the last good state stays in force: (?:ruim\.yaml|\/etc\/svc-portal\S*):\d+:\d+ [A-Z_]+ ./;

/** `mended`: what is written in its place; null: the file goes. */
function folderWorld(name: string, text: string, says: RegExp, mended: string | null, over: Partial<World> = {}): World {
  return {
    name,
    lane: 'folder',
    break: put('ruim', text),
    truth: { 'Portal/casa': { reason: 'Invalid', says: place, fix: /correct the place that the message names/ } },
    cli: { argv: ['apply'], says },
    plan: says,
    doctor: { desired: says },
    mend: mended === null ? drop : put('ruim', mended),
    healed: { 'Portal/casa': 'listening' },
    after: drop,
    ...over,
  };
}

const backend = (app: string, who: string): string => document('Backend', 'nova-x', `{ app: ${app}, pessoa: ${who}, estado: desligado }`);
const grant = (spec: string): string => document('Grant', 'atas', spec);

export const documentGroup: Group = {
  name: 'documents',
  servers: ['polar'],
  share: 3,
  worlds: [
    folderWorld('no YAML', 'apiVersion: svc/v1\nkind: Person\nmetadata: { name: nova\nspec: {}\n', /ruim\.yaml:\d+:\d+/, good),
    folderWorld('a tab in place of spaces', 'apiVersion: svc/v1\nkind: Person\nmetadata:\n\tname: nova\n', /ruim\.yaml:4:.*[Tt]ab/s, good),
    folderWorld(
      'a field that does not exist',
      person('{ nome: Nova, login: nova.login, server: sirius, acount: c19 }'),
      /ruim\.yaml:4.*acount.*did you mean "?account/s,
      good,
    ),
    folderWorld('a kind that does not exist', good.replace('Person', 'Persona'), /unknown kind.*did you mean "?Person/s, good),
    folderWorld('no apiVersion', good.replace('apiVersion: svc/v1\n', ''), /write apiVersion: svc\/v1/, good),
    folderWorld(
      'a lost ---',
      `${good}${person('{ nome: Outra, login: outra.login, server: sirius, account: livre2 }', 'outra')}`,
      /another document begins here: a line --- is missing before it/,
      `${good}---\n${person('{ nome: Outra, login: outra.login, server: sirius, account: livre2 }', 'outra')}`,
    ),
    folderWorld(
      'two of one name',
      person('{ nome: Ana, login: ana2, server: sirius, account: livre }', 'ana'),
      /DUPLICATE|already|two|twice/i,
      good,
    ),
    folderWorld(
      'two people of one account',
      person('{ nome: Nova, login: nova.login, server: sirius, account: ana }'),
      /account.*ana|ana.*account/,
      good,
    ),
    folderWorld('two people of one login', person('{ nome: Nova, login: ana.login, server: sirius, account: livre }'), /login/, good),
    folderWorld(
      'a server that does not exist',
      person('{ nome: Nova, login: nova.login, server: siriu, account: livre }'),
      /no Server is named "siriu".*did you mean "?sirius/s,
      good,
    ),
    folderWorld(
      'a person who does not exist',
      backend('notas', 'anna'),
      /no Person is named "anna".*did you mean "?ana/s,
      backend('notas', 'ana'),
    ),
    folderWorld(
      'a login in place of a name',
      backend('notas', 'ana.login'),
      /that is the login of ana; write "ana"/,
      backend('notas', 'ana'),
    ),
    folderWorld(
      'a room for a person who does not exist',
      grant('{ app: notas, sala: atas, dona: ana, pessoas: [{ usuario: bia, papel: ver }] }'),
      /no Person is named "bia"/,
      grant('{ app: notas, sala: atas, dona: ana, pessoas: [{ usuario: eva, papel: ver }] }'),
      {
        after: async (site) => {
          await site.write('ruim');
          await site.svc('apply', '--prune');
        },
      },
    ),
    folderWorld(
      'an account that can be none',
      person('{ nome: Nova, login: nova.login, server: sirius, account: "DOM\\\\ana" }'),
      /the name of a Linux account: letters, digits/,
      good,
    ),
    folderWorld(
      'a version that is a number',
      document('Package', 'numero', '{ app: notas, versao: 1.0, server: polar }'),
      /quote|text|string/i,
      null,
    ),
    {
      ...folderWorld('a file that the portal may not read', good, /ruim\.yaml.*this account may not read it/s, good),
      break: async (site) => {
        await put('ruim', good)(site);
        await site.portal.sh(`chmod 000 ${folder}/ruim.yaml`);
        await site.svc('apply');
      },
      mend: async (site) => {
        await site.portal.sh(`chmod 644 ${folder}/ruim.yaml`);
        await site.svc('apply');
      },
    },
    {
      ...folderWorld('a folder that the portal may not read', good, /svc-portal.*this account may not read it/s, good),
      break: async (site) => {
        await site.portal.sh(`chmod 700 ${folder}`);
        await site.svc('apply');
      },
      mend: async (site) => {
        await site.portal.sh(`chmod 755 ${folder}`);
        await site.svc('apply');
      },
    },
    {
      name: 'all of a kind is taken away',
      lane: 'folder',
      break: async (site) => {
        await put('salas', grant('{ app: notas, sala: planos, dona: ana, pessoas: [{ usuario: eva, papel: ver }] }'))(site);
        await site.write('salas');
        await site.svc('apply');
      },
      truth: {
        'Portal/casa': { reason: 'PendingPrune', says: /documents are gone/, fix: /svc plan shows them; (svc apply --prune) removes them/ },
      },
      cli: { argv: ['plan'], says: /Grant\/atas/ },
      mend: (site) => site.svc('apply', '--prune'),
      healed: { 'Portal/casa': 'listening', 'Grant/atas': 'gone' },
    },
    {
      name: 'the Portal document wants another address',
      lane: 'folder',
      break: async (site) => {
        await site.portal.sh(`sed -i 's/0.0.0.0:8787/0.0.0.0:8788/' ${folder}/portal.yaml`);
        await site.svc('apply');
      },
      truth: { 'Portal/casa': { reason: 'RestartNeeded', says: /listen/, fix: /restart the portal; apps go on meanwhile/ } },
      mend: (site) => site.restart(),
      healed: { 'Portal/casa': 'listening', 'Backend/lia/notas': 'running' },
      after: async (site) => {
        await site.portal.sh(`sed -i 's/0.0.0.0:8788/0.0.0.0:8787/' ${folder}/portal.yaml`);
        await site.restart();
      },
    },
    {
      name: 'the repository is gone',
      lane: 'folder',
      break: async (site) => {
        await site.portal.sh(`mv ${apps} /srv/antes`);
        await put(
          'tarde',
          document('Package', 'tarde', '{ app: notas, versao: 1.0.0, server: aqui, instalacao: sistema }').replace(
            'app: notas',
            'app: tarde',
          ),
        )(site);
        // It is read every few seconds.
        await until('that it is seen', async () => (await site.why('Package/tarde')).sentence.includes(apps));
      },
      truth: {
        'Package/tarde': { reason: 'RepositoryUnreadable', says: /\/srv\/apps/, fix: /mend what the message names: the repository,/ },
        'Package/notas-polar': { reason: 'Installed', fix: null },
      },
      mend: async (site) => {
        await site.portal.sh(`mv /srv/antes ${apps}`);
        await site.app('tarde');
      },
      healed: { 'Package/tarde': 'installed', 'Package/notas-polar': 'installed' },
    },
    {
      name: 'a cluster that does not answer',
      lane: 'folder',
      break: async (site) => {
        await site.portal.sh(`sed -i 's#/srv/apps }#/srv/apps, fila: {} }#' ${folder}/portal.yaml`);
        await put(
          'fila',
          document('Cluster', 'fila', `{ scheduler: { slurm: { server: polar } }, portal: "http://${site.portal.address}:8787" }`),
        )(site);
        // The queue is begun with the portal.
        await site.restart();
      },
      truth: { 'Cluster/fila': { reason: 'ClusterUnreachable', says: /squeue|sbatch|slurm/i, fix: /look at the cluster/ } },
      doctor: { clusters: /fila/ },
      mend: async (site) => {
        await site.write('fila');
        await site.portal.sh(`sed -i 's#, fila: {}##' ${folder}/portal.yaml`);
        await site.svc('apply', '--prune');
      },
      healed: { 'Cluster/fila': 'gone' },
    },
    {
      name: 'a cluster whose kubeconfig is not there',
      lane: 'folder',
      break: async (site) => {
        await site.portal.sh(`sed -i 's#/srv/apps }#/srv/apps, fila: {} }#' ${folder}/portal.yaml`);
        await put(
          'nuvem',
          document(
            'Cluster',
            'nuvem',
            `{ scheduler: { kubernetes: { namespace: svc, kubeconfig: { file: /etc/nada } } }, portal: "http://${site.portal.address}:8787" }`,
          ),
        )(site);
        await site.restart();
      },
      truth: { 'Cluster/nuvem': { reason: 'ClusterUnreachable', says: /the file \/etc\/nada can't be read/, fix: /look at the cluster/ } },
      doctor: { clusters: /nuvem/ },
      mend: async (site) => {
        await site.write('nuvem');
        await site.portal.sh(`sed -i 's#, fila: {}##' ${folder}/portal.yaml`);
        await site.svc('apply', '--prune');
      },
      healed: { 'Cluster/nuvem': 'gone' },
    },
    {
      name: 'a room for a group that nobody is in',
      lane: 'folder',
      break: put('sala', grant('{ app: notas, sala: vazia, dona: ana, grupos: [{ grupo: ninguem, papel: ver }] }')),
      truth: { 'Grant/atas': { reason: 'ReferenceMissing', says: /ninguem/, fix: /put somebody into the group/ } },
      mend: put('sala', grant('{ app: notas, sala: vazia, dona: ana, pessoas: [{ usuario: eva, papel: ver }] }')),
      healed: { 'Grant/atas': 'granted' },
      after: async (site) => {
        await site.write('sala');
        await site.svc('apply', '--prune');
      },
    },
    {
      name: 'the provider of the sign-in does not answer',
      lane: 'folder',
      break: async (site) => {
        await site.portal.sh(
          `sed -i 's#/srv/apps }#/srv/apps, signIn: { oidc: { issuer: "https://127.0.0.1:9/", clientId: svc, clientSecret: { file: oidc }, claim: email } } }#' ${folder}/portal.yaml; echo x >${state}/oidc; chown svc ${state}/oidc; chmod 600 ${state}/oidc`,
        );
        await site.svc('apply');
      },
      truth: { 'Portal/casa': { reason: 'Listening', fix: null } },
      doctor: { 'sign-in': /127\.0\.0\.1:9/ },
      mend: async (site) => {
        await site.portal.sh(`sed -i 's#, signIn: .* } }# }#' ${folder}/portal.yaml`);
        await site.svc('apply');
      },
      healed: { 'Portal/casa': 'listening' },
    },
    {
      name: 'the secret of the sign-in is not there',
      lane: 'folder',
      break: async (site) => {
        await site.portal.sh(
          `sed -i 's#/srv/apps }#/srv/apps, signIn: { oidc: { issuer: "https://127.0.0.1:9/", clientId: svc, clientSecret: { file: nenhum }, claim: email } } }#' ${folder}/portal.yaml`,
        );
        await site.svc('apply');
      },
      truth: { 'Portal/casa': { reason: 'Listening', fix: null } },
      doctor: { 'sign-in': /nenhum/ },
      mend: async (site) => {
        await site.portal.sh(`sed -i 's#, signIn: .* } }# }#' ${folder}/portal.yaml`);
        await site.svc('apply');
      },
      healed: { 'Portal/casa': 'listening' },
    },
    {
      name: 'the repository is a server that does not answer',
      lane: 'folder',
      break: async (site) => {
        await site.portal.sh(`sed -i 's#repository: /srv/apps#repository: "http://127.0.0.1:9"#' ${folder}/portal.yaml`);
        await put('rede', document('Package', 'rede', '{ app: rede, versao: 1.0.0, server: aqui }'))(site);
      },
      truth: {
        'Package/rede': {
          reason: 'RepositoryUnreadable',
          says: /127\.0\.0\.1:9 does not answer/,
          fix: /or repository in the Portal document/,
        },
      },
      plan: /RepositoryUnreadable/,
      mend: async (site) => {
        await site.app('rede');
        await site.portal.sh(`sed -i 's#repository: .http://127.0.0.1:9.#repository: /srv/apps#' ${folder}/portal.yaml`);
        await site.svc('apply');
      },
      healed: { 'Package/rede': 'installed', 'Package/notas-polar': 'installed' },
    },
    {
      name: 'a password is wanted where no server checks one',
      lane: 'folder',
      isLong: true,
      break: async (site) => {
        await site.portal.sh(`sed -i 's#/srv/apps }#/srv/apps, signIn: { ssh: {} } }#' ${folder}/portal.yaml`);
        for (const name of ['sirius', 'vega', 'polar'])
          await site
            .server(name)
            .sh(
              'printf "PasswordAuthentication no\\nKbdInteractiveAuthentication no\\n" >/etc/ssh/sshd_config.d/04-pw.conf; kill -HUP "$(cat /run/sshd.pid)"',
            );
        await site.svc('apply');
        // Each server is observed once a minute.
        await until('that it is seen', async () => (await site.doctor()).some(({ name, ok }) => name === 'sign-in' && !ok), 180_000);
      },
      truth: { 'Portal/casa': { reason: 'Listening', fix: null } },
      doctor: { 'sign-in': /no server checks passwords.*PasswordAuthentication yes in the sshd_config/ },
      mend: async (site) => {
        for (const name of ['sirius', 'vega', 'polar'])
          await site.server(name).sh('rm /etc/ssh/sshd_config.d/04-pw.conf; kill -HUP "$(cat /run/sshd.pid)"');
        await site.portal.sh(`sed -i 's#, signIn: .* } }# }#' ${folder}/portal.yaml`);
        await site.svc('apply');
      },
      healed: { 'Portal/casa': 'listening' },
    },
    {
      name: 'the key of the portal may not be read',
      lane: 'folder',
      break: async (site) => {
        await site.portal.sh(`chown root ${state}/ssh/id_ed25519`);
        await site.restart();
      },
      truth: { 'Server/polar': { reason: 'KeyUnreadable', says: /id_ed25519/, fix: /mend what the message names/ } },
      mend: (site) => site.portal.sh(`chown svc ${state}/ssh/id_ed25519`),
      healed: { 'Server/polar': 'ready', 'Backend/rui/notas': 'running' },
    },
  ],
};
