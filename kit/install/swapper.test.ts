/** The helper of the tests of root's acts says when its program ends, and does not wait for ever. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startSwapper } from './testing/swapper.ts';

function program(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-swapper-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'program.mjs');
  writeFileSync(file, text);
  return file;
}
const self = process.getuid?.() ?? 0;

test('a program that ends before it is at work is told with what it printed and how it ended', async () => {
  const file = program("console.error('EACCES: the place is closed'); process.exitCode = 3;");
  await expect(startSwapper(file, [], self)).rejects.toThrow(/ended with 3 before it was at work: EACCES: the place is closed$/);
});

test('one that is killed at work is told by the signal, and one that tells its swaps is counted', async () => {
  const working = "process.on('SIGTERM', () => { console.log(7); process.exit(0); }); console.log('ready'); setInterval(() => {}, 1_000);";
  const counted = await startSwapper(program(working), [], self);
  expect(await counted.stop()).toBe(7);
  const deaf = await startSwapper(program(working), [], self);
  deaf.kill();
  await expect(deaf.stop()).rejects.toThrow(/ended with SIGKILL before it told its swaps/);
});
