import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';

const dir = mkdtempSync(path.join(tmpdir(), 'svc-im-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const said = async (program: string): Promise<string> => {
  const [older, main] = [path.join(dir, 'older.cjs'), path.join(dir, 'main.mjs')];
  writeFileSync(older, "require('node:module').registerHooks = undefined;\n");
  writeFileSync(main, program);
  const args = ['--require', older, '--require', path.join(import.meta.dirname, 'svc/import.cjs'), main];
  return await new Promise((resolve) => {
    execFile(process.execPath, args, (_error, _stdout, stderr) => resolve(stderr));
  });
};

test("where Node has no hooks, as Node 20, import 'svc' ends with the line to write instead", async () => {
  expect((await said("import { servidor } from 'svc';\nservidor.portao();\n")).split('\n')[0]).toMatch(
    /^svc: import 'svc' needs Node 22\.15, this is v\S+; here: const \{ .* \} = createRequire\(import\.meta\.url\)\('svc'\)$/,
  );
  expect(await said("import 'outro';\n")).not.toContain('svc: ');
});
