/** `--profile=FILE.svg` of an area: the profiles of what it measures, taken while a load runs, become one flame graph. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { flameGraph, type Profile } from './flame.ts';
import type { Inspected } from './inspected.ts';
import { optionOf } from './options.ts';

export interface Profiling {
  begin(inspected: Inspected): Promise<void>;
  end(inspected: Inspected): Promise<void>;
  /** Environment of a command: each leaves a profile when it ends. Processes that a portal starts do not get it. */
  readonly atExit: { readonly NODE_OPTIONS: string };
  /** Answers with what was written. */
  write(title: string): string;
}

/** Null without the option. `which`: one of several graphs, each a file of its own (`FILE-which.svg`). */
export function profilingOf(which?: string): Profiling | null {
  const given = optionOf('profile');
  if (given === undefined) return null;
  const file = which === undefined ? given : `${given.replace(/\.svg$/, '')}-${which}.svg`;
  const profiles: Profile[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'svcp-'));
  return {
    atExit: { NODE_OPTIONS: `--cpu-prof --cpu-prof-interval=1000 --cpu-prof-dir=${folder}` },
    begin: (inspected) => inspected.beginProfile(),
    end: async (inspected) => void profiles.push(await inspected.endProfile()),
    write: (title) => {
      // `CPU.DAY.TIME.PID.THREAD.NUMBER.cpuprofile`: thread 0 is the main one.
      const left = readdirSync(folder).filter((name) => /\.0\.\d+\.cpuprofile$/.test(name));
      for (const name of left) profiles.push(JSON.parse(readFileSync(join(folder, name), 'utf8')) as Profile);
      rmSync(folder, { recursive: true });
      if (profiles.length === 0) throw new Error('--profile: this run measured nothing that is profiled');
      writeFileSync(file, flameGraph(profiles, title));
      return file;
    },
  };
}
