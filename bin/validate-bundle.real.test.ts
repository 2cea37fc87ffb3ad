/** `svc validate` from its bundle says, word for word, what the sources say: the schema in it was compiled when it was built. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { makeManifest } from '../schema/testing/generated-manifests.ts';
import { mutate, writeText } from '../schema/testing/mutants.ts';
import { createRandom } from '../test/simulation/random.ts';

const root = resolve(import.meta.dirname, '..');
const seed = Number(process.env['FC_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

function validate(dir: string, sources: boolean): Promise<{ code: unknown; out: string }> {
  const env = { ...process.env, SVC_KIT_SOURCE: sources ? '1' : '' };
  return new Promise((done) => {
    execFile(join(root, 'bin/svc'), ['validate', '--json', dir], { env, maxBuffer: 64e6 }, (error, out) =>
      done({ code: error?.code ?? 0, out }),
    );
  });
}

test(`300 mutants and a desired state (seed ${seed})`, async () => {
  expect(existsSync(join(root, 'build/bin/svc-validate.mjs'))).toBe(true);
  const dir = mkdtempSync(join(tmpdir(), 'svc-vb-'));
  try {
    const random = createRandom(seed);
    for (let nth = 0; nth < 300; nth += 1) {
      mkdirSync(join(dir, `m${nth}`));
      writeFileSync(join(dir, `m${nth}`, 'svc-app.json'), writeText(random, mutate(random, makeManifest(random))));
    }
    writeFileSync(join(dir, 'a.yaml'), 'apiVersion: svc/v1\nkind: Person\nmetadata: { name: ana }\nspec: { nada: 1 }\n');
    const [bundle, sources] = await Promise.all([validate(dir, false), validate(dir, true)]);
    expect(bundle).toEqual(sources);
    expect(bundle.code).toBe(1);
    expect((JSON.parse(bundle.out) as unknown[]).length).toBe(301);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
