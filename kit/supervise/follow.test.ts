import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { App } from './app-state.ts';
import { follow, type Follower } from './follow.ts';

let dir: string;
let runLog: string;
let follower: Follower;
let sent = '';
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'svc-fo-'));
  runLog = path.join(dir, 'run.log');
  writeFileSync(runLog, '');
  sent = '';
  const app = {
    paths: { runLog, secrets: path.join(dir, 'secrets') },
    wish: null,
    knownSecrets: [],
    retiredSecrets: ['segredo-de-ana'],
    process: null,
    declaredSecrets: [],
  } as unknown as App;
  follower = follow(
    app,
    (text) => {
      sent += text;
      return true;
    },
    () => false,
  );
});
afterEach(() => {
  follower.end();
  rmSync(dir, { recursive: true, force: true });
});

const write = (text: string): void => {
  appendFileSync(runLog, text);
  follower.poll();
};

test('what follows a cut of the log begins a line of its own, also after half a line of the app', () => {
  write(`${'x'.repeat(200)}\nhalf a l`);
  writeFileSync(runLog, '');
  write('svc: run.log passed 10 bytes; older lines were dropped\nnext\n');
  expect(sent.split('\n').slice(1)).toEqual(['half a l', 'svc: run.log passed 10 bytes; older lines were dropped', 'next', '']);
});

test('so does what a new run writes', () => {
  write('first\nhalf');
  renameSync(runLog, `${runLog}.1`);
  write('second run\n');
  expect(sent).toBe('first\nhalf\nsecond run\n');
});

test('whole lines are sent as they are', () => {
  write('one\n');
  writeFileSync(runLog, '');
  write('2\n');
  expect(sent).toBe('one\n2\n');
});

test('a line that grows is shown within a second, but for the beginning of a hidden value', () => {
  let nowMs = 0;
  const now = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  onTestFinished(() => now.mockRestore());
  const later = (text: string, ms: number): void => {
    nowMs += ms;
    write(text);
  };
  for (let n = 0; n < 5; n += 1) later('.', 300);
  expect(sent).toBe('.....');
  later('. segredo', 300);
  for (const text of ['-', 'd', 'e']) later(text, 900);
  expect(sent).toBe('...... ');
  later('-ana fim', 900);
  later('', 1_100);
  expect(sent).toMatch(/^\.{6} \S+ fim$/);
  expect(sent).not.toContain('segredo');
});
