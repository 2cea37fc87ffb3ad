import { expect, test } from 'vitest';
import { editorFiles } from './editor-files.ts';
import { schemaText } from './published.ts';

const settingsAfter = (before: string | null): string =>
  editorFiles(before).find(({ path }) => path === '.vscode/settings.json')?.text ?? '';

test('an editor finds the schema by the name of the file', () => {
  expect(JSON.parse(settingsAfter(null))).toEqual({
    'json.schemas': [{ fileMatch: ['/svc-app.json'], url: './.vscode/svc-app.schema.json' }],
  });
  expect(editorFiles().find(({ path }) => path === '.vscode/svc-app.schema.json')?.text).toBe(schemaText());
});

test('settings that are there stay, and a second time changes nothing', () => {
  const other = { fileMatch: ['/x.json'], url: './x.schema.json' };
  const once = settingsAfter(JSON.stringify({ 'editor.tabSize': 3, 'json.schemas': [other] }));
  expect(JSON.parse(once)).toMatchObject({ 'editor.tabSize': 3, 'json.schemas': [other, { fileMatch: ['/svc-app.json'] }] });
  expect(settingsAfter(once)).toBe(once);
  // Also as somebody formats it.
  const tabs = JSON.stringify(JSON.parse(once), null, '\t');
  expect(settingsAfter(tabs)).toBe(tabs);
});

test.for(['{ // a comment\n}', '[]', '{"json.schemas": 1}', ''])('settings that are not understood are left alone: %j', (settings) => {
  expect(() => editorFiles(settings)).toThrow(/stays as it is; add to it by hand: "json\.schemas"/);
});
