/** The system that a browser's User-Agent names. Pure; the order matters, since some name several. */
const systems: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Undefined when it is none that we know. */
export const systemOf = (agent: string): string | undefined => systems.find(([pattern]) => pattern.test(agent))?.[1];
