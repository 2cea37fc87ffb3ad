import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { formats } from '../formats.ts';
import { createRandom } from '../../test/simulation/random.ts';
import { makeManifest } from '../testing/generated-manifests.ts';
import { mutate } from '../testing/mutants.ts';
import { type PublishedSchema, publishedSchema, schemaText } from './published.ts';
import { ruleTexts } from './rule-texts.ts';
import { manifestRow, manifestSchema } from './schema.ts';

const published = publishedSchema('9.8.7');

/** Each subschema with its place: `[]` is an item of a list, `*` any name. */
function* places(schema: PublishedSchema, at = ''): Generator<[string, PublishedSchema]> {
  if (at !== '') yield [at, schema];
  const below = (name: string) => (at === '' ? name : `${at}.${name}`);
  for (const [name, child] of Object.entries((schema['properties'] ?? {}) as Record<string, PublishedSchema>))
    yield* places(child, below(name));
  if (typeof schema['items'] === 'object') yield* places(schema['items'] as PublishedSchema, `${at}[]`);
  if (typeof schema['additionalProperties'] === 'object') yield* places(schema['additionalProperties'] as PublishedSchema, below('*'));
}

test('each field of the manifest has a sentence, which no schema for an engine has', () => {
  const rows = Array.from(places(manifestRow));
  expect(rows.length).toBeGreaterThan(100);
  expect(rows.filter(([, { description }]) => !/^.{3,200}\.$/.test(String(description)))).toEqual([]);
  expect(Array.from(places(manifestSchema)).filter(([, one]) => 'description' in one || 'default' in one || 'server' in one)).toEqual([]);
});

test('the published schema says the sentence at each field, its version in $id, and is draft-07', () => {
  expect(Array.from(places(published)).filter(([, { description }]) => typeof description !== 'string')).toEqual([]);
  expect(published).toMatchObject({ $id: 'urn:svc:esquema:svc-app:9.8.7', $schema: 'http://json-schema.org/draft-07/schema#' });
  expect(new Ajv().validateSchema(published)).toBe(true);
});

test('an item of a context menu is described and never refused', () => {
  const items = Array.from(places(published)).flatMap(([at, schema]) => (at.startsWith('contributes.contextMenu[]') ? [schema] : []));
  expect(items.length).toBeGreaterThan(7);
  const ajv = new Ajv();
  for (const item of [{ superficie: 'arquivo' }, { ordem: 'x', extra: 1 }, 7, null]) expect(ajv.validate(items[0]!, item)).toBe(true);
});

test('each default fits its field', () => {
  const defaults = Array.from(places(published)).filter(([, schema]) => schema['default'] !== undefined);
  expect(defaults.length).toBeGreaterThan(15);
  const ajv = new Ajv({ formats });
  expect(defaults.filter(([, schema]) => !ajv.validate(schema, schema['default']))).toEqual([]);
});

test('it lets through what the validator lets through', () => {
  const ajv = new Ajv({ formats, allErrors: true });
  const ours = ajv.compile(manifestSchema);
  const theirs = ajv.compile(published);
  const random = createRandom(20_261_125);
  const manifests = Array.from({ length: 500 }, () => makeManifest(random));
  const judged = [...manifests, ...manifests.map((one) => mutate(random, one))].map((one) => [ours(one), theirs(one)] as const);
  expect(judged.filter(([one, other]) => one !== other)).toEqual([]);
  // Neither all good nor all bad.
  expect(new Set(judged.map(([one]) => one)).size).toBe(2);
});

test('each rule that rules.ts reports is told, at a field that exists', () => {
  const source = readFileSync(new URL('rules.ts', import.meta.url), 'utf8');
  const reported = new Set(Array.from(source.matchAll(/report\(\s*'([A-Z_]+)'/g), ([, code]) => code));
  expect(new Set(ruleTexts.map(({ code }) => code))).toEqual(reported);
  const fields = new Set(Array.from(places(manifestRow), ([at]) => at));
  expect(ruleTexts.filter(({ at }) => at !== '' && !fields.has(at))).toEqual([]);
  const text = schemaText();
  expect(ruleTexts.filter(({ code }) => !text.includes(code))).toEqual([]);
});
