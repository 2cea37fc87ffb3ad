import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { fieldTexts } from '../schema/manifest/field-texts.ts';
import { validateManifest } from '../schema/manifest/validate.ts';
import { manifestPage, otherManifests } from './manifest-page.ts';

test('docs/manifest.md says what the schema of the manifest says (node setup/manifest-table.ts)', () => {
  expect(readFileSync(resolve(import.meta.dirname, '../docs/manifest.md'), 'utf8')).toBe(manifestPage());
});

test('the page has each field once, in the part of its object', () => {
  const parts = manifestPage().split(/^## /m).slice(1);
  const listed = parts.flatMap((part) => {
    const at = /^`(.+)`/.exec(part)?.[1] ?? '';
    return Array.from(part.matchAll(/^\| (?:\*\*)?`([^`]+)`/gm), ([, name = '']) => (at === '' ? name : `${at}.${name}`));
  });
  // Items and values are listed with the field that holds them.
  const own = Object.keys(fieldTexts).filter((at) => !/(?:\[\]|\*)$/.test(at));
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
