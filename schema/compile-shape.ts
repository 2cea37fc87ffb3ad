/** Compiles JSON Schema (ajv 8) into a function. Code that only reports findings (shape.ts) does not load the compiler. */
import { Ajv, type AnySchemaObject, type CodeOptions, type ValidateFunction } from 'ajv';
import { formats } from './formats.ts';
import type { Shape } from './shape.ts';

/**
 * `$data` stays off: a manifest must never choose a pattern. `strict` refuses a schema with a mistake in it. The schemas are
 * our own and a test holds them against the draft-07 meta-schema, so that no command spends its start-up on that.
 */
const options = {
  allErrors: true,
  strict: true,
  verbose: true,
  $data: false,
  messages: false,
  meta: false,
  validateSchema: false,
  // A list or one word (`servers: all`).
  allowUnionTypes: true,
} as const;

/** `code` is for setup/build.ts, which writes a compiled schema down as source. */
export function shapeCompiler(code: CodeOptions = {}): Ajv {
  const ajv = new Ajv({ ...options, code: { optimize: false, ...code } });
  for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, format);
  return ajv;
}

let compiler: Ajv | undefined;

/** Compiled once per schema, when it is first needed. */
export function compileShape(schema: AnySchemaObject): Shape {
  const { $schema: _, ...own } = schema;
  return (compiler ??= shapeCompiler()).compile(own);
}

let lineCompiler: Ajv | undefined;

/**
 * For lines between programs of svc, where the first error is enough: null when it fits, or what is wrong. Compiled at the first line, so
 * that a command that reads none does not wait for it.
 */
export function lineShape(schema: AnySchemaObject): (value: unknown) => string | null {
  const made: { check?: ValidateFunction } = {};
  return (value) => {
    lineCompiler ??= new Ajv({
      ...options,
      allErrors: false,
      verbose: false,
      messages: true,
      strictTypes: false,
      code: { optimize: false },
    });
    const check = (made.check ??= lineCompiler.compile(schema));
    return check(value) ? null : lineCompiler.errorsText(check.errors);
  };
}
