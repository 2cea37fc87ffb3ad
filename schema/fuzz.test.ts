/** Whatever stands in a file, the validators answer with findings: they never throw, and never say yes to what they can't name. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readDesired } from './desired/load.ts';
import { desiredKinds } from './desired/schema.ts';
import { SvcError } from './errors.ts';
import { findingKinds, type FileReport } from './findings.ts';
import { parseManifest } from './manifest/minimum.ts';
import { isManifest, validateManifest } from './manifest/validate.ts';
import { renderFinding } from './render.ts';
import { amount } from '../test/support/amount.ts';
import { wordsOf } from '../test/support/words.ts';
import { anyCharacter } from '../test/support/any-character.ts';

const seed = Number(process.env['FC_SEED'] ?? process.env['SVC_TEST_RUN_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const numRuns = Number(process.env['FC_RUNS'] ?? amount(800, 100_000));
const options = { seed, numRuns };

/** Names of the spec mixed with any: so that rules meet values of every shape where they expect another. */
const names = wordsOf(`
  id version backend runtime entrypoint transport healthcheckPath provides capacidades rota contributes contextMenu opens proprios
  extensao cor urls secrets name motores nome window icone url recursos gpu modo escopo kind type instalacao texto/v1 superficie rotulo
  quando extensoes apiVersion metadata spec local ssh key server grupos pessoas usuario account
`);
const words = fc.oneof(
  fc.constantFrom(...names, ...desiredKinds, 'svc/v1', 'servidor', 'engine', '*.co.uk', '#ffffff', '../x', 'a'),
  fc.string(),
);
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    words,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.double({ noNaN: true }),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(words, tie('tree'), { maxKeys: 6 }),
  ),
}));

function checkReport(report: FileReport, text: string): void {
  for (const finding of [...report.errors, ...report.warnings]) {
    expect(Object.keys(findingKinds)).toContain(finding.code);
    expect(finding.line).toBeGreaterThanOrEqual(1);
    expect(finding.column).toBeGreaterThanOrEqual(1);
    expect(renderFinding(report, finding, text)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  }
  expect(report.ok).toBe(report.errors.length === 0);
}

test(`any JSON as a manifest (seed ${seed})`, () => {
  fc.assert(
    fc.property(fc.oneof(tree, fc.dictionary(fc.constantFrom(...names), tree)), (value) => {
      const text = JSON.stringify(value);
      const { manifest, ...report } = validateManifest('f', text);
      checkReport(report, text);
      expect(manifest === null).toBe(!report.ok);
      // The fast way takes what the reader takes; the reader also refuses what only a text can have.
      expect(report.ok && !isManifest(JSON.parse(text))).toBe(false);
    }),
    options,
  );
}, 600_000);

test(`any bytes as a manifest or as YAML (seed ${seed})`, () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.string({ unit: anyCharacter, maxLength: 200 }).map((text) => Buffer.from(text)),
  );
  fc.assert(
    fc.property(bytes, (data) => {
      expect(validateManifest('f', data).ok).toBe(false);
      for (const report of readDesired([{ name: 'f', bytes: data }]).reports) checkReport(report, Buffer.from(data).toString());
    }),
    options,
  );
}, 600_000);

test(`the minimum refuses with its code or takes, nothing else (seed ${seed})`, () => {
  fc.assert(
    fc.property(fc.oneof(tree, fc.dictionary(fc.constantFrom(...names), tree)), (value) => {
      const outcome = (() => {
        try {
          return parseManifest(JSON.stringify(value)).id;
        } catch (error) {
          return error;
        }
      })();
      expect(outcome instanceof SvcError || (typeof outcome === 'string' && /^[a-z0-9-]+$/.test(outcome))).toBe(true);
    }),
    options,
  );
}, 600_000);

test(`any documents as desired state (seed ${seed})`, () => {
  const document = fc.record({
    apiVersion: fc.constant('svc/v1'),
    kind: fc.constantFrom(...desiredKinds),
    metadata: fc.oneof(fc.record({ name: fc.constantFrom('a', 'b') }), tree),
    spec: tree,
  });
  fc.assert(
    fc.property(fc.array(fc.oneof(document, tree), { maxLength: 5 }), (documents) => {
      const text = documents.map((one) => JSON.stringify(one)).join('\n---\n');
      const answer = readDesired([{ name: 'f.yaml', bytes: text }]);
      for (const report of answer.reports) checkReport(report, text);
      expect(answer.ok).toBe(answer.reports.every(({ ok }) => ok));
    }),
    options,
  );
}, 600_000);
