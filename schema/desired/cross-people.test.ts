import { expect, test } from 'vitest';
import { readDesired } from './load.ts';

const envelope = (kind: string, name: string, spec: string) =>
  `apiVersion: svc/v1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}`;
const ssh = `{ host: 127.0.0.1, hostKey: "SHA256:${'a'.repeat(43)}" }`;
const docs = {
  portal: envelope('Portal', 'casa', '{}'),
  server: envelope('Server', 'sirius', `{ ssh: ${ssh} }`),
  ana: envelope('Person', 'ana', '{ nome: Ana, login: ana, server: sirius, grupos: [mestres] }'),
  people: envelope('People', 'alunos', '{ server: sirius, group: alunos }'),
  more: '',
};
const told = (change: Partial<typeof docs>) => {
  const bytes = Object.values({ ...docs, ...change })
    .filter((text) => text !== '')
    .join('\n---\n');
  const { reports } = readDesired([{ name: 'a.yaml', bytes }]);
  return reports.flatMap(({ errors, warnings }) => [...errors, ...warnings].map(({ code, path }) => `${code} ${path}`));
};
const people = (spec: string): string => envelope('People', 'alunos', spec);
const admins = (spec: string): string => envelope('Portal', 'casa', `{ admins: ${spec} }`);
const oidc = 'oidc: { claim: groups, values: [svc-users] }';
const provider = 'signIn: { oidc: { issuer: "https://id.example", clientId: svc, clientSecret: { env: A } } }';
const grant = envelope('Grant', 'atas', '{ app: notas, sala: atas, dona: eva, grupos: [{ grupo: alunos, papel: ver }] }');
const packageOf = envelope('Package', 'notas', '{ app: notas, versao: "1", server: sirius }');

test.for<[string, Partial<typeof docs>, string[]]>([
  ['a group', {}, []],
  ['a claim of the provider', { portal: envelope('Portal', 'casa', `{ ${provider} }`), people: people(`{ server: sirius, ${oidc} }`) }, []],
  ['a claim without a provider', { people: people(`{ server: sirius, ${oidc} }`) }, ['HAS_NO_EFFECT /spec/oidc']],
  ['neither', { people: people('{ server: sirius }') }, ['ONE_OF /spec']],
  ['both', { people: people(`{ server: sirius, group: alunos, ${oidc} }`) }, ['ONE_OF /spec', 'HAS_NO_EFFECT /spec/oidc']],
  ['no server', { people: people('{ group: alunos }') }, ['MISSING_FIELD /spec/server']],
  ['a server that is not there', { people: people('{ server: sirus, group: alunos }') }, ['UNKNOWN_REFERENCE /spec/server']],
  ['a local server', { server: envelope('Server', 'sirius', '{ local: {} }') }, ['PEOPLE_WITHOUT_ACCOUNTS /spec/server']],
  ['a group that is an option', { people: people('{ server: sirius, group: "-x" }') }, ['PATTERN /spec/group']],
  ['no values', { people: people('{ server: sirius, oidc: { claim: groups, values: [] } }') }, ['LENGTH /spec/oidc/values']],
  ['a field too many', { people: people('{ server: sirius, group: alunos, admin: true }') }, ['UNKNOWN_FIELD /spec/admin']],
  ['references to people and groups that it may make', { more: [packageOf, grant].join('\n---\n') }, []],
  [
    'the same without it',
    { people: '', more: [packageOf, grant].join('\n---\n') },
    ['UNKNOWN_REFERENCE /spec/dona', 'UNKNOWN_GROUP /spec/grupos/0/grupo'],
  ],
  [
    'the same while it can not be read',
    { people: people('{ server: sirius, group: ['), more: [packageOf, grant].join('\n---\n') },
    ['SYNTAX '],
  ],
  ['administrators', { people: '', portal: admins('{ people: [ana], groups: [mestres] }') }, []],
  ['administrators that it may make', { portal: admins('{ people: [eva], groups: [alunos] }') }, []],
  [
    'administrators who are not there',
    { people: '', portal: admins('{ people: [eva], groups: [alunos] }') },
    ['UNKNOWN_REFERENCE /spec/admins/people/0', 'UNKNOWN_GROUP /spec/admins/groups/0'],
  ],
])('%s', ([, change, findings]) => expect(told(change)).toEqual(findings));
