/** A browser's word about itself, for people: `Firefox · Linux`. Pure; the order matters, since they all claim to be one another. */
import { systemOf } from '../../schema/texts/agents.ts';

const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/Chrom(?:e|ium)\/|\bCriOS\//, 'Chrome'],
  [/^(?=.*\bVersion\/\d).*Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
];

/** Null when it says nothing that we know. */
export function browserOf(agent: string): string | null {
  const named = [browsers.find(([pattern]) => pattern.test(agent))?.[1], systemOf(agent)].filter((name) => name !== undefined);
  return named.length === 0 ? null : named.join(' · ');
}
