/** `--profile=FILE.svg` of an area: the profiles of what it measures, taken while a load runs, become one flame graph. */
import { writeFileSync } from 'node:fs';
import { flameGraph, type Profile } from './flame.ts';
import type { Inspected } from './inspected.ts';
import { optionOf } from './options.ts';

export interface Profiling {
  begin(inspected: Inspected): Promise<void>;
  end(inspected: Inspected): Promise<void>;
  /** Answers with what was written. */
  write(title: string): string;
}

/** Null without the option. */
export function profilingOf(): Profiling | null {
  const file = optionOf('profile');
  if (file === undefined) return null;
  const profiles: Profile[] = [];
  return {
    begin: (inspected) => inspected.beginProfile(),
    end: async (inspected) => void profiles.push(await inspected.endProfile()),
    write: (title) => {
      if (profiles.length === 0) throw new Error('--profile: this run measured nothing that is profiled');
      writeFileSync(file, flameGraph(profiles, title));
      return file;
    },
  };
}
