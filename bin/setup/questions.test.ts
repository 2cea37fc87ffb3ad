import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openQuestions } from '../create/questions.ts';
import { askForRest } from './questions.ts';
import { openSite } from './site.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'svc-questions-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

test('an answer that can not be is asked for again; the answers before it stay', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const questions = openQuestions(input, output.setEncoding('utf8'));
  const programs = path.resolve(import.meta.dirname, '../../examples/apps');
  input.write(
    ['https://a b', 'https://svc.example.org', 'none', 'yes', 'no.such.group', '', 'no.such.account', '', 'nota', 'notas', ''].join('\n'),
  );
  const site = openSite(dir);
  const found = await askForRest({ dir, state: dir }, { site, questions, language: 'en', programs });
  questions.end();
  expect(found).toEqual({
    dir,
    state: dir,
    url: 'https://svc.example.org',
    front: 'none',
    here: true,
    group: [],
    admin: [],
    app: ['notas'],
  });
  const said = String(output.read());
  for (const line of ['expected an address', 'this machine has no such group', 'this machine has no such account', 'nota: ', '  notas  '])
    expect(said).toContain(line);
});
