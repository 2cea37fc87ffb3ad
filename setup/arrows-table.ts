/** Writes the arrows into .oxlintrc.json and docs/ARCHITECTURE.md. `test/boundaries.test.ts` fails when they say something else. */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { lintOverrides, withArrows } from './arrows.ts';

const root = resolve(import.meta.dirname, '..');
const lint = resolve(root, '.oxlintrc.json');
const page = resolve(root, 'docs/ARCHITECTURE.md');

interface Configuration {
  readonly overrides: readonly { readonly rules: Readonly<Record<string, unknown>> }[];
}

const configuration = JSON.parse(readFileSync(lint, 'utf8')) as Configuration;
const others = configuration.overrides.filter(({ rules }) => rules['no-restricted-imports'] === undefined);
writeFileSync(lint, `${JSON.stringify({ ...configuration, overrides: [...others, ...lintOverrides()] }, null, 2)}\n`);
writeFileSync(page, withArrows(readFileSync(page, 'utf8')));
