import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { desiredKinds, desiredSchema } from './desired/schema.ts';
import { manifestSchema } from './manifest/schema.ts';
import { menuSurfaces } from './manifest/surface-rows.ts';
import { compileShape } from './compile-shape.ts';
import { formats } from './formats.ts';
import { didYouMean, translatedKeywords } from './shape.ts';

const schemas = [manifestSchema as Record<string, unknown>, ...desiredKinds.map((kind) => desiredSchema(kind))];

/** Every subschema, with where it stands. */
function* subschemas(schema: Record<string, unknown>, at: string): Generator<[string, Record<string, unknown>]> {
  yield [at, schema];
  for (const [name, child] of Object.entries((schema['properties'] ?? {}) as Record<string, Record<string, unknown>>))
    yield* subschemas(child, `${at}.${name}`);
  for (const keyword of ['items', 'additionalProperties', 'propertyNames']) {
    const child = schema[keyword];
    if (typeof child === 'object' && child !== null) yield* subschemas(child as Record<string, unknown>, `${at}.${keyword}`);
  }
}

const all = schemas.flatMap((schema) => Array.from(subschemas(schema, String(schema['$id']))));

test('every schema is draft-07', () => {
  const ajv = new Ajv({ formats: { uri: true } });
  for (const schema of schemas) expect(ajv.validateSchema(schema)).toBe(true);
});

test('every object is closed', () => {
  const open = all.filter(
    ([, schema]) => schema['type'] === 'object' && schema['additionalProperties'] !== false && schema['propertyNames'] === undefined,
  );
  expect(open.map(([at]) => at)).toEqual([]);
});

const patterns = all.flatMap(([at, { pattern, title }]) => (typeof pattern === 'string' ? [{ at, pattern, title }] : []));

test.for(patterns)('$at: the pattern is anchored at both ends and says in words what is expected', ({ pattern, title }) => {
  expect(pattern).toMatch(/^\^.*\$$/);
  expect(title).toEqual(expect.any(String));
  // As a whole, not only its first and last alternative.
  for (const around of ['\n', ' ', '\u0000']) expect(new RegExp(pattern, 'u').test(around)).toBe(false);
});

// A quadratic pattern would take a minute. The limit leaves room for a busy machine.
test('no pattern takes long on 256 KB of anything', () => {
  expect(patterns.length).toBeGreaterThan(60);
  const shapes = ['a', 'a.', '/a', '0', 'a|', '-', 'a-', '*.', 'A', '.a', '1.', '[:', 'é'];
  const texts = shapes.flatMap((shape) => ['', '!', '\n'].map((end) => ({ shape, text: shape.repeat((256 * 1024) / shape.length) + end })));
  const slow: string[] = [];
  for (const pattern of new Set(patterns.map((found) => found.pattern))) {
    const regex = new RegExp(pattern, 'u');
    for (const { shape, text } of texts) {
      const from = performance.now();
      regex.test(text);
      if (performance.now() - from > 2_000) slow.push(`${pattern} on ${shape}`);
    }
  }
  expect(slow).toEqual([]);
}, 60_000);

test('every keyword of the schemas has a message of its own', () => {
  const silent = new Set(['$schema', '$id', 'title', 'properties', 'items', 'writeOnly']);
  const used = new Set(all.flatMap(([, schema]) => Object.keys(schema)).filter((keyword) => !silent.has(keyword)));
  expect([...used].filter((keyword) => !translatedKeywords.includes(keyword))).toEqual([]);
});

test('a schema with a mistake in it does not compile', () => {
  expect(() => compileShape({ type: 'string', patern: '^a$' })).toThrow(/patern/);
  expect(() => compileShape({ $data: '/x' })).toThrow(/\$data/);
});

test.for([
  ['nmae', ['name', 'kind', 'type'], 'name'],
  ['Backend', ['backend'], 'backend'],
  ['multiplaJanelas', ['multiplasJanelas', 'richChrome'], 'multiplasJanelas'],
  ['x', ['a', 'id'], ''],
  ['completelyOther', ['name', 'id'], ''],
  ['a'.repeat(100_000), ['name'], ''],
] as const)('for %s of %j the nearest is "%s"', ([word, known, expected]) => {
  expect(didYouMean(word, known)).toBe(expected === '' ? '' : `; did you mean "${expected}"?`);
});

test('the surfaces are those of the spec', () => {
  expect(menuSurfaces).toEqual(['arquivo', 'pasta', 'area-de-trabalho', 'icone-do-app']);
});

test.for([
  ['https://example.org', true],
  ['https://[2001:db8::1]:8080/x?y#z', true],
  ['mailto:a@example.org', true],
  ['https://example.org/%C3%A9', true],
  ['https://example.org/%zz', false],
  ['https://example.org/#a#b', false],
  ['https:////example.org', false],
  ['https:example.org', false],
  // The name of one host is shown, another one is opened.
  ['https://example.org@example.net/', false],
  ['javascript:alert(1)', false],
] as const)('an address: %s', ([address, good]) => {
  expect(formats.uri.validate(address)).toBe(good);
});
