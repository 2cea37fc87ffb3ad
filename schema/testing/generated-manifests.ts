/** Valid manifests from a seed, for the tests: fields as rules 2.1 to 2.5 list them, with values at the borders of what is allowed. */
import type { Random } from '../../test/simulation/random.ts';

type Fields = Record<string, unknown>;
type Make = (random: Random) => unknown;

const one =
  (...values: readonly unknown[]): Make =>
  (random) =>
    random.pick(values);
const some =
  (make: Make, max = 3): Make =>
  (random) =>
    Array.from({ length: random.int(0, max) }, () => make(random));
/** A field whose name ends in `!` is always there. */
const fields =
  (makes: Readonly<Record<string, Make>>): Make =>
  (random) =>
    Object.fromEntries(
      Object.entries(makes).flatMap(([name, make]) =>
        name.endsWith('!') || random.chance(0.4) ? [[name.replace('!', ''), make(random)] as const] : [],
      ),
    );

const capability = one('texto/v1', 'busca/v2', 'a-b/v10', 'x9/v0');
const title = one('Notas', 'é ü', '😀', '', 'x'.repeat(60));
const text = one('Notas', 'é ü', '😀', '', 'a\nb', 'x'.repeat(60));
const label = one('A', 'Abrir em Notas', 'x'.repeat(48), '😀'.repeat(48));
const flag = one(true, false);
const file = (extension: string): Make => one(`a.${extension}`, `dir/a-b_c.${extension}`, `a..b.${extension}`, `x/./y.${extension}`);
const address = one('https://example.org', 'http://a.example.com:8080/x?y=1#z', 'https://example.org/%C3%A9', 'mailto:a@example.org');
const extension = one('nota', '.md', 'tar.gz', 'C++', '7z');
const memory = one('none', '512M', '1.5G', '50%', '1');
const maker = fields({ 'name!': one('Casa', 'é'), url: address });

const jumpItem = fields({
  'id!': one('a', 'novo', 'x'.repeat(48)),
  'superficie!': one('icone-do-app'),
  'rotulo!': label,
  'rota!': one('nova', 'a/b?x=1#y', 'x'.repeat(512)),
  ordem: one(0, 999),
  acao: one('abrirRota'),
});
const pathItem = fields({
  'id!': one('b', 'abrir', '0-9'),
  'superficie!': one('arquivo', 'arquivo', 'pasta', 'area-de-trabalho'),
  'rotulo!': label,
  ordem: one(0, 35, 999),
  quando: fields({ extensoes: (random) => [extension(random)] }),
  acao: one('abrir'),
});

const motor = fields({
  'nome!': one('rosto', 'ocr', 'a', `a${'b'.repeat(31)}`),
  'versao!': one('1', '2.0+x_y', 'v'.repeat(64)),
  'url!': one('https://example.org/v1/motor/a/1', 'http://x', 'https://é/'),
  'sha256!': one('0'.repeat(64), '0123456789abcdef'.repeat(4)),
  'tamanho!': one(1, 200_000_000, 2 ** 40),
  confere: one('bin/a', 'a.so', './a', 'a..b/c'),
  quando: one('gpu'),
});

const windowObject = fields({
  title,
  width: one(200, 960, 10_000),
  height: one(150, 640, 10_000),
  richChrome: flag,
  multiplasJanelas: flag,
  cabecalho: one('ambiente', 'app'),
  minimos: fields({ largura: one(400, 10_000), altura: one(300, 10_000) }),
  posicao: one('cascata', 'centrada'),
  cancelarArraste: some(one('.x', '[')),
  icone: fields({ glifo: one('pasta', 'globo'), url: one('a.svg', '../x') }),
});

const manifest = fields({
  'id!': one('notas', 'a', '9-9', 'x'.repeat(27), 'x'.repeat(28)),
  'version!': one('1.0.0', '1.4', '0', '2.0.0-rc.1+b_c'),
  'backend!': fields({
    'runtime!': one('python3', 'node', 'binary'),
    'entrypoint!': one('backend/main.py', 'a', '-x', 'a b', 'é'),
    transport: one('socket'),
    aoFechar: one('encerrar', 'manter', 'ocioso:1m', 'ocioso:9999m', 'ocioso:10m'),
    installCommand: one('', 'npm ci', 'a\nb'),
    healthcheckPath: one('/', '/saude?x=1', '/~'),
  }),
  name: title,
  type: one('app', 'engine'),
  kind: one('app', 'service'),
  escopo: one('pessoa', 'pessoa', 'servidor'),
  engine: fields({ loader: file('js') }),
  provides: some(capability),
  requires: some(capability),
  usa: some(capability),
  capacidades: (random) =>
    Object.fromEntries(
      Array.from({ length: random.int(0, 2) }, () => [
        capability(random),
        fields({ 'rota!': one('/api', '/a/b.c/~d_e-f', '/.../x'), rotulo: label })(random),
      ]),
    ),
  minShellVersion: one('1', '1.2', '10.20.30', '00'),
  contributes: fields({
    settings: file('js'),
    settingsOptIn: flag,
    contextMenu: (random) => {
      const length = random.chance(0.1) ? random.pick([8, 9]) : random.int(0, 4);
      return Array.from({ length }, () => (random.chance(0.5) ? jumpItem(random) : pathItem(random)));
    },
    browserExtension: fields({ 'id!': one('ext', '-'), razao: one('x', 'x'.repeat(120)) }),
  }),
  requiredPackages: some(one('git', 'libstdc++6', 'a|b|c', '7zip')),
  motores: some(motor, 2),
  instalacao: some(one('sistema', 'pessoa')),
  resources: fields({ memoryHigh: memory, memoryMax: memory, cpuQuota: one('none', '150%'), tasksMax: one('none', '100', '10%') }),
  recursos: fields({ gpu: fields({ 'modo!': one('opcional', 'necessaria') }), fila: flag, salas: flag, metricas: flag }),
  gpu: flag,
  secrets: some(fields({ 'name!': one('MAPS_KEY', 'A', 'Z'.repeat(64), 'SVC', 'PATHS'), description: text, required: flag }), 2),
  icon: one('icon.svg', 'a/b.PNG', '', 'x.bmp'),
  category: title,
  description: text,
  developer: maker,
  publisher: maker,
  homepage: address,
  license: one('Apache-2.0', 'é'),
  handles: one('terminal', 'editor', 'fileBrowser', 'ide', 'vscode', 'browser', null),
  opens: (random) => {
    const many = random.chance(0.05) ? random.pick([31, 32, 33]) : 0;
    const few = random.chance(0.6) ? [] : [random.pick(['nota', '.nota', 'md', 'c++'])];
    const own = many > 0 ? Array.from({ length: many }, (_, nth) => `n${nth}`) : few;
    return {
      ...(fields({
        mimeTypes: some(one('text/markdown', 'application/x-a+b', 'a/b')),
        default: flag,
        urls: some(one('example.org', '*.example.com', 'a-b.c9.example.org', '*.wikipedia.org')),
      })(random) as Fields),
      extensions: [...(some(extension)(random) as string[]), ...own, ...own.map((each) => each.toUpperCase())],
      proprios: own.map((each) =>
        fields({
          'extensao!': one(each),
          'nome!': one('Nota', 'x'.repeat(60)),
          'cor!': one('#000000', '#1A4f8b', '#767676', '#aa0000'),
          icone: file('png'),
          selo: one('N', 'NOTA5'),
        })(random),
      ),
    };
  },
  window: windowObject,
});

export const makeManifest = (random: Random): Fields => manifest(random) as Fields;
