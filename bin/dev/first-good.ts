/** The first manifest to run, and what of the folder counts. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../controller/clock/system.ts';
import { chooserOf } from '../../kit/repository/publishing/package-files.ts';
import { safeForTerminal, warn } from '../output.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { buildFile, createBuilder, needsBuild } from './builder.ts';
import { isIgnored, isLeftOut, isNoise, isSource } from './changes.ts';
import { leftOut } from './left-out.ts';
import { judgeManifest, type JudgedManifest } from './manifest.ts';
import { watchApp } from './watch.ts';
import type { Say } from './words.ts';
import { readPlainFile } from '../../schema/plain-file.ts';

export const ignoreFile = '.svcignore';

/** Its rules as they are now. */
export interface Ignoring {
  of(file: string): boolean;
  /** Not in the package. */
  isLeftOut(file: string): boolean;
  /** Not in the package, but what its build.sh makes it of. */
  isSource(file: string): boolean;
  /** Not watched either: what nobody wrote, and what is not in the package where there is no build.sh. */
  isUnwatched(file: string): boolean;
  /** Sources that nothing is made of: they are left out, and there is no build.sh. */
  idle(): Promise<readonly string[]>;
  reread(): Promise<void>;
}

export async function ignoring(folder: string): Promise<Ignoring> {
  const isBuilt = existsSync(path.join(folder, buildFile));
  let ships = chooserOf('');
  const reread = async (): Promise<void> => {
    const text = String(await readPlainFile(path.join(folder, ignoreFile)).catch(() => ''));
    try {
      ships = chooserOf(text);
    } catch {
      // Publishing says which line is not understood; until then the rules are as they were.
    }
  };
  await reread();
  return {
    of: (file) => file !== ignoreFile && isIgnored(file, ships),
    isLeftOut: (file) => isLeftOut(file, ships),
    isSource: (file) => isBuilt && isSource(file, ships),
    isUnwatched: (file) => file !== ignoreFile && (isBuilt ? isNoise(file) : isIgnored(file, ships)),
    idle: async () => (isBuilt ? [] : await leftOut(folder, ships)),
    reread,
  };
}

/** Without a good manifest there is nothing to run: it is shown what is wrong, and each change of it looked at. Null: it was ended. */
export async function firstGood(folder: string, ignored: Ignoring, say: Say, ended: Promise<unknown>): Promise<Manifest | null> {
  const show = ({ errors, warnings }: JudgedManifest): void => {
    for (const text of [...errors, ...warnings]) warn(`${text}\n`);
  };
  const stop = new AbortController();
  void ended.then(() => stop.abort());
  const builder = createBuilder(folder, systemClock);
  const look = async (): Promise<JudgedManifest> => {
    // The mend may be one of .svcignore.
    await ignored.reread();
    return await judgeManifest(folder, ignored);
  };
  const judge = async (): Promise<JudgedManifest> => {
    // The program of an app that was just written, or cloned.
    if (needsBuild(folder)) {
      process.stderr.write(`sh ${buildFile}\n`);
      const built = await builder.build(Number.POSITIVE_INFINITY, stop.signal, (line) =>
        process.stderr.write(`  ${safeForTerminal(line)}\n`),
      );
      if (built !== null && built.failure !== '') warn(`${say('firstBuildFailed', { motivo: built.failure })}\n`);
    }
    return await look();
  };
  let edge = Promise.withResolvers<void>();
  let judged = await judge();
  if (judged.manifest === null) {
    const watch = watchApp({
      folder,
      clock: systemClock,
      ignored: (file) => ignored.isUnwatched(file),
      onChange: () => edge.resolve(),
      onError: () => undefined,
      onPolling: () => undefined,
    });
    try {
      await watch.ready;
      for (judged = await look(); judged.manifest === null;) {
        show(judged);
        process.stderr.write(`${say('waiting')}\n`);
        const isOver = await Promise.race([ended.then(() => true), edge.promise.then(() => false)]);
        if (isOver) return null;
        edge = Promise.withResolvers<void>();
        judged = await judge();
      }
      process.stderr.write(`${say('manifestGood')}\n`);
    } finally {
      await watch.close();
    }
  } else show(judged);
  return judged.manifest;
}
