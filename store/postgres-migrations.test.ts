import { expect, test } from 'vitest';
import { postgresMigrations, readableFrom } from './postgres-migrations.ts';

/** Statements that an older portal need not know of. */
const adds = [
  /^CREATE TABLE \w+ \(/,
  /^CREATE INDEX /,
  // It writes rows without the column.
  /^ALTER TABLE \w+ ADD COLUMN (?!.*\b(?:PRIMARY KEY|UNIQUE|REFERENCES|CHECK)\b)(?:(?!NOT NULL).|NOT NULL(?=.*DEFAULT)|(?<=DEFAULT.*)NOT NULL)*$/,
  /^ALTER TABLE \w+ ALTER COLUMN \w+ SET STORAGE /,
];
const isAddition = (step: string): boolean =>
  step
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '')
    .every((statement) => adds.some((form) => form.test(statement)));

test('steps after the last one that all must know only add', () => {
  for (const step of postgresMigrations.slice(readableFrom)) expect([step, isAddition(step)]).toEqual([step, true]);
});

test.for([
  ['CREATE TABLE a (b TEXT PRIMARY KEY); CREATE INDEX c ON a (b);', true],
  ['ALTER TABLE a ADD COLUMN b TEXT', true],
  ['ALTER TABLE a ADD COLUMN b BIGINT NOT NULL DEFAULT 0', true],
  ['ALTER TABLE a ADD COLUMN b BIGINT NOT NULL', false],
  ['ALTER TABLE a ADD COLUMN b TEXT UNIQUE', false],
  ['CREATE TABLE a (b TEXT); DROP TABLE c', false],
  ['ALTER TABLE a RENAME TO b', false],
  ['UPDATE a SET b = 1', false],
  ['CREATE UNIQUE INDEX a ON b (c)', false],
] as const)('%s', ([step, is]) => expect(isAddition(step)).toBe(is));
