/**
 * Valid manifests, each with one mistake: the oracle is the table below, written from the spec and not from the schema. It says
 * which code a mistake gets, and where.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLine, twoLines } from '../testing/oracle-texts.ts';
import { validateManifest } from './validate.ts';
import { amount } from '../../test/support/amount.ts';
import { wordsOf } from '../../test/support/words.ts';

const seed = Number(process.env['FC_SEED'] ?? process.env['SVC_TEST_RUN_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const runs = Number(process.env['FC_RUNS'] ?? amount(4_000, 200_000, 1_000));

type Fields = Record<string, unknown>;

const lower = (max: number) => fc.stringMatching(new RegExp(`^[a-z][a-z0-9]{0,${max - 1}}$`));
const text = fc.string({ maxLength: 40, unit: 'grapheme' }).filter(isLine);
const capability = fc.tuple(lower(8), fc.nat(99)).map(([name, version]) => `${name}/v${version}`);
const address = lower(10).map((name) => `https://${name}.example.org/a?b=c#d`);
const file = (extension: string) => fc.tuple(lower(8), lower(8)).map(([a, b]) => `${a}/${b}.${extension}`);

/** Every field is always there, so that every mistake finds its place. */
const manifests = fc
  .record({
    id: lower(27),
    name: text,
    version: fc.tuple(fc.nat(9), fc.nat(99), fc.nat(9)).map((parts) => parts.join('.')),
    type: fc.constant('engine'),
    kind: fc.constant('service'),
    escopo: fc.constantFrom('pessoa', 'servidor'),
    engine: fc.record({ loader: file('js') }),
    requires: fc.array(capability, { minLength: 1, maxLength: 3 }),
    usa: fc.array(capability, { minLength: 1, maxLength: 3 }),
    offers: fc.uniqueArray(capability, { minLength: 1, maxLength: 3 }),
    minShellVersion: fc.constantFrom('1', '1.2', '10.20.30'),
    contributes: fc.record({
      settings: file('js'),
      settingsOptIn: fc.boolean(),
      contextMenu: fc.constant([{ id: 'a', superficie: 'pasta', rotulo: 'A' }]),
      browserExtension: fc.record({ id: lower(8), razao: text }),
    }),
    requiredPackages: fc.array(fc.constantFrom('git', 'libstdc++6', 'a|b|c', '7zip'), { minLength: 1, maxLength: 3 }),
    motores: fc.tuple(
      fc.record({
        nome: lower(32),
        versao: fc.constantFrom('1', '2.0+x_y', 'v'),
        url: address,
        sha256: fc.stringMatching(/^[0-9a-f]{64}$/),
        tamanho: fc.integer({ min: 1, max: 2 ** 40 }),
        confere: file('so'),
        quando: fc.constant('gpu'),
      }),
    ),
    instalacao: fc.constantFrom([], ['sistema'], ['sistema', 'pessoa'], ['pessoa']),
    resources: fc.record({
      memoryHigh: fc.constantFrom('none', '1', '1.5G', '50%'),
      memoryMax: fc.constantFrom('none', '512M', '2T', '9K'),
      cpuQuota: fc.constantFrom('none', '150%'),
      tasksMax: fc.constantFrom('none', '100', '10%'),
    }),
    recursos: fc.record({
      gpu: fc.record({ modo: fc.constantFrom('opcional', 'necessaria') }),
      fila: fc.boolean(),
      salas: fc.boolean(),
      metricas: fc.boolean(),
    }),
    gpu: fc.boolean(),
    secrets: fc.tuple(
      fc.record({
        name: fc.stringMatching(/^[A-Z][A-Z0-9_]{0,20}$/).map((name) => `MY_${name}`),
        description: text,
        required: fc.boolean(),
      }),
    ),
    icon: file('svg'),
    category: text,
    description: text,
    developer: fc.record({ name: text, url: address }),
    publisher: fc.record({ name: text, url: address }),
    homepage: address,
    license: text,
    handles: fc.constantFrom('terminal', 'editor', 'fileBrowser', 'ide', 'vscode', 'browser', null),
    opens: fc.record({
      extensions: fc.constant(['nota', '.md']),
      mimeTypes: fc.constant(['text/markdown']),
      default: fc.boolean(),
      proprios: fc.tuple(
        fc.record({
          extensao: fc.constantFrom('nota', '.nota'),
          nome: text,
          cor: fc.constantFrom('#000000', '#1a4f8b', '#767676'),
          icone: file('png'),
          selo: fc.constantFrom('N', 'NOTA5'),
        }),
      ),
      urls: fc.constant(['*.example.com', 'a.b.example.org']),
    }),
    backend: fc.record({
      runtime: fc.constantFrom('python3', 'node', 'binary'),
      entrypoint: file('py'),
      transport: fc.constant('socket'),
      aoFechar: fc.constantFrom('encerrar', 'manter', 'ocioso:1m', 'ocioso:9999m'),
      installCommand: text,
      healthcheckPath: fc.constantFrom('/', '/saude?x=1'),
    }),
    window: fc.record({
      title: text,
      width: fc.integer({ min: 200, max: 10_000 }),
      height: fc.integer({ min: 150, max: 10_000 }),
      richChrome: fc.boolean(),
      multiplasJanelas: fc.boolean(),
      cabecalho: fc.constantFrom('ambiente', 'app'),
      minimos: fc.record({ largura: fc.integer({ min: 400, max: 10_000 }), altura: fc.integer({ min: 300, max: 10_000 }) }),
      posicao: fc.constantFrom('cascata', 'centrada'),
      cancelarArraste: fc.constant(['.x']),
      icone: fc.record({ glifo: fc.constantFrom('pasta', 'globo'), url: file('svg') }),
    }),
  })
  .map(({ offers, ...manifest }) =>
    Object.assign(manifest, {
      provides: offers,
      capacidades: Object.fromEntries(offers.map((name) => [name, { rota: '/api/a', rotulo: 'A' }])),
    }),
  );

const anObject = {};
const notText = [7, true, null, [], anObject];
const notFlag = ['true', 0, null];
const longer = (chars: number) => 'é'.repeat(chars + 1);
const shownTexts = ['name', 'description', 'license', 'developer.name', 'window.title', 'capacidades.*.rotulo', 'opens.proprios.0.nome'];
/** Turn the text around them, or end a line where no reader of lines expects it. */
const turned = Array.from('\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029', (char) => `a${char}b`);
const unseen = ['\u200b', '\ufeff', '\u200b\ufeff \u2060', '\u3164', '\u00ad', '\u2800', '\u{e0041}', ' ', '\u3000\t'];
const badCapability = ['texto', 'texto/v', 'Texto/v1', 'texto/v1 ', '/v1', 'texto/v1.2', 'texto/v1\n', '1a/v1'];

/** path (`*` is the name of a capability), code, values that break it. */
const table: readonly (readonly [string, string, readonly unknown[]])[] = [
  ['id', 'PATTERN', ['', 'A', 'a b', 'a_b', 'a/b', 'a.b', 'é', 'a\n', '\na']],
  ['version', 'PATTERN', ['', '-1', '.1', '1 0', '1/0', '1.0\n']],
  ['minShellVersion', 'PATTERN', ['', '1.', '1.2.3.4', 'v1', '1.x', '1\n']],
  ...wordsOf(`
    id version name icon category description license homepage minShellVersion backend.entrypoint backend.installCommand
    backend.healthcheckPath backend.aoFechar backend.runtime backend.transport window.title type kind escopo engine.loader
    developer.name developer.url contributes.settings requires.0 provides.0 usa.0 motores.0.nome motores.0.sha256 secrets.0.name
    secrets.0.description resources.memoryMax opens.extensions.0 opens.urls.0 opens.proprios.0.cor window.cancelarArraste.0
    window.icone.glifo
  `).map((path) => [path, 'WRONG_TYPE', notText] as const),
  ...wordsOf(`
    gpu recursos.fila recursos.salas recursos.metricas contributes.settingsOptIn opens.default window.richChrome
    window.multiplasJanelas secrets.0.required
  `).map((path) => [path, 'WRONG_TYPE', notFlag] as const),
  ...wordsOf(`
    engine contributes recursos recursos.gpu resources developer publisher opens backend window window.minimos window.icone capacidades
    capacidades.* motores.0 secrets.0 opens.proprios.0 contributes.browserExtension
  `).map((path) => [path, 'WRONG_TYPE', ['x', 1, null, []]] as const),
  ...wordsOf(`
    provides requires usa requiredPackages motores instalacao secrets opens.extensions opens.mimeTypes opens.proprios opens.urls
    window.cancelarArraste contributes.contextMenu
  `).map((path) => [path, 'WRONG_TYPE', ['x', 1, null, anObject]] as const),
  ['type', 'ENUM', ['App', 'service', '']],
  ['kind', 'ENUM', ['engine', 'daemon']],
  ['escopo', 'ENUM', ['sistema', 'server']],
  ['handles', 'ENUM', ['mail', '', 1]],
  ['instalacao.0', 'ENUM', ['root']],
  ['backend.runtime', 'ENUM', ['python', 'Node', 'ruby']],
  ['backend.transport', 'TRANSPORT', ['tcp', 'Socket', '']],
  ['recursos.gpu.modo', 'ENUM', ['obrigatoria', 'Opcional']],
  ['motores.0.quando', 'ENUM', ['sempre']],
  ['window.cabecalho', 'ENUM', ['shell']],
  ['window.posicao', 'ENUM', ['centro']],
  ['window.icone.glifo', 'ENUM', ['disco']],
  ...['provides.0', 'requires.0', 'usa.0'].map((path) => [path, 'PATTERN', badCapability] as const),
  ['capacidades.*.rota', 'PATTERN', ['', '/', 'a', '/a/', '//a', '/a b', '/a?b', '/a\n']],
  ['capacidades.*.rota', 'ROUTE_SEGMENT', ['/.', '/..', '/a/../b', '/a/.']],
  ['capacidades.*.rotulo', 'LENGTH', ['', longer(60)]],
  ['engine.loader', 'PATTERN', ['', '/a.js', '.a.js', 'a.mjs', 'a.js\n', 'a b.js']],
  ['engine.loader', 'PATH_ESCAPES', ['a/../../b.js']],
  ['contributes.settings', 'PATTERN', ['/a.js', 'a.css', '../a.js']],
  ['contributes.settings', 'PATH_ESCAPES', ['a/../b.js']],
  ['contributes.contextMenu', 'LENGTH', [Array.from({ length: 9 }, () => ({ id: 'a' }))]],
  ['contributes.browserExtension.id', 'PATTERN', ['A', '', 'a_b']],
  ['contributes.browserExtension.razao', 'LENGTH', ['', longer(120)]],
  ['requiredPackages.0', 'PATTERN', ['', '|', 'a|', 'a||b', 'a | b', 'A', '-a', 'a;b', 'a b', 'a\n', '$(a)']],
  ['motores.0.nome', 'PATTERN', ['', 'A', '1a', 'a_b', `a${'b'.repeat(32)}`]],
  ['motores.0.versao', 'PATTERN', ['', '.', '-1', '1/2', 'a'.repeat(65)]],
  ['motores.0.url', 'PATTERN', ['ftp://a', 'http://', 'http://a b', '//a', 'file:///a']],
  ['motores.0.sha256', 'PATTERN', ['0'.repeat(63), '0'.repeat(65), 'A'.repeat(64), 'g'.repeat(64)]],
  ['motores.0.tamanho', 'RANGE', [0, -1]],
  ['motores.0.tamanho', 'WRONG_TYPE', ['1', 1.5, null]],
  ['motores.0.confere', 'PATTERN', ['', '/a', 'a/', 'a//b', 'a b']],
  ['motores.0.confere', 'PATH_ESCAPES', ['..', 'a/../b']],
  ['resources.memoryHigh', 'PATTERN', ['', '1P', '1.G', '-1', 'NONE', '1 G', '1G\n']],
  ['resources.memoryMax', 'PATTERN', ['1.5.5', 'infinity', '10%%']],
  ['resources.cpuQuota', 'PATTERN', ['', '100', '1.5%', 'none%']],
  ['resources.tasksMax', 'PATTERN', ['', '-1', '1.5', '10K']],
  ['secrets.0.name', 'PATTERN', ['', 'a', '1A', 'A-B', 'A B', `A${'B'.repeat(64)}`, 'A\n']],
  ['secrets.0.name', 'RESERVED_NAME', ['SVC_APP_ID', 'SVC_APP_SOCKET', 'SVC_APP_INSTALLED_HASH']],
  ['icon', 'PATH_ESCAPES', ['/a.svg', '../a.svg', 'a\\b.svg']],
  ['developer.name', 'LENGTH', ['']],
  ['license', 'LENGTH', ['']],
  ...['homepage', 'developer.url', 'publisher.url'].map(
    (path) =>
      [
        path,
        'FORMAT',
        ['', 'example.org', 'https://a b', 'javascript:alert(1)', 'data:text/html,x', 'http://[', '\nhttps://a.org'],
      ] as const,
  ),
  ['opens.extensions.0', 'PATTERN', ['', '.', '..a', '-a', 'a b', 'a/b']],
  ['opens.mimeTypes.0', 'PATTERN', ['', 'text', 'text/', 'a/b/c', 'text/x; a=b']],
  [
    'opens.urls.0',
    'PATTERN',
    [
      ...wordsOf(`
        * *.com localhost 1.2.3.4 https://a.org a.org:80 a.org/x a..org -a.org a.org. a.1 *.*.org
      `),
      'a.org\n',
    ],
  ],
  ['opens.urls.0', 'PUBLIC_SUFFIX', ['*.co.uk', '*.com.br', '*.github.io', '*.GOV.BR']],
  ['opens.proprios.0.extensao', 'PATTERN', ['', 'N', '.', `n${'o'.repeat(16)}`, 'n.o']],
  ['opens.proprios.0.extensao', 'OWN_TYPE_NOT_OPENED', ['outra', '.outra']],
  ['opens.proprios.0.nome', 'LENGTH', ['', longer(60)]],
  ['opens.proprios.0.cor', 'PATTERN', ['', '#fff', '000000', '#00000g', 'red', '#000000\n']],
  ['opens.proprios.0.cor', 'BADGE_CONTRAST', ['#ffffff', '#777777', '#ff0000', '#00ff00']],
  ['opens.proprios.0.icone', 'PATTERN', ['a.gif', '/a.svg', '.svg']],
  ['opens.proprios.0.icone', 'PATH_ESCAPES', ['a/../../b.png']],
  ['opens.proprios.0.selo', 'PATTERN', ['', 'n', 'SEISXX', 'A-B']],
  ['backend.entrypoint', 'LENGTH', ['']],
  ['backend.entrypoint', 'PATH_ESCAPES', ['/bin/sh', '..', '../a', 'a/../../b', 'a\\b', 'a\nb']],
  [
    'backend.aoFechar',
    'PATTERN',
    ['', 'Manter', 'ocioso', 'ocioso:0m', 'ocioso:10000m', 'ocioso:5', 'ocioso:5s', 'manter\n', 'ocioso:05m'],
  ],
  ['backend.healthcheckPath', 'HEALTHCHECK_PATH', ['', '//a/b', '/a b', '/a\r\nx: y', '/é', 'http://a/']],
  ['backend.installCommand', 'CONTROL_CHARACTER', ['a\0b']],
  ...[...shownTexts, 'window.cancelarArraste.0', 'secrets.0.description', 'contributes.browserExtension.razao'].map(
    (path) => [path, 'CONTROL_CHARACTER', ['a\0b', '\u001b[2J', 'a\u007f', '\u009b1m', ...turned, ...unseen, ...twoLines(path)]] as const,
  ),
  ['window.width', 'RANGE', [199, 10_001, -1]],
  ['window.height', 'RANGE', [149, 10_001]],
  ['window.width', 'WRONG_TYPE', ['300', 300.5, null, true]],
  ['window.minimos.largura', 'RANGE', [399, 10_001]],
  ['window.minimos.altura', 'RANGE', [299, 10_001]],
  ['window.cancelarArraste.0', 'LENGTH', ['']],
  ['window.icone.url', 'LENGTH', ['']],
];

/** Removing these is a mistake; adding a field to these is one. */
const required = [
  ...wordsOf(`
    id version backend backend.runtime backend.entrypoint recursos.gpu.modo capacidades.*.rota contributes.browserExtension.id
    developer.name publisher.name secrets.0.name
  `),
  ...['nome', 'versao', 'url', 'sha256', 'tamanho'].map((field) => `motores.0.${field}`),
  ...['extensao', 'nome', 'cor'].map((field) => `opens.proprios.0.${field}`),
];
const closed = [
  '',
  'engine',
  'capacidades.*',
  'contributes',
  'contributes.browserExtension',
  'motores.0',
  'resources',
  'recursos',
  'recursos.gpu',
  'secrets.0',
  'developer',
  'publisher',
  'opens',
  'opens.proprios.0',
  'backend',
  'window',
  'window.minimos',
  'window.icone',
];

interface Mutation {
  readonly path: string;
  readonly code: string;
  readonly change: (owner: Fields, field: string) => void;
}

const mutations: readonly Mutation[] = [
  ...table.flatMap(([path, code, values]) =>
    values.map((value) => ({ path, code, change: (owner: Fields, field: string) => void (owner[field] = value) })),
  ),
  ...required.map((path) => ({ path, code: 'MISSING_FIELD', change: (owner: Fields, field: string) => void delete owner[field] })),
  ...closed.map((path) => ({
    path: `${path}${path === '' ? '' : '.'}novo`,
    code: 'UNKNOWN_FIELD',
    change: (owner: Fields, field: string) => void (owner[field] = 1),
  })),
];

function mutate(manifest: Fields, { path, change }: Mutation): { broken: Fields; pointer: string } {
  const broken = structuredClone(manifest);
  const segments = path
    .split('.')
    .map((segment) => (segment === '*' ? (Object.keys(manifest['capacidades'] as Fields)[0] ?? '') : segment));
  const owner = segments.slice(0, -1).reduce<Fields>((at, segment) => at[segment] as Fields, broken);
  const last = segments.at(-1) ?? '';
  if (path === 'instalacao.0' && (broken['instalacao'] as unknown[]).length === 0) broken['instalacao'] = ['root'];
  else change(owner, last);
  return { broken, pointer: segments.map((segment) => `/${segment.replaceAll('/', '~1')}`).join('') };
}

test(`generated manifests are valid (seed ${seed})`, () => {
  fc.assert(
    fc.property(manifests, (manifest) => {
      expect(validateManifest('f', JSON.stringify(manifest)).errors).toEqual([]);
    }),
    { seed, numRuns: amount(500) },
  );
}, 60_000);

test(`one mistake in a valid manifest gives its one error, at its place (seed ${seed}, ${mutations.length} mistakes)`, () => {
  const used = new Set<Mutation>();
  fc.assert(
    fc.property(manifests, fc.nat(), fc.constantFrom(0, 2), (manifest, pick, indent) => {
      // Every mistake is made before one is made twice.
      const mutation = mutations[used.size < mutations.length ? used.size : pick % mutations.length];
      if (!mutation) throw new Error('no mutation');
      used.add(mutation);
      const { broken, pointer } = mutate(manifest, mutation);
      const text = JSON.stringify(broken, null, indent);
      const { errors, ok } = validateManifest('f', text);
      expect(ok).toBe(false);
      const told = errors.map(({ code, path }) => `${code} ${path}`);
      expect(told).toContain(`${mutation.code} ${pointer}`);
      // A mistake may break a second rule (an entrypoint with NUL), never more, and never elsewhere but in what depends on it.
      expect(told.slice(2)).toEqual([]);
      for (const { line, column } of errors) expect(text.split('\n')[line - 1]?.length).toBeGreaterThanOrEqual(column - 1);
    }),
    { seed, numRuns: runs },
  );
  expect(used.size).toBe(mutations.length);
}, 600_000);
