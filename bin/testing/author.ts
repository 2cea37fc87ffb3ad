/** For the tests of publishing: before each of a file a folder with the example app notas, and a place for a repository beside it. */
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { repository } from './run-svc.ts';

export interface AuthorFolder {
  readonly base: string;
  readonly app: string;
  /** Not made yet. */
  readonly repo: string;
}

/** Answers what each test ends with, last begun first, before its folder is removed: push to it. */
export function useAuthor(give: (made: AuthorFolder) => void): (() => Promise<unknown> | void)[] {
  const ended: (() => Promise<unknown> | void)[] = [];
  let base = '';
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'svc-pub-'));
    chmodSync(base, 0o755);
    const app = join(base, 'notas');
    cpSync(join(repository, 'examples/apps/notas'), app, { recursive: true });
    give({ base, app, repo: join(base, 'repo') });
  });
  afterEach(async () => {
    for (const end of ended.splice(0).toReversed()) await end();
    rmSync(base, { recursive: true, force: true });
  });
  return ended;
}
