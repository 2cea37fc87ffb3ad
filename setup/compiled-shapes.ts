/** The schemas of manifests and documents as source, compiled now and not at every start: it is most of the time that `svc validate` takes. */
import { dirname } from 'node:path';
import { _, type AnySchemaObject } from 'ajv';
import standaloneCode from 'ajv/dist/standalone/index.js';
import type { OnLoadResult } from 'esbuild';
import { shapeCompiler } from '../schema/compile-shape.ts';
import { desiredKinds, desiredSchema } from '../schema/desired/schema.ts';
import { manifestSchema } from '../schema/manifest/schema.ts';

const withoutDraft = ({ $schema: _draft, ...schema }: AnySchemaObject): AnySchemaObject => schema;
const compiler = () => shapeCompiler({ source: true, esm: true, formats: _`svcFormats` });
const head = `import { formats as svcFormats } from '../formats.ts';\n`;

function manifest(): string {
  const ajv = compiler();
  const code = standaloneCode.default(ajv, ajv.compile(withoutDraft(manifestSchema)));
  return `${head}${code}\nexport const manifestShape = () => validate;\n`;
}

function desired(): string {
  const ajv = compiler();
  const names: Record<string, string> = {};
  for (const kind of desiredKinds) {
    const schema = withoutDraft(desiredSchema(kind));
    ajv.addSchema(schema);
    names[`shapeOf${kind}`] = String(schema['$id']);
  }
  const rows = desiredKinds.map((kind) => `${kind}: shapeOf${kind}`).join(', ');
  return `${head}${standaloneCode.default(ajv, names)}\nconst shapes = { ${rows} };\nexport const desiredShape = (kind) => shapes[kind];\n`;
}

const sources: Readonly<Record<string, () => string>> = { 'schema/manifest/compiled.ts': manifest, 'schema/desired/compiled.ts': desired };

/** The replacement of the file in a bundle; null: the file itself. */
export function compiledShapes(path: string, fromRoot: string): OnLoadResult | null {
  const source = sources[fromRoot];
  return source === undefined ? null : { contents: source(), loader: 'js', resolveDir: dirname(path) };
}
