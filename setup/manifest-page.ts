/**
 * The reference of `svc-app.json` from its published schema: of each field what it is for, what it may hold, what holds without it, the rules that no
 * schema can say, and an example from a manifest that is judged (examples/apps, and below what none of them has).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { publishedSchema, type PublishedSchema } from '../schema/manifest/published.ts';
import { ruleTexts } from '../schema/manifest/rule-texts.ts';

const root = resolve(import.meta.dirname, '..');

/** Valid manifests with the fields that no app of the examples has. */
export const otherManifests: readonly Readonly<Record<string, unknown>>[] = [
  {
    id: 'desenho',
    version: '2.1.0',
    minShellVersion: '0.1',
    developer: { name: 'Ana', url: 'https://ana.example' },
    publisher: { name: 'Bia', url: 'https://bia.example' },
    homepage: 'https://desenho.example',
    usa: ['texto/v1'],
    requiredPackages: ['libvips42|libvips-tools'],
    handles: 'editor',
    opens: {
      extensions: ['desenho'],
      mimeTypes: ['image/svg+xml'],
      default: true,
      proprios: [{ extensao: 'desenho', nome: 'Desenho', cor: '#7a3e9d', icone: 'icons/file.svg' }],
    },
    contributes: { settings: 'settings.js', settingsOptIn: true },
    window: { cabecalho: 'app', posicao: 'centrada', cancelarArraste: ['button', '.tools'], icone: { glifo: 'pasta' } },
    resources: { memoryHigh: '512M', memoryMax: '1G', cpuQuota: '150%', tasksMax: '200' },
    backend: { runtime: 'node', entrypoint: 'backend/main.mjs', transport: 'socket', installCommand: 'sh install.sh' },
  },
  {
    id: 'voz',
    version: '1.0.0',
    type: 'engine',
    engine: { loader: 'loader.js' },
    gpu: true,
    motores: [
      {
        nome: 'modelo',
        versao: '1.2',
        url: 'https://apps.example.org/v1/motor/modelo/1.2',
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        tamanho: 182_000_000,
        confere: 'modelo.bin',
        quando: 'gpu',
      },
    ],
    backend: { runtime: 'binary', entrypoint: 'backend/voz' },
  },
  { id: 'agenda', version: '1.0.0', kind: 'service', escopo: 'servidor', backend: { runtime: 'python3', entrypoint: 'backend/main.py' } },
];

type Examples = ReadonlyMap<string, readonly string[]>;

/** By the path in the schema, as JSON. */
function examples(): Examples {
  const found = new Map<string, string[]>();
  const visit = (value: unknown, at: string): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, `${at}[]`);
    else if (typeof value === 'object' && value !== null) {
      for (const [name, one] of Object.entries(value)) visit(one, at === 'capacidades' ? 'capacidades.*' : below(at, name));
    }
    found.set(at, [...(found.get(at) ?? []), JSON.stringify(value)]);
  };
  const folder = join(root, 'examples/apps');
  const ids = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of ids) visit(JSON.parse(readFileSync(join(folder, name, 'svc-app.json'), 'utf8')), '');
  for (const manifest of otherManifests) visit(manifest, '');
  return found;
}

const below = (at: string, name: string): string => (at === '' ? name : `${at}.${name}`);
const oneLine = (text: string): string => text.replaceAll('\n', ' ');
const code = (text: string): string => `\`${oneLine(text)}\``;

interface Field {
  readonly at: string;
  readonly name: string;
  readonly schema: PublishedSchema;
  readonly isRequired: boolean;
}

/** An object with fields of its own is a part of the page. */
interface Part {
  readonly at: string;
  readonly schema: PublishedSchema;
  readonly fields: readonly Field[];
}

const propertiesOf = (schema: PublishedSchema): Readonly<Record<string, PublishedSchema>> =>
  (schema['properties'] ?? {}) as Readonly<Record<string, PublishedSchema>>;

/** Schema of an item, or of the value of any name; the item of a context menu has an alternative that any value fits. */
function inner(schema: PublishedSchema): { readonly schema: PublishedSchema; readonly suffix: string } | null {
  const { items, additionalProperties } = schema;
  const of = (one: unknown): PublishedSchema => {
    const { anyOf, ...rest } = one as { readonly anyOf?: readonly PublishedSchema[] };
    return { ...rest, ...anyOf?.[0] };
  };
  if (typeof items === 'object') return { schema: of(items), suffix: '[]' };
  if (typeof additionalProperties === 'object') return { schema: of(additionalProperties), suffix: '.*' };
  return null;
}

function partsOf(schema: PublishedSchema, at: string): Part[] {
  const required = (schema['required'] ?? []) as readonly string[];
  const fields = Object.entries(propertiesOf(schema)).map(([name, one]) => ({
    at: below(at, name),
    name,
    schema: one,
    isRequired: required.includes(name),
  }));
  return [
    { at, schema, fields },
    ...fields.flatMap((field) => {
      if (!hasPart(field.schema)) return [];
      const within = inner(field.schema);
      return within === null ? partsOf(field.schema, field.at) : partsOf(within.schema, field.at + within.suffix);
    }),
  ];
}

const anchorOf = (at: string): string => at.toLowerCase().replaceAll(/[^\w-]/g, '');

/** A member of a schema as text, where it is a text or a number; else ''. */
function wordOf(schema: PublishedSchema | undefined, name: string): string {
  const value = schema?.[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Whether it, its items or its values are objects with fields: another part of the page. */
const hasPart = (schema: PublishedSchema): boolean =>
  [schema, inner(schema)?.schema ?? {}].some((one) => Object.keys(propertiesOf(one)).length > 0);

/** Type, pattern and bounds in words. */
function valuesOf({ schema, at }: Field): string {
  const within = inner(schema);
  if (within === null) return hasPart(schema) ? `[object](#${anchorOf(at)})` : simple(schema);
  if (hasPart(schema)) {
    const most = typeof schema['maxItems'] === 'number' ? `, at most ${schema['maxItems']}` : '';
    return within.suffix === '[]' ? `list of [objects](#${anchorOf(at)})${most}` : `by name, [objects](#${anchorOf(at)})`;
  }
  return `list of ${simple(within.schema, false)}`;
}

function simple(schema: PublishedSchema, isTitled = true): string {
  const word = (name: string): string => wordOf(schema, name);
  const [title, pattern] = [word('title'), word('pattern')];
  if (Array.isArray(schema['enum'])) return schema['enum'].map((choice) => code(JSON.stringify(choice))).join(', ');
  if (schema['type'] === 'boolean') return 'boolean';
  if (schema['type'] === 'integer')
    return word('maximum') === '' ? `whole number, at least ${word('minimum')}` : `${word('minimum')} to ${word('maximum')}`;
  if (pattern !== '') return `${title === '' || !isTitled ? '' : `${oneLine(title)}: `}${code(pattern)}`;
  if (schema['format'] === 'uri') return 'an address';
  if (word('maxLength') !== '') return `${word('minLength') || '0'} to ${word('maxLength')} characters`;
  return 'text';
}

function rulesOf(at: string, isList: boolean): string {
  const rules = ruleTexts.filter((rule) => at !== '' && (rule.at === at || (isList && rule.at === `${at}[]`)));
  const said = rules.map((rule) => `${oneLine(rule.says)} (\`${rule.code}\`)`).join('; ');
  return said === '' ? '' : ` Also: ${said}.`;
}

const exampleCharsMax = 72;

/** The shortest one that says something. */
function exampleOf({ at, schema }: Field, found: Examples): string {
  if (hasPart(schema)) return '';
  const all = found.get(at) ?? [];
  const shortest = all.toSorted((left, right) => left.length - right.length)[0];
  if (shortest === undefined) throw new Error(`no manifest has "${at}": add it to otherManifests`);
  const saysMore = schema['enum'] === undefined && schema['type'] !== 'boolean' && schema['format'] !== 'uri';
  return saysMore && shortest.length <= exampleCharsMax ? `, as ${code(shortest)}` : '';
}

/** Where a field has the object, its line says what the object is: only an item, and a value of any name, says it again. */
const isSaidAbove = (at: string): boolean => !/(?:\[\]|\.\*)$/.test(at);

function listOf({ at, schema, fields }: Part, found: Examples): string {
  const saidOnce = new Set<string>();
  const once = (text: string): string => {
    const isNew = !saidOnce.has(text);
    saidOnce.add(text);
    return isNew ? text : '';
  };
  const lines = fields.map((field) => {
    const { name, isRequired, schema } = field;
    const isSimpleList = schema['items'] !== undefined && !hasPart(schema);
    const each = isSimpleList ? wordOf(inner(schema)?.schema, 'description') : '';
    const parts = [wordOf(schema, 'description'), each === '' ? '' : once(`Each: ${each}`)].filter((part) => part !== '');
    const text = `${oneLine(parts.join(' '))}${once(rulesOf(field.at, isSimpleList))}`;
    const without =
      schema['default'] === undefined || schema['default'] === false ? '' : `; default ${code(JSON.stringify(schema['default']))}`;
    return `- ${isRequired ? `**\`${name}\`**` : `\`${name}\``} ${text} (${valuesOf(field)}${exampleOf(field, found)}${without})`;
  });
  const about = isSaidAbove(at) ? '' : wordOf(schema, 'description');
  const says = at === '' ? [] : [`${about}${rulesOf(at, false)}`.trim(), ''].filter((_, __, [text]) => text !== '');
  return [`## ${at === '' ? 'The root' : `\`${at}\``}`, '', ...says, ...lines, ''].join('\n');
}

export function manifestPage(): string {
  const found = examples();
  const whole = ruleTexts.filter(({ at }) => at === '').map((rule) => `- ${rule.says} (\`${rule.code}\`)`);
  const head = [
    '# The manifest `svc-app.json`',
    '',
    'Written by `node setup/manifest-table.ts` from the published schema (`schema/manifest/`). A field that is not here is refused; bold',
    'fields are required, values stand in brackets, the default of a boolean is `false`. An editor has the same after `svc schema --write`.',
    '',
    'Everywhere:',
    '',
    ...whole,
    '',
  ];
  return [
    ...head,
    partsOf(publishedSchema(), '')
      .map((part) => listOf(part, found))
      .join('\n'),
  ].join('\n');
}
