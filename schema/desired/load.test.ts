import { expect, test } from 'vitest';
import { canonicalJson, readDesired } from './load.ts';

const docs = {
  portal:
    'apiVersion: svc/v1\nkind: Portal\nmetadata: { name: casa }\nspec: { listen: "127.0.0.1:8787", store: "sqlite:./svc.db", repository: ./apps }',
  server: 'apiVersion: svc/v1\nkind: Server\nmetadata: { name: sirius }\nspec: { local: { prefix: srv, trusted: true } }',
  ana: 'apiVersion: svc/v1\nkind: Person\nmetadata: { name: ana }\nspec: { nome: Ana Souza, login: ana, server: sirius, account: ana, grupos: [editores] }',
  bia: 'apiVersion: svc/v1\nkind: Person\nmetadata: { name: bia }\nspec: { nome: Bia, login: bia, server: sirius }',
  notas:
    'apiVersion: svc/v1\nkind: Package\nmetadata: { name: notas-sirius }\nspec: { app: notas, versao: 1.4.2, server: sirius, instalacao: sistema }',
  grant:
    'apiVersion: svc/v1\nkind: Grant\nmetadata: { name: atas }\nspec: { app: notas, sala: atas, dona: ana, pessoas: [{ usuario: bia, papel: ver }], grupos: [{ grupo: editores, papel: editar }] }',
  backend: 'apiVersion: svc/v1\nkind: Backend\nmetadata: { name: ana-notas }\nspec: { app: notas, pessoa: ana, estado: ligado }',
};
const folder = (change: Partial<Record<keyof typeof docs | 'more', string>> = {}) =>
  Object.values({ ...docs, ...change })
    .filter((text) => text !== '')
    .join('\n---\n');
const read = (text: string) => readDesired([{ name: 'a.yaml', bytes: text }]);
const told = (text: string) =>
  read(text).reports.flatMap(({ errors, warnings }) => [...errors, ...warnings].map(({ code, path }) => `${code} ${path}`));
const envelope = (kind: string, name: string, spec: string) =>
  `apiVersion: svc/v1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}`;

test('the folder of the design is read, with the place of every document', () => {
  const answer = read(folder());
  if (!answer.ok) throw new Error(JSON.stringify(answer.reports));
  expect(answer.reports).toEqual([{ file: 'a.yaml', ok: true, errors: [], warnings: [] }]);
  expect(answer.state.documents.map(({ document }) => `${document.kind}/${document.metadata.name}`)).toEqual([
    'Backend/ana-notas',
    'Grant/atas',
    'Package/notas-sirius',
    'Person/ana',
    'Person/bia',
    'Portal/casa',
    'Server/sirius',
  ]);
  expect(answer.state.documents.at(-1)).toEqual({
    document: { apiVersion: 'svc/v1', kind: 'Server', metadata: { name: 'sirius' }, spec: { local: { prefix: 'srv', trusted: true } } },
    place: { file: 'a.yaml', line: 8, column: 19 },
    digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  });
});

test('the hash follows the content, not the files, the order, the comments or the style', () => {
  const hash = (texts: string[]) => {
    const answer = readDesired(texts.map((bytes, i) => ({ name: `${i}.yaml`, bytes })));
    return answer.ok ? answer.state.hash : JSON.stringify(answer.reports);
  };
  const one = hash([folder()]);
  expect(one).toMatch(/^[0-9a-f]{64}$/);
  expect(hash(Object.values(docs).toReversed())).toBe(one);
  expect(
    hash([
      `# comment\n${folder({ server: 'spec:\n  local:\n    trusted: true\n    prefix: "srv"\nkind: Server\nmetadata: { name: sirius }\napiVersion: svc/v1' })}`,
    ]),
  ).toBe(one);
  expect(hash([folder({ backend: docs.backend.replace('ligado', 'desligado') })])).not.toBe(one);
});

test('an empty folder is an empty state', () => {
  expect(readDesired([])).toMatchObject({ ok: true, state: { documents: [] } });
  expect(read('# nothing yet\n')).toMatchObject({ ok: true, state: { documents: [] } });
});

const cluster = (spec: string) => envelope('Cluster', 'grande', spec);
const far = envelope('Server', 'vega', `{ ssh: { host: vega.lan, hostKey: "SHA256:${'A'.repeat(43)}" } }`);
const farPerson = envelope('Person', 'eva', '{ nome: Eva, login: eva, server: vega }');
const withQueue = (queue: string, url = 'https://apps.example.org') => ({
  portal: docs.portal.replace('repository', `url: "${url}", fila: ${queue}, repository`),
});

test('clusters and the queue are read, and with none the own machine is meant', () => {
  const slurm = cluster(
    '{ scheduler: { slurm: { server: vega, partition: longa } }, emVoo: 20, porPessoa: 5, limites: { cpus: 8, segundos: 3600 } }',
  );
  expect(
    told(folder({ ...withQueue('{ clusters: [grande], espacoMb: 100, dias: 30 }'), more: [slurm, far, farPerson].join('\n---\n') })),
  ).toEqual([]);
  expect(told(folder(withQueue('{}')))).toEqual([]);
});

test.for<[string, Parameters<typeof folder>[0], string[]]>([
  ['a cluster without a scheduler', { more: cluster('{ emVoo: 2 }') }, ['MISSING_FIELD /spec/scheduler']],
  ['two schedulers', { more: cluster('{ scheduler: { local: {}, slurm: { server: sirius } } }') }, ['ONE_OF /spec/scheduler']],
  ['an unknown one', { more: cluster('{ scheduler: { slrum: { server: sirius } } }') }, ['UNKNOWN_FIELD /spec/scheduler/slrum']],
  [
    'a Slurm on no server',
    { more: cluster('{ scheduler: { slurm: { server: siriu } } }') },
    ['UNKNOWN_REFERENCE /spec/scheduler/slurm/server'],
  ],
  [
    'a partition that is an option',
    { more: cluster('{ scheduler: { slurm: { server: sirius, partition: "--wrap=x" } } }') },
    ['PATTERN /spec/scheduler/slurm/partition'],
  ],
  ['no jobs at all', { more: cluster('{ scheduler: { local: {} }, emVoo: 0 }') }, ['RANGE /spec/emVoo']],
  [
    'a kubeconfig in the open',
    { more: cluster('{ scheduler: { kubernetes: { namespace: svc, kubeconfig: abc } }, portal: "https://a.example" }') },
    ['INLINE_CREDENTIAL /spec/scheduler/kubernetes/kubeconfig'],
  ],
  ['a queue on no cluster', withQueue('{ clusters: [grnde] }'), ['UNKNOWN_REFERENCE /spec/fila/clusters/0']],
  [
    'pods that do not reach the portal',
    { more: cluster('{ scheduler: { kubernetes: { namespace: svc } } }') },
    ['UNREACHABLE_PORTAL /spec/scheduler'],
  ],
  [
    'another machine that does not reach the portal',
    {
      ...withQueue('{}', 'http://svc.localhost'),
      more: [cluster('{ scheduler: { slurm: { server: vega } }, portal: "http://127.0.0.1:8787" }'), far].join('\n---\n'),
    },
    ['UNREACHABLE_PORTAL /spec/portal'],
  ],
  [
    'jobs as the portal, and a person who is not',
    { more: [cluster('{ scheduler: { local: {} } }'), far, farPerson].join('\n---\n') },
    ['UNSEPARATED_PEOPLE /spec/scheduler/local'],
  ],
  ['the same without a document', { ...withQueue('{}'), more: [far, farPerson].join('\n---\n') }, ['UNSEPARATED_PEOPLE /spec/fila']],
])('of clusters: %s', ([, change, expected]) => {
  expect(told(folder(change)).toSorted()).toEqual(expected);
});

test('jobs as the portal are said to be all right, or run as another account', () => {
  for (const local of ['{ trusted: true }', '{ account: trabalhos }']) {
    expect(told(folder({ more: [cluster(`{ scheduler: { local: ${local} } }`), far, farPerson].join('\n---\n') }))).toEqual([]);
  }
});

// Folders with a single mistake each, with its code and the place in the document.
test.for<[string, Parameters<typeof folder>[0], string[]]>([
  ['an unknown kind', { more: envelope('Persn', 'x', '{}') }, ['UNKNOWN_KIND /kind']],
  ['no kind', { more: 'apiVersion: svc/v1' }, ['MISSING_FIELD /kind']],
  ['another version', { portal: docs.portal.replace('svc/v1', 'svc/v2') }, ['ENUM /apiVersion']],
  ['an unknown field', { ana: docs.ana.replace('account', 'acount') }, ['UNKNOWN_FIELD /spec/acount']],
  ['a label', { ana: docs.ana.replace('{ name: ana }', '{ name: ana, labels: {} }') }, ['UNKNOWN_FIELD /metadata/labels']],
  ['no login', { ana: docs.ana.replace('login: ana, ', '') }, ['MISSING_FIELD /spec/login']],
  ['a number as version', { notas: docs.notas.replace('1.4.2', '1.4') }, ['WRONG_TYPE /spec/versao']],
  ['a name with a slash', { backend: docs.backend.replace('ana-notas', 'ana/notas') }, ['PATTERN /metadata/name']],
  ['a name in capitals', { backend: docs.backend.replace('ana-notas', 'Ana') }, ['PATTERN /metadata/name']],
  ['a name of 64', { backend: docs.backend.replace('ana-notas', 'a'.repeat(64)) }, ['PATTERN /metadata/name']],
  ['an account with a space', { ana: docs.ana.replace('account: ana', 'account: "ana x"') }, ['PATTERN /spec/account']],
  ['an account that is an option', { ana: docs.ana.replace('account: ana', 'account: -ana') }, ['PATTERN /spec/account']],
  ['root', { ana: docs.ana.replace('account: ana', 'account: root') }, ['PRIVILEGED_ACCOUNT /spec/account']],
  ['another wish', { backend: docs.backend.replace('ligado', 'on') }, ['ENUM /spec/estado']],
  ['listen without port', { portal: docs.portal.replace('127.0.0.1:8787', '127.0.0.1') }, ['PATTERN /spec/listen']],
  ['listen on port 65536', { portal: docs.portal.replace('8787', '65536') }, ['PATTERN /spec/listen']],
  ['a store of another kind', { portal: docs.portal.replace('sqlite:', 'mysql:') }, ['PATTERN /spec/store']],
  ...(
    [
      ['a provider over http', { issuer: 'http://id.example.org' }, 'PATTERN /spec/signIn/oidc/issuer'],
      ['a provider with a query', { issuer: 'https://id.example.org/?x' }, 'PATTERN /spec/signIn/oidc/issuer'],
      ['a secret in the open', { clientSecret: 'hush' }, 'INLINE_CREDENTIAL /spec/signIn/oidc/clientSecret'],
      ['a secret from two places', { clientSecret: { env: 'A', file: 'b' } }, 'ONE_OF /spec/signIn/oidc/clientSecret'],
      ['a provider without a client', { clientId: undefined }, 'MISSING_FIELD /spec/signIn/oidc/clientId'],
    ] as const
  ).map(([name, change, finding]): [string, Parameters<typeof folder>[0], string[]] => {
    const oidc = { issuer: 'https://id.example.org', clientId: 'svc', clientSecret: { env: 'A' }, ...change };
    return [name, { portal: docs.portal.replace('repository', `signIn: ${JSON.stringify({ ssh: {}, oidc })}, repository`) }, [finding]];
  }),
  [
    'an option of the sign-in by password',
    { portal: docs.portal.replace('repository', 'signIn: { ssh: { pam: x } }, repository') },
    ['UNKNOWN_FIELD /spec/signIn/ssh/pam'],
  ],
  ['a group as owner', { grant: docs.grant.replace('papel: editar', 'papel: dona') }, ['ENUM /spec/grupos/0/papel']],
  ['a server that is nothing', { server: envelope('Server', 'sirius', '{}') }, ['ONE_OF /spec']],
  [
    'a server that is both',
    { server: envelope('Server', 'sirius', `{ local: {}, ssh: { host: a, hostKey: "SHA256:${'A'.repeat(43)}" } }`), bia: '', grant: '' },
    ['ONE_OF /spec'],
  ],
  ['a document twice', { more: docs.bia }, ['DUPLICATE_OBJECT /metadata/name']],
  ['two portals', { more: envelope('Portal', 'outra', '{}') }, ['MANY_PORTALS /kind']],
  ['a server that is not there', { ana: docs.ana.replace('server: sirius', 'server: siriu') }, ['UNKNOWN_REFERENCE /spec/server']],
  ['a person that is not there', { backend: docs.backend.replace('pessoa: ana', 'pessoa: eva') }, ['UNKNOWN_REFERENCE /spec/pessoa']],
  ['an app that nobody installs', { backend: docs.backend.replace('app: notas', 'app: relogio') }, ['UNKNOWN_REFERENCE /spec/app']],
  [
    'an app of another server',
    {
      more: `${envelope('Server', 'vega', '{ local: { prefix: v } }')}\n---\n${envelope('Person', 'eva', '{ nome: Eva, login: eva, server: vega }')}\n---\n${envelope('Backend', 'b', '{ app: notas, pessoa: eva, estado: ligado }')}`,
    },
    ['WRONG_SERVER /spec/app'],
  ],
  ['one account for two', { bia: docs.bia.replace('server: sirius', 'server: sirius, account: ana') }, ['DUPLICATE_ACCOUNT /spec/account']],
  ['one home for two', { server: docs.server.replace('{ prefix: srv, trusted', '{ trusted') }, ['DUPLICATE_ACCOUNT /spec/server']],
  ['a login with a blank', { bia: docs.bia.replace('login: bia', 'login: "bia lima"') }, ['PATTERN /spec/login']],
  ['one login for two', { bia: docs.bia.replace('login: bia', 'login: ana') }, ['DUPLICATE_LOGIN /spec/login']],
  ['two wishes', { more: docs.backend.replace('ana-notas', 'outro') }, ['DUPLICATE_BACKEND /spec/app']],
  ['a package twice', { more: docs.notas.replace('notas-sirius', 'outro') }, ['DUPLICATE_PACKAGE /spec/app']],
  ['a personal package of nobody', { notas: docs.notas.replace('sistema', 'pessoa') }, ['MISSING_PERSON /spec/instalacao']],
  ['a system package of somebody', { notas: docs.notas.replace('sistema', 'sistema, pessoa: ana') }, ['UNEXPECTED_PERSON /spec/pessoa']],
  ['an unknown guest', { grant: docs.grant.replace('usuario: bia', 'usuario: bai') }, ['UNKNOWN_REFERENCE /spec/pessoas/0/usuario']],
  ['an empty group', { grant: docs.grant.replace('grupo: editores', 'grupo: leitores') }, ['UNKNOWN_GROUP /spec/grupos/0/grupo']],
  [
    'a guest twice',
    { grant: docs.grant.replace('pessoas: [', 'pessoas: [{ usuario: bia, papel: editar }, ') },
    ['DUPLICATE_GRANT /spec/pessoas/1/usuario'],
  ],
  [
    'a guest and a group in two documents',
    { more: docs.grant.replace('name: atas', 'name: outro') },
    ['DUPLICATE_GRANT /spec/grupos/0/grupo', 'DUPLICATE_GRANT /spec/pessoas/0/usuario'],
  ],
  ['two owners of one room', { more: envelope('Grant', 'outro', '{ app: notas, sala: atas, dona: bia }') }, ['GRANT_OWNER /spec/dona']],
  ['an owner who only reads', { grant: docs.grant.replace('usuario: bia', 'usuario: ana') }, ['GRANT_OWNER /spec/pessoas/0/papel']],
  ['a second owner', { grant: docs.grant.replace('papel: ver', 'papel: dona') }, ['GRANT_OWNER /spec/pessoas/0/papel']],
  [
    'a person of the link who is not there',
    { portal: docs.portal.replace('repository', 'signIn: { local: { person: eva } }, repository') },
    ['UNKNOWN_REFERENCE /spec/signIn/local/person'],
  ],
  [
    'a field twice',
    { backend: docs.backend.replace('estado: ligado', 'estado: ligado, estado: desligado') },
    ['DUPLICATE_KEY /spec/estado'],
  ],
])('%s', ([, change, expected]) => {
  expect(told(folder(change)).sort()).toEqual([...expected].sort());
});

const proxied = (proxy: string): string[] => {
  const list = `trustedProxies: [127.0.0.1, ::1, "10.1.0.0/16", "fd00::/8", ${JSON.stringify(proxy)}], repository`;
  return [...told(folder({ portal: docs.portal.replace('repository', list) }))];
};
test.for(['10.0.0.256', '10.0.0.1/33', 'proxy.example.org', '10.0.0.1 ', '::1/129', '1:2', ':::', '::g', ''])(
  '%j is no trusted proxy',
  (proxy) => {
    expect(proxied(proxy)).toEqual(['PATTERN /spec/trustedProxies/4']);
  },
);
test('addresses and networks are trusted proxies', () => expect(proxied('2001:db8::5')).toEqual([]));

const ssh = (fields: string) => envelope('Server', 'vega', `{ ssh: { host: vega.lan, hostKey: "SHA256:${'A'.repeat(43)}", ${fields} } }`);

test.for([
  ['host: -oProxyCommand=x', 'PATTERN /spec/ssh/host'],
  ['host: "a b"', 'PATTERN /spec/ssh/host'],
  ['hostKey: "MD5:aa"', 'PATTERN /spec/ssh/hostKey'],
  ['hostKey: "SHA256:abc"', 'PATTERN /spec/ssh/hostKey'],
] as const)('ssh with %s is refused', ([fields, expected]) => {
  const [name] = fields.split(':');
  const spec = ssh('admin: root').replace(name === 'host' ? 'host: vega.lan' : /hostKey: "[^"]*"/, fields);
  expect(told(spec)).toEqual([expected]);
});

test.for([
  ['port: 70000', 'RANGE /spec/ssh/port'],
  ['key: {}', 'ONE_OF /spec/ssh/key'],
  ['key: { env: A, file: b }', 'ONE_OF /spec/ssh/key'],
  ['key: s3cr3t', 'INLINE_CREDENTIAL /spec/ssh/key'],
  ['password: s3cr3t', 'INLINE_CREDENTIAL /spec/ssh/password'],
] as const)('ssh with %s is refused and the value is not repeated', ([fields, expected]) => {
  expect(told(ssh(fields))).toEqual([expected]);
  expect(JSON.stringify(read(ssh(fields)))).not.toContain('s3cr3t');
});

test.for([
  ['store: "postgres://svc:s3cr3t@db1.lan/svc"', 'INLINE_CREDENTIAL /spec/store'],
  ['store: "postgres://svc:s3cr3t/a@b@db1.lan,db2.lan/svc"', 'INLINE_CREDENTIAL /spec/store'],
  ['url: "https://ana:s3cr3t@apps.example.org"', 'INLINE_CREDENTIAL /spec/url'],
  ['repository: "https://s3cr3t@apps.example.org/v1"', 'INLINE_CREDENTIAL /spec/repository'],
  ['repository: [{ url: "https://s3cr3t@apps.example.org" }]', 'INLINE_CREDENTIAL /spec/repository/0/url'],
  ['origins: "https://ana:s3cr3t@apps.example.org"', 'INLINE_CREDENTIAL /spec/origins'],
  ['store: "postgres://svc@db1.lan:99999/svc"', 'PATTERN /spec/store'],
] as const)('an address with %s is refused and a password is not repeated', ([fields, expected]) => {
  const files = folder({ portal: `apiVersion: svc/v1\nkind: Portal\nmetadata: { name: casa }\nspec: { ${fields} }` });
  expect(told(files)).toEqual([expected]);
  expect(JSON.stringify(read(files))).not.toContain('s3cr3t');
});

test.for([
  [`[{ url: ./apps, chave: RW${'a'.repeat(54)}, grupos: [editores] }, "https://apps.example.org"]`, []],
  ['[]', ['LENGTH /spec/repository']],
  ['[./apps, { url: ./apps }]', ['DUPLICATE_ITEM /spec/repository/1']],
  ['[{ chave: x }]', ['MISSING_FIELD /spec/repository/0/url', 'PATTERN /spec/repository/0/chave']],
  ['[{ url: ./apps, nome: x }]', ['UNKNOWN_FIELD /spec/repository/0/nome']],
  ['[{ url: ./apps, grupos: [editore] }]', ['UNKNOWN_GROUP /spec/repository/0/grupos/0']],
] as const)('the repositories %s', ([repository, expected]) => {
  expect(told(folder({ portal: docs.portal.replace('repository: ./apps', `repository: ${repository}`) }))).toEqual(expected);
});

test.for(["o'malley@uni.example", 'ana+svc@uni.example', 'auth0|5f7c', 'DOM+ana', '~ana'])(
  'the login %s of a provider is taken',
  (login) => {
    expect(told(folder({ bia: docs.bia.replace('login: bia', `login: ${JSON.stringify(login)}`) }))).toEqual([]);
  },
);

test('ssh with its key by reference is taken', () => {
  expect(told(ssh('port: 22, admin: root, key: { env: SSH_KEY }'))).toEqual([]);
  expect(told(ssh('key: { file: /etc/svc-portal/key }').replace('vega.lan', '"2001:db8::1"'))).toEqual([]);
});

test('a document with a mistake still answers references, so that one mistake is told once', () => {
  expect(told(folder({ ana: docs.ana.replace('nome: Ana Souza', 'nome: 7') }))).toEqual(['WRONG_TYPE /spec/nome']);
});

test.for([
  ['a missing brace in the name of a person', { ana: docs.ana.replace('name: ana }', 'name: ana') }, ['SYNTAX']],
  ['a missing brace at the end of a server', { server: docs.server.replace('trusted: true } }', 'trusted: true }') }, ['SYNTAX']],
  ['a missing brace at the end of a person', { ana: docs.ana.replace('[editores] }', '[editores]') }, ['SYNTAX']],
  ['a missing bracket', { ana: docs.ana.replace('[editores]', '[editores') }, ['SYNTAX']],
  ['a package without its first brace', { notas: docs.notas.replace('{ app', 'app') }, ['SYNTAX']],
  ['a quote that is not closed', { ana: docs.ana.replace('nome: Ana Souza', 'nome: "Ana Souza') }, ['SYNTAX']],
  ['nothing but a brace', { ana: '{' }, ['SYNTAX']],
  // A document that is torn in its name seems to have another one.
  ['a server without the brace before its name', { server: docs.server.replace('{ name', 'name') }, ['SYNTAX']],
  ['a brace in the name of a server', { server: docs.server.replace('name: sirius', 'name: si{rius') }, ['SYNTAX', 'SYNTAX']],
  ['an open quote before the name of a server', { server: docs.server.replace('{ name: sirius }', '\n  name: "sirius') }, ['SYNTAX']],
  ['a tag at the name of a server', { server: docs.server.replace('sirius', '!sirius') }, ['YAML_FEATURE']],
  ['a name that no server can have', { server: docs.server.replace('sirius', ':sirius') }, ['PATTERN']],
  ['a person without the brace before their name', { ana: docs.ana.replace('{ name', 'name') }, ['SYNTAX']],
  ['an open quote before the app of a package', { notas: docs.notas.replace('app: notas', 'app: "notas') }, ['SYNTAX']],
  ['a package whose name is lost', { notas: docs.notas.replace('metadata', 'etadata') }, ['MISSING_FIELD', 'UNKNOWN_FIELD']],
  ['a package on a server that does not exist', { notas: docs.notas.replace('server: sirius', 'server: siri') }, ['UNKNOWN_REFERENCE']],
  ['a kind that does not exist', { ana: docs.ana.replace('kind: Person', 'kind: Persona') }, ['UNKNOWN_KIND']],
  ['a package of no kind', { notas: docs.notas.replace('kind: Package', 'kind: Pacote') }, ['UNKNOWN_KIND']],
  ['a person without a name', { ana: docs.ana.replace('{ name: ana }', '{}') }, ['MISSING_FIELD']],
  ['a package without an app', { notas: docs.notas.replace('app: notas, ', '') }, ['MISSING_FIELD']],
  ['a scope that does not exist', { notas: docs.notas.replace('sistema', 'todos') }, ['ENUM']],
] as const)('%s is told, and nothing that follows from it', ([, change, codes]) => {
  expect(told(folder(change)).map((one) => one.split(' ')[0])).toEqual(codes);
});

test('a document that is torn behind its name hides no name that does not exist', () => {
  const torn = docs.server.replace('trusted: true } }', 'trusted: true }');
  expect(told(folder({ server: torn, bia: docs.bia.replace('sirius', 'siriuz') }))).toEqual(['SYNTAX ', 'UNKNOWN_REFERENCE /spec/server']);
});

test('a missing brace, an enum error and an unknown reference are all told, and how many references wait', () => {
  const text = folder({
    server: docs.server.replace('name: sirius }', 'nome: sirius }').replace('trusted: true } }', 'trusted: true }'),
    backend: docs.backend.replace('ligado', 'ligdo'),
    grant: docs.grant.replace('usuario: bia', 'usuario: bai'),
  });
  const [report] = read(text).reports;
  expect(report?.errors.map(({ code, line, column }) => `${code} ${line}:${column}`)).toEqual([
    'SYNTAX 9:45',
    'UNKNOWN_REFERENCE 29:65',
    'ENUM 34:42',
  ]);
  expect(report?.errors[0]?.message).toBe(
    'a } is missing after this, or the next line is indented too little; 3 references that may mean this document are judged once it can be read',
  );
});

test('several people on a local server are told apart by nothing: the server says that they are trusted', () => {
  const local = (more: string) => folder({ server: docs.server.replace('trusted: true', more) });
  const [report] = read(local('trusted: false')).reports;
  expect(report?.errors.map(({ code, path, line }) => `${code} ${path} ${line}`)).toEqual(['UNSEPARATED_PEOPLE /spec/server 19']);
  expect(report?.errors[0]?.message).toMatch(/be administrator; say "local: \{ trusted: true \}"/);
  // Another document of the same folder may be the one that is judged alone.
  const [alone] = readDesired([{ name: 'b.yaml', bytes: docs.bia }], [{ name: 'n.yaml', bytes: local('trusted: false') }]).reports;
  expect(alone?.errors).toEqual([]);
  const apart = (...names: string[]) =>
    readDesired([{ name: 'a.yaml', bytes: local('trusted: false') }], [], ({ metadata }) => names.includes(metadata.name)).reports[0];
  expect(apart('ana', 'bia')?.errors).toEqual([]);
  expect(apart('bia')?.errors.map(({ code, message }) => `${code} ${message}`)).toEqual([
    expect.stringMatching(/^UNSEPARATED_PEOPLE the apps of some people of the local server "sirius" run as the account of the portal/),
  ]);
  expect(told(local('trusted: yes'))).toEqual(['WRONG_TYPE /spec/local/trusted']);
  expect(told(folder({ server: docs.server.replace(', trusted: true', ''), bia: '', grant: '' }))).toEqual([]);
});

test('what stands behind an open quote or brace is judged all the same', () => {
  const text = `${docs.server}\n---\n${docs.ana.replace('nome: Ana Souza', 'nome: "Ana')}\n---\n${docs.backend.replace('ligado', 'ligdo')}\n---\nkind: {\n---\n${docs.bia.replace('login: bia', 'login: 7')}`;
  const answer = read(text);
  expect(answer.reports[0]?.errors.map(({ code }) => code)).toEqual(['SYNTAX', 'ENUM', 'SYNTAX', 'WRONG_TYPE']);
  // Read again, as the portal does every time: the same words, not more of them.
  expect(read(text)).toEqual(answer);
});

test('everything wrong in every file comes at once, with its file and line', () => {
  const answer = readDesired([
    { name: 'a.yaml', bytes: `${docs.server}\nx: 1` },
    { name: 'b.yaml', bytes: `\n${docs.ana}\n---\na: [` },
    { name: 'c.yaml', bytes: Uint8Array.of(0x61, 0xff) },
    { name: 'd.yaml', bytes: docs.bia },
  ]);
  expect(answer.ok).toBe(false);
  expect('state' in answer).toBe(false);
  expect(answer.reports.map(({ file, ok, errors }) => [file, ok, errors.map(({ code, line }) => `${code}:${line}`)])).toEqual([
    ['a.yaml', false, ['UNKNOWN_FIELD:5']],
    ['b.yaml', false, ['SYNTAX:7']],
    ['c.yaml', false, ['INVALID_UTF8:1']],
    ['d.yaml', true, []],
  ]);
});

test('context answers references and is not judged', () => {
  const neighbours = [{ name: 'n.yaml', bytes: `${docs.server}\n---\n${docs.ana}\n---\nkind: Wrong\n---\n${docs.notas}` }];
  expect(readDesired([{ name: 'b.yaml', bytes: docs.backend }], neighbours)).toMatchObject({
    ok: true,
    state: { documents: [{ document: { kind: 'Backend' } }] },
  });
  expect(readDesired([{ name: 'b.yaml', bytes: docs.backend }]).ok).toBe(false);
});

/** `count` people with a wish each; `pessoa` names the person of a wish. */
function crowd(count: number, pessoa = (i: number) => `p${i}`): string {
  const each = Array.from({ length: count }, (_, i) => [
    envelope('Person', `p${i}`, `{ nome: P, login: p${i}, server: sirius }`),
    envelope('Backend', `b${i}`, `{ app: notas, pessoa: ${pessoa(i)}, estado: ligado }`),
  ]);
  return [docs.server, docs.notas, ...each.flat()].join('\n---\n');
}

function timed<T>(work: () => T): { result: T; ms: number } {
  const from = performance.now();
  const result = work();
  return { result, ms: performance.now() - from };
}

test('ten times the documents take about ten times as long, also when every reference is wrong', { tags: ['costly'] }, () => {
  for (const pessoa of [undefined, (i: number) => `q${i}`]) {
    const size = 2_000;
    read(crowd(size / 10, pessoa));
    const few = timed(() => read(crowd(size / 10, pessoa)));
    const many = timed(() => read(crowd(size, pessoa)));
    expect(many.result.reports[0]?.errors).toHaveLength(pessoa ? size : 0);
    expect(many.result.ok).toBe(!pessoa);
    // Quadratic would be a hundred times; the rest is room for a busy machine.
    expect(many.ms / few.ms).toBeLessThan(50);
  }
});

test('canonical JSON sorts fields at every depth and keeps lists', () => {
  expect(canonicalJson({ b: 1, a: [{ d: null, c: 'x' }, 2] })).toBe('{"a":[{"c":"x","d":null},2],"b":1}');
});
