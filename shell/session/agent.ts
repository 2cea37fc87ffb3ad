/** A browser's word about itself, for people: `Firefox · Linux`. Pure; the order matters, since they all claim to be one another. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/Chrom(?:e|ium)\/|\bCriOS\//, 'Chrome'],
  [/^(?=.*\bVersion\/\d).*Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
];
const systems: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Null when it says nothing that we know. */
export function browserOf(agent: string): string | null {
  const named = [browsers, systems].flatMap((list) => list.find(([pattern]) => pattern.test(agent))?.[1] ?? []);
  return named.length === 0 ? null : named.join(' · ');
}
