import { expect, test } from 'vitest';
import { readDesired } from './desired/load.ts';
import { validateManifest } from './manifest/validate.ts';
import { renderFinding } from './render.ts';

const first = (text: string) => {
  const report = validateManifest('app/svc-app.json', text);
  const [finding] = report.errors;
  if (!finding) throw new Error('no error');
  return renderFinding(report, finding, text);
};

test('place, code, message, the line and a caret below the mistake', () => {
  expect(first('{\n\t"nmae": 1,\r\n"id": "a", "version": "1.0.0", "backend": {"runtime": "node", "entrypoint": "a"}}')).toBe(
    ['app/svc-app.json:2:2 UNKNOWN_FIELD unknown field "nmae" in the root', ' 2 |  "nmae": 1,', '   |  ^^^^^^ did you mean "name"?'].join(
      '\n',
    ),
  );
});

test('the caret stays in sight on a line of 10,000 characters, under the mistake', () => {
  const text = `{"id": "a", "version": "1.0.0", "backend": {"runtime": "node", "entrypoint": "a"}, "name": "${'x'.repeat(10_000)}", "nmae": 1}`;
  const [, line, caret] = first(text).split('\n');
  expect(line?.length).toBeLessThan(120);
  expect(line?.slice(caret?.indexOf('^'))).toMatch(/^"nmae": 1/);
});

test('control characters of the file never reach the terminal', () => {
  expect(first('{"id": "\u009b31m", "id2\u202e": 1}')).not.toMatch(/[\u0080-\u009f]/);
});

test('a line that holds a credential is never shown, by no finding of it', () => {
  const text = 'apiVersion: svc/v1\nkind: Server\nmetadata: { name: a }\nspec: { ssh: { host: -a, key: s3cr3t, hostKey: x } }';
  const { reports } = readDesired([{ name: 'a.yaml', bytes: text }]);
  const shown = reports.flatMap((report) => report.errors.map((finding) => renderFinding(report, finding, text)));
  expect(shown).toHaveLength(3);
  expect(shown.join('\n')).not.toContain('s3cr3t');
});
