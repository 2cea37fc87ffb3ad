import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { manifestSchema } from '../schema/manifest/schema.ts';
import { validateManifest } from '../schema/manifest/validate.ts';
import { manifestPage, otherManifests } from './manifest-page.ts';

interface Fields {
  readonly properties?: Readonly<Record<string, Fields>>;
  readonly items?: Fields;
  readonly additionalProperties?: Fields | boolean;
}

test('docs/manifest.md says what the schema of the manifest says (node setup/manifest-table.ts)', () => {
  expect(readFileSync(resolve(import.meta.dirname, '../docs/manifest.md'), 'utf8')).toBe(manifestPage());
});

/** Places of the fields; items of lists and values of any name are listed with the field that holds them. */
function fieldsOf({ properties = {}, items, additionalProperties }: Fields, at: string): readonly string[] {
  const named = Object.entries(properties).flatMap(([name, one]) => {
    const place = at === '' ? name : `${at}.${name}`;
    return [place].concat(fieldsOf(one, place));
  });
  const any = typeof additionalProperties === 'object' ? fieldsOf(additionalProperties, `${at}.*`) : [];
  return [...named, ...(items === undefined ? [] : fieldsOf(items, `${at}[]`)), ...any];
}

test('the page has each field once, in the part of its object', () => {
  const parts = manifestPage().split(/^## /m).slice(1);
  const listed = parts.flatMap((part) => {
    const at = /^`(.+)`/.exec(part)?.[1] ?? '';
    return Array.from(part.matchAll(/^- (?:\*\*)?`([^`]+)`/gm), ([, name = '']) => (at === '' ? name : `${at}.${name}`));
  });
  const own = fieldsOf(manifestSchema as Fields, '');
  const menu = ['id', 'superficie', 'rotulo', 'ordem', 'quando', 'acao', 'rota'].map((name) => `contributes.contextMenu[].${name}`);
  expect(listed.toSorted()).toEqual([...own, ...menu, 'contributes.contextMenu[].quando.extensoes'].toSorted());
});

test.for(otherManifests.map((manifest) => [manifest['id'] as string, manifest] as const))(
  'the manifest of examples "%s" is valid, without a warning',
  ([, manifest]) => {
    const { errors, warnings } = validateManifest('svc-app.json', Buffer.from(JSON.stringify(manifest)));
    expect([errors, warnings]).toEqual([[], []]);
  },
);
