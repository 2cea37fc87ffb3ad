/** Sentences that a server writes in one language and pages show in another: found again by their template, values included. */
import type { Words } from './reasons.ts';

type Values = Readonly<Record<string, string>>;

export const fillIn = (template: string, values: Values): string =>
  template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);

interface Template {
  readonly to: string;
  readonly names: readonly string[];
  /** The texts around its values: one more than there are names. */
  readonly around: readonly string[];
}

/** The first template that fits counts. A sentence of another version stays as it is. */
export function createReader(sentences: readonly Words[], from: keyof Words, to: keyof Words): (written: string) => string {
  const templates = sentences.map((words): Template => {
    const parts = words[from].split(/\{(\w+)\}/);
    return { to: words[to], names: parts.filter((_, at) => at % 2 === 1), around: parts.filter((_, at) => at % 2 === 0) };
  });
  return (written) => {
    for (const template of templates) {
      const values = valuesIn(written, template);
      if (values !== null) return fillIn(template.to, values);
    }
    return written;
  };
}

/** From the end, each text at its last place: in one pass, however long a value is. Null: it does not fit. */
function valuesIn(written: string, { names, around }: Template): Values | null {
  const [first = '', last = ''] = [around[0], around.at(-1)];
  if (names.length === 0) return written === first ? {} : null;
  let end = written.length - last.length;
  if (!written.startsWith(first) || !written.endsWith(last)) return null;
  const values: Record<string, string> = {};
  for (const [n, name] of [...names.entries()].toReversed()) {
    const text = around[n] ?? '';
    const at = n === 0 ? 0 : written.lastIndexOf(text, end - text.length);
    if (at < 0 || at + text.length > end) return null;
    values[name] = written.slice(at + text.length, end);
    end = at;
  }
  return values;
}
