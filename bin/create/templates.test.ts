/** Statements of docs/first-app.md about the templates hold in each of them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { TextLanguage } from '../../schema/texts/reasons.ts';
import { filesOf } from './fill.ts';
import { type TemplateName, templates } from './templates.ts';

const guide = readFileSync(path.join(import.meta.dirname, '../../docs/first-app.md'), 'utf8');
const rows = Array.from(guide.matchAll(/^\| `(\w+)` \| `([^`]+)` in `my-notes\/([^`]+)` \| `([^`]+)` \|$/gm), ([, ...cells]) => cells);

const textOf = (template: TemplateName, name: string, language: TextLanguage = 'en'): string => {
  const app = { id: 'my-notes', nome: 'My notes', descricao: 'd', template, language };
  return String(filesOf(app).find((file) => file.path === name)?.bytes ?? '');
};

test('each template that counts has a row', () => {
  expect(rows.map(([template]) => template)).toEqual(['python', 'node', 'binary', 'go', 'rust', 'java']);
});

test.for(rows)(
  '%s: the line to change and the command of the test are those of the template',
  ([template, line = '', file = '', command]) => {
    const name = template as TemplateName;
    expect(textOf(name, file).split(line)).toHaveLength(2);
    expect(templates[name].test).toBe(command);
  },
);

test.for(['python', 'node'] as const)('%s logs in the language of its author', (template) => {
  const file = template === 'python' ? 'backend/main.py' : 'backend/main.mjs';
  expect([textOf(template, file), textOf(template, file, 'pt')]).toEqual([
    expect.stringContaining("log('counted'"),
    expect.stringContaining("log('contou'"),
  ]);
});
