/** Jobs of the queue on the portal's own machine that do not come to a good end, each of an app of lia that submits one when it starts. */
import { until } from '../../journeys/until.ts';
import { folder, type Site } from '../site.ts';
import type { Group, World } from '../world.ts';

interface Job {
  readonly command: readonly string[];
  readonly limits?: object;
}

const main = ({ command, limits = {} }: Job): string => `import sys, threading
from svc import fila, servidor
threading.Thread(target=lambda: fila.submeter(${JSON.stringify(command)}, limites=${JSON.stringify(limits)})).start()
class Pedido(servidor.Pedido):
    def atender(self, metodo):
        self.responder_json(200, {})
sys.exit(servidor.escutar(Pedido, sys.argv[1:]))
`;

const publish = async (site: Site, id: string, job: Job, version = '1.0.0'): Promise<void> => {
  await site.app(id, { version, recursos: { fila: true } }, { 'main.py': main(job) });
  await site.write(
    id,
    `kind: Package\nmetadata: { name: ${id} }\nspec: { app: ${id}, versao: ${version}, server: aqui }`,
    `kind: Backend\nmetadata: { name: lia-${id} }\nspec: { app: ${id}, pessoa: lia, estado: ligado }`,
  );
  await site.svc('apply');
};

interface JobRow {
  readonly id: string;
  readonly app: string;
  readonly estado: string;
}

/** The last one of the app, once it is in one of these states. */
const jobOf = async (site: Site, id: string, states: RegExp): Promise<string> =>
  await until(
    `a job of ${id} that is ${states}`,
    async () => {
      const { out } = await site.svc('jobs', 'get', '-o', 'json');
      return (JSON.parse(out) as readonly JobRow[]).find(({ app, estado }) => app === id && states.test(estado))?.id;
    },
    120_000,
  );

const ends = { command: ['true'] };

/** The queue begins with the portal. */
const prepare = async (site: Site): Promise<void> => {
  const { code } = await site.portal.run(['test', '-e', `${folder}/jobs.yaml`], { codes: [0, 1] });
  if (code === 0) return;
  await site.portal.sh(`echo '127.0.0.1 svc.localhost' >>/etc/hosts; sed -i 's#/srv/apps }#/srv/apps, fila: {} }#' ${folder}/portal.yaml`);
  await site.write('jobs', 'kind: Cluster\nmetadata: { name: casa }\nspec: { scheduler: { local: { trusted: true } }, emVoo: 2 }');
  await site.restart();
};

function job(name: string, id: string, what: Job, states: RegExp, says: RegExp, over: Partial<World> = {}): World {
  return {
    name,
    lane: 'jobs',
    break: async (site) => {
      await prepare(site);
      await publish(site, id, what);
    },
    truth: {},
    cli: { argv: async (site) => ['jobs', 'why', await jobOf(site, id, states)], says },
    mend: async (site) => {
      await publish(site, id, ends, '1.0.1');
      await jobOf(site, id, /^terminado$/);
    },
    healed: {},
    ...over,
  };
}

export const jobGroup: Group = {
  name: 'jobs',
  servers: [],
  share: 2,
  worlds: [
    job(
      'its command ends with an error',
      'falha',
      { command: ['bash', '-c', 'echo falta; exit 3'] },
      /^falhou$/,
      /ended with an error[^]*exit code 3[^]*svc\s+jobs\s+logs\s+j\w+;/,
    ),
    job(
      'its program is not there',
      'ausenta',
      { command: ['nada-disso'] },
      /^falhou$/,
      /ended with an error[^]*exit code 127[^]*svc\s+jobs\s+logs\s+j\w+;/,
    ),
    job(
      'it takes longer than it may',
      'demora',
      { command: ['sleep', '600'], limits: { segundos: 2 } },
      /^falhou$/,
      /exit code 124 \(its\s+time\s+was\s+over[^]*give\s+it\s+more\s+time/,
    ),
    job(
      'one of its outputs has a name that can not be carried',
      'nomes',
      { command: ['bash', '-c', String.raw`echo a >saida/certo; echo b >'saida/res\ultado'`] },
      /^terminado$/,
      /not\s+all\s+of\s+its\s+outputs[^]*svc\s+jobs\s+logs\s+j\w+\s+names\s+what\s+was\s+not\s+sent[^]*another\s+name/,
    ),
    job(
      'others are before it',
      'terceiro',
      ends,
      /^em-espera$/,
      /its\s+turn\s+has\s+not\s+come[^]*raise\s+emVoo\s+in\s+the\s+document\s+of\s+its\s+cluster/,
      {
        break: async (site) => {
          await prepare(site);
          for (const id of ['primeiro', 'segundo']) {
            await publish(site, id, { command: ['sleep', '600'] });
            await jobOf(site, id, /^a-correr$/);
          }
          await publish(site, 'terceiro', ends);
        },
        mend: async (site) => {
          await site.write('jobs', 'kind: Cluster\nmetadata: { name: casa }\nspec: { scheduler: { local: { trusted: true } }, emVoo: 3 }');
          await site.svc('apply');
          await jobOf(site, 'terceiro', /^terminado$/);
        },
      },
    ),
  ],
};
