/**
 * The catalogue of browser extensions, `extensoes.json` of a repository: which ids apps may name in `contributes.browserExtension`, and where each
 * browser installs them. Source: rules 2.1. Decision: docs/decisions/0206-extension-catalogue.md
 */
import { compileShape } from '../compile-shape.ts';
import type { FileReport } from '../findings.ts';
import { judgeJson, type ReportProblem } from '../judged-json.ts';
import { limits } from '../limits.ts';
import { unshownIn } from '../manifest/shown-text.ts';
import { clip } from '../positions/node.ts';
import type { Shape } from '../shape.ts';
import { type Wire, fields, oneOf, pattern } from '../static.ts';
import { extensionBrowsers } from '../wire/extensions.ts';

const listOf = <const Item extends object>(items: Item, minItems: number, maxItems: number) =>
  ({ type: 'array', items, minItems, maxItems }) as const;
const endereco = {
  ...pattern('^https://[^\\s]+$', 'an https address'),
  format: 'uri',
  maxLength: limits.extensionAddressCharsMax,
} as const;
const extension = fields(
  {
    id: pattern(`^[a-z0-9-]{1,${limits.extensionIdCharsMax}}$`, `at most ${limits.extensionIdCharsMax} lowercase letters, digits and "-"`),
    nome: { type: 'string', minLength: 1, maxLength: limits.extensionNameCharsMax },
    navegadores: listOf(fields({ navegador: oneOf(extensionBrowsers), endereco }, ['navegador', 'endereco']), 1, extensionBrowsers.length),
  },
  ['id', 'nome', 'navegadores'],
);
export const extensionsSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'urn:svc:schema:extensions:v1',
  title: 'a catalogue of extensions',
  ...fields({ formato: { type: 'integer', const: 1 }, extensoes: listOf(extension, 0, limits.extensionsMax) }, ['formato', 'extensoes']),
} as const;
export type Extension = Wire<typeof extension>;

let shape: Shape | undefined;

/** Reads and judges one. `extensions` is null exactly when there are errors. */
export function readExtensions(
  file: string,
  bytes: Uint8Array | string,
): FileReport & { readonly extensions: readonly Extension[] | null } {
  const { report, value } = judgeJson<{ readonly extensoes: readonly Extension[] }>(file, bytes, {
    bytesMax: limits.extensionsBytesMax,
    shape: (shape ??= compileShape(extensionsSchema)),
    judge: ({ extensoes }, tell) => {
      for (const rule of [names, twice]) rule(extensoes, tell);
    },
  });
  return { ...report, extensions: value?.extensoes ?? null };
}

function names(extensions: readonly Extension[], report: ReportProblem): void {
  for (const [index, { nome }] of extensions.entries()) {
    const why = unshownIn(nome);
    if (why !== null) report('CONTROL_CHARACTER', ['extensoes', index, 'nome'], `"${clip(nome)}" is shown to people: ${why}`);
  }
}

function twice(extensions: readonly Extension[], report: ReportProblem): void {
  const once = (seen: Set<string>, name: string, path: readonly (string | number)[]): void => {
    if (seen.has(name)) report('DUPLICATE_NAME', path, `"${clip(name)}" occurs twice`);
    seen.add(name);
  };
  const ids = new Set<string>();
  for (const [index, { id, navegadores }] of extensions.entries()) {
    once(ids, id, ['extensoes', index, 'id']);
    const browsers = new Set<string>();
    for (const [at, { navegador }] of navegadores.entries())
      once(browsers, navegador, ['extensoes', index, 'navegadores', at, 'navegador']);
  }
}
