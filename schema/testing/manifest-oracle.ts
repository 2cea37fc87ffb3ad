/**
 * Another reader of a manifest, for the tests only: written from rules 2.1 to 2.5, 7 and 8 and decision 0010 and reserved-names.ts, without JSON
 * Schema, without a regular expression and without a constant of the validator, so that a slip in one of the two shows. It says yes, no, or (null)
 * that it can't tell: a host behind `*.` that is in neither of its lists, an address of no usual form.
 */
import { isAddress, isHostPattern, wildcardVerdict } from './oracle-addresses.ts';
import {
  all,
  characters,
  digit,
  digits,
  hex,
  isCapability,
  isExtension,
  isShown,
  lower,
  staysInside,
  startsThen,
  upper,
} from './oracle-texts.ts';

type Verdict = boolean | null;
type Judge = (value: unknown) => Verdict;
type Fields = Readonly<Record<string, unknown>>;

/** No beats null, null beats yes. */
const every = (verdicts: readonly Verdict[]): Verdict => (verdicts.includes(false) ? false : verdicts.includes(null) ? null : true);
export const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const text =
  (fits: (value: string) => Verdict = () => true): Judge =>
  (value) =>
    typeof value === 'string' ? fits(value) : false;
const sized = (min: number, max = Number.POSITIVE_INFINITY): Judge => text((value) => characters(value) >= min && characters(value) <= max);
const words = (min = 0, max = Number.POSITIVE_INFINITY): Judge =>
  text((value) => isShown(value) && characters(value) >= min && characters(value) <= max);
/** As words, on one line. */
const line = (min = 0, max = Number.POSITIVE_INFINITY): Judge => {
  const judge = words(min, max);
  return (value) => (typeof value === 'string' && Array.from('\t\n\r').some((end) => value.includes(end)) ? false : judge(value));
};
const whole =
  (min: number, max = Number.POSITIVE_INFINITY): Judge =>
  (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
const flag: Judge = (value) => value === true || value === false;
const oneOf =
  (...words: readonly unknown[]): Judge =>
  (value) =>
    words.includes(value);
const listOf =
  (judge: Judge, max = Number.POSITIVE_INFINITY): Judge =>
  (value) =>
    Array.isArray(value) && value.length <= max ? every(value.map((item) => judge(item))) : false;

/** A closed object; a field whose name ends in `!` is required. Source: rules 2.1, rules 1 and 3. */
function closed(fields: Readonly<Record<string, Judge>>): Judge {
  const judges = new Map(Object.entries(fields).map(([name, judge]) => [name.replace('!', ''), judge]));
  const required = Object.keys(fields).flatMap((name) => (name.endsWith('!') ? [name.slice(0, -1)] : []));
  return (value) => {
    if (!isObject(value) || required.some((name) => !Object.hasOwn(value, name))) return false;
    return every(Object.entries(value).map(([name, item]) => judges.get(name)?.(item) ?? (judges.has(name) ? null : false)));
  };
}

const id = text((value) => value !== '' && all(value, lower, digit, '-'));
/** In `/home/` and 32 characters, `/.svc-apps/`, the id and `/app.sock` a socket has 107 bytes; and it is a label of a host name. Decision 0190. */
const ownId = text(
  (value) => value.length <= 107 - 38 - 11 - 9 && !value.startsWith('-') && !value.endsWith('-') && !value.startsWith('xn--'),
);
const capability = text(isCapability);
/** A script beside the manifest: `x.js`, `dir/x.js`; never past the root (0010). */
const script = text((value) => isFile(value, ['.js']));
const isFile = (value: string, ends: readonly string[]): boolean =>
  ends.some((end) => value.length > end.length && value.endsWith(end)) &&
  startsThen(value, [lower, upper, digit], [lower, upper, digit, '/', '.', '_', '-']) &&
  staysInside(value);
const maker = closed({ 'name!': line(1), url: text(isAddress) });
const memory = text((value) => {
  if (value === 'none') return true;
  const number = 'KMGT%'.includes(value.at(-1) ?? 'x') ? value.slice(0, -1) : value;
  const parts = number.split('.');
  return parts.length <= 2 && parts.every(digits);
});

/** Spec 2.3. */
const motor = closed({
  'nome!': text((value) => value.length <= 32 && startsThen(value, [lower], [lower, digit, '-'])),
  'versao!': text((value) => value.length <= 64 && startsThen(value, [lower, upper, digit], [lower, upper, digit, '.', '+', '_', '-'])),
  'url!': text((value) => {
    const scheme = ['http://', 'https://'].find((one) => value.startsWith(one));
    return scheme !== undefined && value.length > scheme.length && Array.from(value).every((char) => char.trim() !== '');
  }),
  'sha256!': text((value) => value.length === 64 && all(value, hex)),
  'tamanho!': whole(1),
  confere: text((value) => value.split('/').every((part) => part !== '' && part !== '..' && all(part, lower, upper, digit, '.', '_', '-'))),
  quando: oneOf('gpu'),
});

/** WCAG contrast with white, in integers of the sRGB table. Source: rules 2.5 `cor`. */
function readableOnWhite(color: string): boolean {
  const channel = (at: number): number => {
    const value = Number(`0x${color.slice(at, at + 2)}`) / 255;
    return value <= 0.04045 ? value / 12.92 : Math.exp(2.4 * Math.log((value + 0.055) / 1.055));
  };
  return 1.05 >= 4.5 * (0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5) + 0.05);
}

/** Spec 2.5. */
const ownType = closed({
  'extensao!': text((value) => {
    const bare = value.startsWith('.') ? value.slice(1) : value;
    return bare.length <= 16 && startsThen(bare, [lower, digit], [lower, digit, '+', '_', '-']);
  }),
  'nome!': line(1, 60),
  'cor!': text((value) => {
    const [mark, ...rest] = Array.from(value);
    return mark === '#' && rest.length === 6 && all(rest.join('').toLowerCase(), hex) && readableOnWhite(value);
  }),
  icone: text((value) => isFile(value, ['.svg', '.png', '.jpg', '.jpeg'])),
  selo: text((value) => value.length >= 1 && value.length <= 5 && all(value, upper, digit)),
});

const windowObject = closed({
  title: line(),
  width: whole(200, 10_000),
  height: whole(150, 10_000),
  richChrome: flag,
  multiplasJanelas: flag,
  cabecalho: oneOf('ambiente', 'app'),
  minimos: closed({ largura: whole(400, 10_000), altura: whole(300, 10_000) }),
  posicao: oneOf('cascata', 'centrada'),
  cancelarArraste: listOf(words(1)),
  icone: closed({ glifo: oneOf('pasta', 'globo'), url: sized(1) }),
});

const backend = closed({
  'runtime!': oneOf('python3', 'node', 'binary'),
  // An empty text names no file below the package root.
  'entrypoint!': text((value) => value !== '' && staysInside(value)),
  transport: oneOf('socket'),
  aoFechar: text((value) => {
    if (value === 'encerrar' || value === 'manter') return true;
    const minutes = value.startsWith('ocioso:') && value.endsWith('m') ? value.slice('ocioso:'.length, -1) : '';
    return digits(minutes) && minutes.length <= 4 && minutes[0] !== '0';
  }),
  installCommand: text((value) => !value.includes('\0')),
  // It stands in a request line: visible ASCII. Decision 0010.
  healthcheckPath: text(
    (value) =>
      value !== '' && !/^(?:[a-z][a-z0-9+.-]*:)?\/\//i.test(value) && Array.from(value).every((char) => char > ' ' && char < '\u007f'),
  ),
});

const offer = closed({
  'rota!': text((value) => {
    const [first, ...parts] = value.split('/');
    return (
      first === '' &&
      parts.length > 0 &&
      parts.every((part) => !['', '.', '..'].includes(part) && all(part, lower, upper, digit, '.', '_', '~', '-'))
    );
  }),
  rotulo: line(1, 60),
});
const offers: Judge = (value) =>
  isObject(value) ? every(Object.entries(value).map(([name, one]) => every([isCapability(name), offer(one)]))) : false;

const shape = closed({
  'id!': (value) => every([id(value), ownId(value)]),
  'version!': text((value) => startsThen(value, [lower, upper, digit], [lower, upper, digit, '.', '-', '+', '_'])),
  'backend!': backend,
  name: line(),
  type: oneOf('app', 'engine'),
  kind: oneOf('app', 'service'),
  escopo: oneOf('pessoa', 'servidor'),
  engine: closed({ loader: script }),
  provides: listOf(capability),
  requires: listOf(capability),
  usa: listOf(capability),
  capacidades: offers,
  minShellVersion: text((value) => value.split('.').length <= 3 && value.split('.').every(digits)),
  contributes: closed({
    settings: script,
    settingsOptIn: flag,
    // Each item is judged by itself and never refuses the manifest: menuItems below.
    contextMenu: listOf(() => true, 8),
    browserExtension: closed({ 'id!': id, razao: words(1, 120) }),
  }),
  requiredPackages: listOf(
    text((value) => value.split('|').every((name) => startsThen(name, [lower, digit], [lower, digit, '+', '.', '-']))),
  ),
  motores: listOf(motor),
  instalacao: listOf(oneOf('sistema', 'pessoa')),
  resources: closed({
    memoryHigh: memory,
    memoryMax: memory,
    cpuQuota: text((value) => value === 'none' || (value.endsWith('%') && digits(value.slice(0, -1)))),
    tasksMax: text((value) => value === 'none' || digits(value.endsWith('%') ? value.slice(0, -1) : value)),
  }),
  recursos: closed({ gpu: closed({ 'modo!': oneOf('opcional', 'necessaria') }), fila: flag, salas: flag, metricas: flag }),
  gpu: flag,
  secrets: listOf(
    closed({
      'name!': text((value) => value.length <= 64 && startsThen(value, [upper], [upper, digit, '_']) && !isKept(value)),
      description: words(),
      required: flag,
    }),
  ),
  icon: text(staysInside),
  category: line(),
  description: words(),
  developer: maker,
  publisher: maker,
  homepage: text(isAddress),
  license: line(1),
  handles: oneOf('terminal', 'editor', 'fileBrowser', 'ide', 'vscode', 'browser', null),
  opens: closed({
    extensions: listOf(text(isExtension)),
    mimeTypes: listOf(
      text((value) => {
        const parts = value.split('/');
        return parts.length === 2 && parts.every((part) => part !== '' && all(part, lower, upper, digit, '!#$&^_.+-'));
      }),
    ),
    default: flag,
    proprios: listOf(ownType, 32),
    urls: listOf(text((value) => (isHostPattern(value) ? wildcardVerdict(value) : false))),
  }),
  window: windowObject,
});

/** Source: rules 2.6, 3.1 step 7: what finds and addresses the process. A person's `SVC_APP_TOKEN` wins like any other name. */
export const keptNames = ['SVC_APP_ID', 'SVC_APP_SOCKET', 'SVC_APP_INSTALLED_HASH'] as const;
const isKept = (name: string): boolean => (keptNames as readonly string[]).includes(name);

/** Rules between fields. Sources: rules 2.1 `escopo`, 2.5 (`extensao` is also in `extensions`), decision 0010 (twins). */
function between(root: Fields): Verdict {
  const server = root['escopo'] !== 'servidor' || (root['kind'] === 'service' && String(root['id']).length <= 27);
  const bare = (value: unknown): string => (String(value).startsWith('.') ? String(value).slice(1) : String(value)).toLowerCase();
  const opens = isObject(root['opens']) ? root['opens'] : {};
  const opened = new Set((Array.isArray(opens['extensions']) ? opens['extensions'] : []).map((one) => bare(one)));
  const own = namesIn(opens['proprios'], 'extensao').map(bare);
  return (
    server &&
    own.every((extension) => opened.has(extension)) &&
    [own, namesIn(root['motores'], 'nome'), namesIn(root['secrets'], 'name')].every((names) => new Set(names).size === names.length)
  );
}

const namesIn = (items: unknown, field: string): unknown[] =>
  Array.isArray(items) ? items.flatMap((item) => (isObject(item) ? [item[field]] : [])) : [];

/** Whether a parsed value is a manifest. */
export function isManifestByTheSpec(value: unknown): Verdict {
  const fits = shape(value);
  return fits === false ? false : every([fits, between(value as Fields)]);
}
