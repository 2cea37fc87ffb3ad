import { expect, test } from 'vitest';
import about from '../../package.json' with { type: 'json' };
import { validateManifest } from './validate.ts';

const good = { id: 'notas', version: '1.0.0', backend: { runtime: 'node', entrypoint: 'backend/main.js' } };

type Change = Record<string, unknown>;
const read = (manifest: unknown) => validateManifest('svc-app.json', JSON.stringify(manifest));
const withRoot = (change: Change) => read({ ...good, ...change });
const errorsOf = (change: Change) => withRoot(change).errors.map(({ code, path }) => `${code} ${path}`);

test('the smallest manifest has no findings', () => {
  expect(read(good)).toEqual({ file: 'svc-app.json', ok: true, errors: [], warnings: [], manifest: good });
});

test('a null manifest comes with errors only, a value without errors only', () => {
  expect(withRoot({ id: 'A' }).manifest).toBeNull();
  expect(withRoot({ version: '1' })).toMatchObject({ ok: true, manifest: { version: '1' }, warnings: [{ code: 'NOT_SEMVER' }] });
});

// Spec 2.1 to 2.5, field by field: what is taken…
test.for<[string, Change]>([
  ['every role', { handles: 'terminal' }],
  ['the old name of ide', { handles: 'vscode' }],
  ['no role', { handles: null }],
  ['an engine with loader', { type: 'engine', engine: { loader: 'loader/main.js' } }],
  ['a service for all accounts with an id of 27', { id: 'a'.repeat(27), kind: 'service', escopo: 'servidor' }],
  ['a health path without the first slash', { backend: { ...good.backend, healthcheckPath: 'saude?x=1' } }],
  ['idle for 9999 minutes', { backend: { ...good.backend, aoFechar: 'ocioso:9999m' } }],
  ['alternatives of a package', { requiredPackages: ['libstdc++6', 'chromium|chromium-browser'] }],
  ['limits of every spelling', { resources: { memoryHigh: 'none', memoryMax: '1.5G', cpuQuota: '150%', tasksMax: '10%' } }],
  ['a plain number as memory', { resources: { memoryMax: '1048576' } }],
  ['one side of the floor', { window: { minimos: { altura: 300 } } }],
  ['the largest window', { window: { width: 10_000, height: 10_000 } }],
  [
    'an engine artefact',
    {
      motores: [
        { nome: 'm', versao: '1', url: 'http://r/v1/motor/m/1', sha256: '0'.repeat(64), tamanho: 1, confere: 'bin/m', quando: 'gpu' },
      ],
    },
  ],
  ['a secret of 64 characters', { secrets: [{ name: `A${'B'.repeat(63)}`, description: '', required: true }] }],
  ['a wildcard below a name', { opens: { urls: ['*.example.com', 'example.com', 'a.b.co.uk', '*.b.co.uk'] } }],
  ['60 characters that are 120 UTF-16 units', { capacidades: { 'a/v1': { rota: '/a', rotulo: '😀'.repeat(60) } }, provides: ['a/v1'] }],
  [
    'own type listed with the dot',
    { opens: { extensions: ['.NOTA'], proprios: [{ extensao: 'nota', nome: 'N', cor: '#767676', selo: 'N' }] } },
  ],
  ['three numbers of a shell version', { minShellVersion: '1.22.333' }],
])('%s is valid', ([, change]) => {
  expect(errorsOf(change)).toEqual([]);
});

// …and what is refused, with code and place.
test.for<[string, Change, string[]]>([
  ['an id with a capital', { id: 'Notas' }, ['PATTERN /id']],
  ['an id with a newline after it', { id: 'notas\n' }, ['PATTERN /id']],
  ['a version that begins with a dot', { version: '.1' }, ['PATTERN /version']],
  ['an unknown field', { nmae: 'x' }, ['UNKNOWN_FIELD /nmae']],
  ['an unknown field two levels down', { recursos: { gpu: { modo: 'opcional', n: 1 } } }, ['UNKNOWN_FIELD /recursos/gpu/n']],
  ['an unknown field with a slash', { 'a/b~': 1 }, ['UNKNOWN_FIELD /a~1b~0']],
  ['no backend', { backend: undefined }, ['MISSING_FIELD /backend']],
  ['no gpu mode', { recursos: { gpu: {} } }, ['MISSING_FIELD /recursos/gpu/modo']],
  ['a number as name', { name: 7 }, ['WRONG_TYPE /name']],
  ['null as name', { name: null }, ['WRONG_TYPE /name']],
  ['a role that does not exist', { handles: 'mail' }, ['ENUM /handles']],
  ['tcp', { backend: { ...good.backend, transport: 'tcp' } }, ['TRANSPORT /backend/transport']],
  ['another transport', { backend: { ...good.backend, transport: 'vsock' } }, ['TRANSPORT /backend/transport']],
  ['a number as transport', { backend: { ...good.backend, transport: 1 } }, ['WRONG_TYPE /backend/transport']],
  ['idle for no minutes', { backend: { ...good.backend, aoFechar: 'ocioso:0m' } }, ['PATTERN /backend/aoFechar']],
  ['idle for 10000 minutes', { backend: { ...good.backend, aoFechar: 'ocioso:10000m' } }, ['PATTERN /backend/aoFechar']],
  ['another runtime', { backend: { ...good.backend, runtime: 'ruby' } }, ['ENUM /backend/runtime']],
  ['an absolute entrypoint', { backend: { ...good.backend, entrypoint: '/bin/sh' } }, ['PATH_ESCAPES /backend/entrypoint']],
  ['an entrypoint that goes up', { backend: { ...good.backend, entrypoint: 'a/../../b' } }, ['PATH_ESCAPES /backend/entrypoint']],
  [
    'an entrypoint with a NUL',
    { backend: { ...good.backend, entrypoint: 'a\0' } },
    ['CONTROL_CHARACTER /backend/entrypoint', 'PATH_ESCAPES /backend/entrypoint'],
  ],
  [
    'a health path that smuggles a header',
    { backend: { ...good.backend, healthcheckPath: '/ HTTP/1.1\r\nx: y' } },
    ['HEALTHCHECK_PATH /backend/healthcheckPath'],
  ],
  ['an icon that goes up', { icon: '../icon.svg' }, ['PATH_ESCAPES /icon']],
  ['a settings script that goes up', { contributes: { settings: 'a/../../x.js' } }, ['PATH_ESCAPES /contributes/settings']],
  ['a capability without version', { provides: ['texto'], capacidades: {} }, ['PATTERN /provides/0']],
  ['a range in requires', { requires: ['texto/v1', 'texto/^1'] }, ['PATTERN /requires/1']],
  ['a bad capability name', { capacidades: { Texto: { rota: '/a' } } }, ['PATTERN /capacidades/Texto']],
  ['a route with ..', { provides: ['a/v1'], capacidades: { 'a/v1': { rota: '/a/..' } } }, ['ROUTE_SEGMENT /capacidades/a~1v1/rota']],
  ['a route with .', { provides: ['a/v1'], capacidades: { 'a/v1': { rota: '/./a' } } }, ['ROUTE_SEGMENT /capacidades/a~1v1/rota']],
  [
    'a route with a slash at the end',
    { provides: ['a/v1'], capacidades: { 'a/v1': { rota: '/a/' } } },
    ['PATTERN /capacidades/a~1v1/rota'],
  ],
  [
    '61 characters of rotulo',
    { provides: ['a/v1'], capacidades: { 'a/v1': { rota: '/a', rotulo: 'x'.repeat(61) } } },
    ['LENGTH /capacidades/a~1v1/rotulo'],
  ],
  ['nine menu items', { contributes: { contextMenu: Array.from({ length: 9 }, () => ({})) } }, ['LENGTH /contributes/contextMenu']],
  ['a package with a command', { requiredPackages: ['git; rm'] }, ['PATTERN /requiredPackages/0']],
  ['a package with an empty alternative', { requiredPackages: ['git|'] }, ['PATTERN /requiredPackages/0']],
  ['memory with another unit', { resources: { memoryMax: '1P' } }, ['PATTERN /resources/memoryMax']],
  ['cpu without percent', { resources: { cpuQuota: '100' } }, ['PATTERN /resources/cpuQuota']],
  ['a server-scope app', { escopo: 'servidor' }, ['SERVER_SCOPE_KIND /escopo']],
  ['an id of 50', { id: 'a'.repeat(50) }, ['ID_TOO_LONG /id']],
  ['an id of 64 that ends in "-"', { id: `${'a'.repeat(63)}-` }, ['ID_TOO_LONG /id', 'NOT_A_HOST_NAME /id']],
  ['an id with "-" first', { id: '-a' }, ['NOT_A_HOST_NAME /id']],
  ['an id with "-" last', { id: 'a-' }, ['NOT_A_HOST_NAME /id']],
  ['an encoded id', { id: 'xn--a' }, ['NOT_A_HOST_NAME /id']],
  ['a server-scope id of 28', { id: 'a'.repeat(28), kind: 'service', escopo: 'servidor' }, ['SERVER_SCOPE_ID /id']],
  [
    'an engine artefact of no bytes',
    { motores: [{ nome: 'm', versao: '1', url: 'ftp://x', sha256: 'A'.repeat(64), tamanho: 0, confere: '../x' }] },
    ['PATTERN /motores/0/url', 'PATTERN /motores/0/sha256', 'RANGE /motores/0/tamanho', 'PATH_ESCAPES /motores/0/confere'],
  ],
  [
    'two engines of one name',
    { motores: Array.from({ length: 2 }, () => ({ nome: 'm', versao: '1', url: 'http://x', sha256: '0'.repeat(64), tamanho: 1 })) },
    ['DUPLICATE_NAME /motores/1/nome'],
  ],
  ['a secret in lowercase', { secrets: [{ name: 'key' }] }, ['PATTERN /secrets/0/name']],
  ['a secret of 65 characters', { secrets: [{ name: `A${'B'.repeat(64)}` }] }, ['PATTERN /secrets/0/name']],
  ['a secret with its value', { secrets: [{ name: 'A', value: 'x' }] }, ['UNKNOWN_FIELD /secrets/0/value']],
  ['a homepage without scheme', { homepage: 'example.org' }, ['FORMAT /homepage']],
  ['a homepage that runs', { homepage: 'javascript:alert(1)' }, ['FORMAT /homepage']],
  ['a developer without name', { developer: { url: 'https://x.org' } }, ['MISSING_FIELD /developer/name']],
  [
    'an own type not opened',
    { opens: { proprios: [{ extensao: 'nota', nome: 'N', cor: '#000000' }] } },
    ['OWN_TYPE_NOT_OPENED /opens/proprios/0/extensao'],
  ],
  [
    'an own type in capitals',
    { opens: { extensions: ['NOTA'], proprios: [{ extensao: 'NOTA', nome: 'N', cor: '#000000' }] } },
    ['PATTERN /opens/proprios/0/extensao'],
  ],
  [
    'contrast of 4.48',
    { opens: { extensions: ['n'], proprios: [{ extensao: 'n', nome: 'N', cor: '#777777' }] } },
    ['BADGE_CONTRAST /opens/proprios/0/cor'],
  ],
  [
    '33 own types',
    { opens: { extensions: ['n'], proprios: Array.from({ length: 33 }, (_, i) => ({ extensao: `n${i}`, nome: 'N', cor: '#000000' })) } },
    ['LENGTH /opens/proprios', ...Array.from({ length: 33 }, (_, i) => `OWN_TYPE_NOT_OPENED /opens/proprios/${i}/extensao`)],
  ],
  ['a star alone', { opens: { urls: ['*'] } }, ['PATTERN /opens/urls/0']],
  ['a top-level wildcard', { opens: { urls: ['*.com'] } }, ['PATTERN /opens/urls/0']],
  ['an address', { opens: { urls: ['127.0.0.1'] } }, ['PATTERN /opens/urls/0']],
  ['localhost', { opens: { urls: ['localhost'] } }, ['PATTERN /opens/urls/0']],
  ['a wildcard over co.uk', { opens: { urls: ['*.co.uk'] } }, ['PUBLIC_SUFFIX /opens/urls/0']],
  ['a wildcard over COM.BR', { opens: { urls: ['*.COM.BR'] } }, ['PUBLIC_SUFFIX /opens/urls/0']],
  ['a wildcard over github.io', { opens: { urls: ['*.github.io'] } }, ['PUBLIC_SUFFIX /opens/urls/0']],
  [
    'a small window',
    { window: { width: 199, height: 149, minimos: { largura: 399, altura: 299 } } },
    ['RANGE /window/width', 'RANGE /window/height', 'RANGE /window/minimos/largura', 'RANGE /window/minimos/altura'],
  ],
  ['half a pixel', { window: { width: 300.5 } }, ['WRONG_TYPE /window/width']],
  ['an empty selector', { window: { cancelarArraste: [''] } }, ['LENGTH /window/cancelarArraste/0']],
  ['another scope of install', { instalacao: ['usuario'] }, ['ENUM /instalacao/0']],
])('%s is refused: %j', ([, change, expected]) => {
  expect(errorsOf(change).sort()).toEqual([...expected].sort());
});

test.for(['SVC_APP_SOCKET', 'SVC_APP_ID', 'SVC_APP_INSTALLED_HASH'])('a secret may not be named %s', (name) => {
  expect(errorsOf({ secrets: [{ name }] })).toEqual(['RESERVED_NAME /secrets/0/name']);
});

// Source: rules 2.1 `secrets[].name`.
test.for(['BROWSER', 'PATH', 'HOME', 'LD_LIBRARY_PATH', 'NODE_OPTIONS', 'CUDA_VISIBLE_DEVICES', 'SVC_APP_DATA_DIR', 'SVC_APP_TOKEN'])(
  'a secret may be named %s',
  (name) => {
    expect(errorsOf({ secrets: [{ name }] })).toEqual([]);
  },
);

test('all mistakes come at once, in the order of the file, at the key or at the value', () => {
  const text = '{\n  "nmae": "x",\n  "id": "A",\n  "version": "1.0.0",\n  "backend": { "runtime": "pyton3", "entrypoint": "m" }\n}';
  expect(validateManifest('f', text).errors).toEqual([
    { code: 'UNKNOWN_FIELD', path: '/nmae', line: 2, column: 3, message: 'unknown field "nmae" in the root; did you mean "name"?' },
    { code: 'PATTERN', path: '/id', line: 3, column: 9, message: '"id": expected lowercase letters, digits and "-", found "A"' },
    {
      code: 'ENUM',
      path: '/backend/runtime',
      line: 5,
      column: 27,
      message: '"backend.runtime": expected "python3", "node", "binary", found "pyton3"; did you mean "python3"?',
    },
  ]);
});

// Source: rules 2.1 rule 2, 9.
test('a manifest for a newer svc is refused with the unknown field and both versions', () => {
  const [error] = withRoot({ minShellVersion: '9.1', recursos: { holograma: true } }).errors;
  expect(error).toMatchObject({ code: 'UNKNOWN_FIELD', path: '/recursos/holograma' });
  expect(error?.message).toBe(
    `unknown field "holograma" in "recursos"; known here: gpu, fila, salas, metricas; the manifest is for svc 9.1 or newer ("minShellVersion"), this is svc ${about.version}: update svc`,
  );
  // Which it is for is not said.
  expect(withRoot({ holograma: 1 }).errors[0]?.message).toBe(
    `unknown field "holograma" in the root; svc ${about.version} has no such field`,
  );
  expect(withRoot({ holograma: 1, minShellVersion: '0.0.1' }).errors[0]?.message).toMatch(/has no such field$/);
});

test.for<[Change, string]>([
  [{ installCommand: 'true' }, '; it belongs into "backend"'],
  [{ backend: { ...good.backend, version: '1' } }, 'it belongs into the root'],
])('a field of another place is told its place', ([change, message]) => {
  expect(withRoot(change).errors).toMatchObject([{ code: 'UNKNOWN_FIELD', message: expect.stringContaining(message) as string }]);
});

test('the tcp error names the problem', () => {
  const [error] = withRoot({ backend: { ...good.backend, transport: 'tcp' } }).errors;
  expect(error?.message).toMatch(/no longer exists.*SVC_APP_SOCKET/);
});

// Allowed fields that do nothing, or not what their author expects.
test.for<[Change, string]>([
  [{ version: '1.0' }, 'NOT_SEMVER /version'],
  [{ type: 'engine', window: {} }, 'HAS_NO_EFFECT /window'],
  [{ engine: {} }, 'HAS_NO_EFFECT /engine'],
  [{ kind: 'service', backend: { ...good.backend, aoFechar: 'encerrar' } }, 'HAS_NO_EFFECT /backend/aoFechar'],
  [{ kind: 'service', escopo: 'servidor', backend: { ...good.backend, aoFechar: 'ocioso:5m' } }, 'HAS_NO_EFFECT /backend/aoFechar'],
  [{ kind: 'service', escopo: 'servidor', secrets: [{ name: 'API_KEY' }] }, 'HAS_NO_EFFECT /secrets'],
  [{ kind: 'service', escopo: 'servidor', instalacao: ['pessoa'] }, 'HAS_NO_EFFECT /instalacao'],
  [
    { type: 'engine', contributes: { contextMenu: [{ id: 'a', superficie: 'pasta', rotulo: 'A' }] } },
    'HAS_NO_EFFECT /contributes/contextMenu',
  ],
  [{ capacidades: { 'a/v1': { rota: '/a' } } }, 'NOT_PROVIDED /capacidades/a~1v1'],
  [{ provides: ['a/v1'] }, 'NOT_CALLABLE /provides/0'],
  [{ provides: ['a/v1', 'a/v1'], capacidades: { 'a/v1': { rota: '/a' } } }, 'HAS_NO_EFFECT /provides/1'],
  [{ requires: ['a/v1'], usa: ['a/v1'] }, 'HAS_NO_EFFECT /usa/0'],
  [{ usa: ['a/v1'], provides: ['a/v1'], capacidades: { 'a/v1': { rota: '/a' } } }, 'OWN_CAPABILITY /usa/0'],
  [{ requires: ['a/v1'], provides: ['a/v1'], capacidades: { 'a/v1': { rota: '/a' } } }, 'OWN_CAPABILITY /requires/0'],
  [{ contributes: { settingsOptIn: true } }, 'HAS_NO_EFFECT /contributes/settingsOptIn'],
  [{ gpu: true, recursos: { gpu: { modo: 'necessaria' } } }, 'HAS_NO_EFFECT /gpu'],
  [{ window: { icone: { url: '../x.svg' } } }, 'HAS_NO_EFFECT /window/icone/url'],
  [{ icon: 'icon.webp' }, 'ICON_TYPE /icon'],
  [{ name: '' }, 'HAS_NO_EFFECT /name'],
  [{ category: '' }, 'HAS_NO_EFFECT /category'],
  [{ window: { title: '' } }, 'HAS_NO_EFFECT /window/title'],
  [{ opens: { extensions: ['txt', `.${'a'.repeat(254)}`] } }, 'HAS_NO_EFFECT /opens/extensions/1'],
  [{ opens: { mimeTypes: [`a/${'b'.repeat(128)}`] } }, 'HAS_NO_EFFECT /opens/mimeTypes/0'],
  [{ opens: { urls: [`${'a.'.repeat(126)}org`] } }, 'HAS_NO_EFFECT /opens/urls/0'],
  [
    { contributes: { contextMenu: [{ id: 'a', superficie: 'arquivo', rotulo: 'x', ordem: 1000 }] } },
    'MENU_ITEM_OMITTED /contributes/contextMenu/0/ordem',
  ],
])('%j is a warning: %s', ([change, expected]) => {
  const report = withRoot(change);
  expect(report.errors).toEqual([]);
  expect(report.warnings.map(({ code, path }) => `${code} ${path}`)).toEqual([expected]);
});

// Bytes that no editor should have written.
test.for<[string, Uint8Array | string, string]>([
  ['a byte order mark', Buffer.from('\uFEFF{}'), 'BYTE_ORDER_MARK 1:1'],
  ['a NUL byte', Buffer.from('{"id":"a\0"}'), 'NUL_BYTE 1:9'],
  ['latin1', Buffer.from('{"name": "é"}', 'latin1'), 'INVALID_UTF8 1:11'],
  ['an overlong slash', Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22]), 'INVALID_UTF8 1:3'],
  ['a surrogate in UTF-8', Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22]), 'INVALID_UTF8 1:3'],
  ['a cut character', Buffer.from([0x7b, 0xe2, 0x82]), 'INVALID_UTF8 1:2'],
  ['half a surrogate pair as escape', '{"name": "\\ud800"}', 'LONE_SURROGATE 1:10'],
  ['half a pair in a key', '{"\\udc00": 1}', 'LONE_SURROGATE 1:2'],
  ['a field twice', '{\n"id": "a",\n"id": "b"}', 'DUPLICATE_KEY 3:1'],
  ['a field twice in disguise', '{"id": "a", "i\\u0064": "b"}', 'DUPLICATE_KEY 1:13'],
  ['__proto__', '{"__proto__": {"id": "a"}}', 'FORBIDDEN_KEY 1:2'],
  ['constructor', '{"backend": {"constructor": 1}}', 'FORBIDDEN_KEY 1:14'],
  ['a list of 100,000 levels', '['.repeat(100_000), 'TOO_DEEP 1:65'],
  ['300 KB', `{"name": "${'a'.repeat(300 * 1024)}"}`, 'TOO_LARGE 1:1'],
  ['nothing', '', 'SYNTAX 1:1'],
  ['a list', '[]', 'WRONG_TYPE 1:1'],
  ['null', 'null', 'WRONG_TYPE 1:1'],
  ['a comment', '{ // x\n}', 'SYNTAX 1:3'],
])('%s is refused', ([, bytes, expected]) => {
  const report = validateManifest('f', bytes);
  expect(report.ok).toBe(false);
  expect(report.manifest).toBeNull();
  expect(report.errors.map(({ code, line, column }) => `${code} ${line}:${column}`)).toContain(expected);
});

test('a prototype is never touched', () => {
  validateManifest('f', '{"__proto__": {"polluted": true}, "window": {"__proto__": {"polluted": true}}}');
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});
