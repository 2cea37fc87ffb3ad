/** Sentences that a server writes in one language and pages show in another: found again by their template, values included. */
import type { Words } from './reasons.ts';

type Values = Readonly<Record<string, string>>;

export const fillIn = (template: string, values: Values): string =>
  template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);

/** The first template that fits counts. A sentence of another version stays as it is. */
export function createReader(sentences: readonly Words[], from: keyof Words, to: keyof Words): (written: string) => string {
  const patterns = sentences.map((words) => {
    const source = words[from].replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{(\w+)\}/g, '(?<$1>.*)');
    return { template: words[to], pattern: new RegExp(`^${source}$`) };
  });
  return (written) => {
    for (const { template, pattern } of patterns) {
      const found = pattern.exec(written);
      if (found !== null) return fillIn(template, found.groups ?? {});
    }
    return written;
  };
}
