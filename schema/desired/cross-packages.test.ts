/** Fields of a Package document for many servers, or for some groups. */
import { expect, test } from 'vitest';
import { readDesired } from './load.ts';

const envelope = (kind: string, name: string, spec: string) =>
  `apiVersion: svc/v1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}`;
const docs = [
  envelope('Server', 'polar', '{ local: { prefix: polar } }'),
  envelope('Server', 'sirius', '{ local: { prefix: sirius } }'),
  envelope('Person', 'ana', '{ nome: Ana, login: ana, server: polar, grupos: [mestres] }'),
];
const cluster = envelope('Cluster', 'c', '{ scheduler: { slurm: { server: polar } }, limites: { cpus: 8 }, portal: https://a.example }');
const packageOf = (spec: string, name = 'notas') => envelope('Package', name, `{ app: notas, versao: "1", ${spec} }`);

test.for<readonly [string, readonly string[], readonly string[]]>([
  ['one server', [packageOf('server: polar')], []],
  ['some servers', [packageOf('servers: [polar, sirius]')], []],
  ['all servers', [packageOf('servers: all')], []],
  ['both ways', [packageOf('server: polar, servers: all')], ['ONE_OF /spec']],
  ['neither way', [packageOf('paused: true')], ['ONE_OF /spec']],
  ['a word that is not all', [packageOf('servers: every')], ['PATTERN /spec/servers']],
  ['no servers', [packageOf('servers: []')], ['LENGTH /spec/servers']],
  ['a number', [packageOf('servers: 3')], ['WRONG_TYPE /spec/servers']],
  ['a server twice', [packageOf('servers: [polar, polar]')], ['DUPLICATE_ITEM /spec/servers/0']],
  ['a server that is not there', [packageOf('servers: [polar, sirus]')], ['UNKNOWN_REFERENCE /spec/servers/1']],
  ['the same app twice on one of them', [packageOf('servers: all'), packageOf('server: sirius', 'n')], ['DUPLICATE_PACKAGE /spec/app']],
  ['the same app on different ones', [packageOf('servers: [polar]'), packageOf('server: sirius', 'n')], []],
  ['one person on many servers', [packageOf('servers: all, instalacao: pessoa, pessoa: ana')], ['ONE_OF /spec/servers']],
  ['a group', [packageOf('servers: all, grupos: [mestres]')], []],
  ['a group that nobody is in', [packageOf('servers: all, grupos: [mestre]')], ['UNKNOWN_GROUP /spec/grupos/0']],
  [
    'a group that a list of people may bring',
    [packageOf('server: polar, grupos: [x]'), envelope('People', 'p', '{ server: [')],
    ['SYNTAX '],
  ],
  ['a longest time', [packageOf('servers: all, maximo: 12h')], []],
  ['the most of it', [packageOf('servers: all, maximo: 365d')], []],
  ['more than that', [packageOf('servers: all, maximo: 366d')], ['TOO_LARGE /spec/maximo']],
  ['no time', [packageOf('servers: all, maximo: 0m')], ['PATTERN /spec/maximo']],
  ['a time in seconds', [packageOf('servers: all, maximo: 90s')], ['PATTERN /spec/maximo']],
  ['a number as a time', [packageOf('servers: all, maximo: 12')], ['WRONG_TYPE /spec/maximo']],
  ['no group', [packageOf('server: polar, grupos: []')], ['LENGTH /spec/grupos']],
  [
    'a group for one person',
    [packageOf('server: polar, instalacao: pessoa, pessoa: ana, grupos: [mestres]')],
    ['HAS_NO_EFFECT /spec/grupos'],
  ],
  [
    'a pin of what is on all servers',
    [packageOf('servers: all'), envelope('Backend', 'b', '{ app: notas, pessoa: ana, estado: ligado }')],
    [],
  ],
  [
    'a pin of what is on the other one',
    [packageOf('servers: [sirius]'), envelope('Backend', 'b', '{ app: notas, pessoa: ana, estado: ligado }')],
    ['WRONG_SERVER /spec/app'],
  ],
  [
    'a cluster of its server',
    [
      cluster,
      packageOf(`server: polar, onde: c, formulario: { cpus: { padrao: 2, min: 1, max: 4 }, gpus: { padrao: 1, opcoes: [0, 1] } }`),
    ],
    [],
  ],
  ['a cluster that is not there', [packageOf('server: polar, onde: c')], ['UNKNOWN_REFERENCE /spec/onde']],
  ['a cluster of another server', [cluster, packageOf('servers: all, onde: c')], ['WRONG_SERVER /spec/onde']],
  [
    'a cluster of no Slurm',
    [envelope('Cluster', 'c', '{ scheduler: { local: { trusted: true } } }'), packageOf('server: polar, onde: c')],
    ['WRONG_SERVER /spec/onde'],
  ],
  [
    'more than the cluster takes',
    [cluster, packageOf('server: polar, onde: c, formulario: { cpus: { padrao: 1, max: 9 } }')],
    ['RANGE /spec/formulario/cpus'],
  ],
  [
    'a default that can not be had',
    [cluster, packageOf('server: polar, onde: c, formulario: { gpus: { padrao: 2, opcoes: [0, 1] } }')],
    ['RANGE /spec/formulario/gpus/padrao'],
  ],
  [
    'two ways to bound',
    [cluster, packageOf('server: polar, onde: c, formulario: { gpus: { padrao: 1, max: 1, opcoes: [1] } }')],
    ['ONE_OF /spec/formulario/gpus'],
  ],
  ['a form without a cluster', [packageOf('server: polar, formulario: {}')], ['HAS_NO_EFFECT /spec/formulario']],
  ['ceilings', [packageOf('server: polar, resources: { memoryMax: 1G, cpuQuota: 50% }')], []],
  ['a ceiling of no size', [packageOf('server: polar, resources: { memoryMax: 1 GB }')], ['PATTERN /spec/resources/memoryMax']],
])('%s', ([, more, expected]) => {
  const { reports } = readDesired([{ name: 'a.yaml', bytes: [...docs, ...more].join('\n---\n') }]);
  expect(reports.flatMap(({ errors, warnings }) => [...errors, ...warnings].map(({ code, path }) => `${code} ${path}`))).toEqual(expected);
});
