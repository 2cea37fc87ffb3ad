/**
 * The rule for labels: they name the kind of an event, never the person who caused it (rules 2.1). Three things identify a person: an e-mail
 * address, a person of this portal, and an id that only one thing in the world has. The rule and its false alarms:
 * docs/decisions/0213-metrics-of-apps.md
 */
import type { MetricLabels, MetricRefusal } from '../../schema/wire/metrics.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { limits } from './limits.ts';

/** The known people; asked with a folded text. */
export interface KnownPeople {
  /** Whether the text is somebody's id, login or full name. */
  isSomebody(folded: string): boolean;
}

type Verdict = Extract<MetricRefusal, 'email' | 'pessoa' | 'identificador' | 'rotulo'> | null;

const eventName = new RegExp(`^[A-Za-z][A-Za-z0-9_.:/-]{0,${limits.eventCharsMax - 1}}$`);
const labelName = new RegExp(`^[A-Za-z][A-Za-z0-9_]{0,${limits.labelNameCharsMax - 1}}$`);
const labelValue = new RegExp(`^[^\\p{Cc}\\p{Cs}]{1,${limits.labelValueCharsMax}}$`, 'u');
/** The portal's own, and those that Prometheus adds or keeps to itself. */
const taken = new Set(['app', 'event', 'le', 'quantile', 'job', 'instance', 'reason']);
/** A label so called asks for who, whatever it holds. */
const asksWho = /^(?:usuario|user|user_?name|user_?id|uid|login|e_?mail|cpf|session_?id|sessao_?id|ip|pessoa_?id|person_?id)$/i;

const email = /[^\s@/:]@[A-Za-z0-9-]+\.(?:[A-Za-z0-9-]+\.)*[A-Za-z]{2,}/;
const uuid = /[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}/i;
/** 16 and more hexadecimal digits with both kinds of characters: hashes, keys, trace ids. */
const hex = /(?<![0-9a-z])(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{16,}(?![0-9a-z])/i;
/** Eleven digits are a CPF, a telephone, an account; also as people write a CPF. */
const number = /(?<![A-Za-z0-9])\d{11,}|(?<!\d)\d{3}\.\d{3}\.\d{3}-\d{2}(?!\d)/;
/** Words that stand before a name: `user:ana`, `/home/ana`, `usuario=ana`. */
const beforeName =
  /(?:^|[^\p{L}\p{N}])(?:user|users|usuario|usuarios|pessoa|login|home|owner|dona|autor|author|by|por)[:=/\\ ]+([\p{L}\p{N}._-]+)/gu;
const beforeAt = /(?<![\p{L}\p{N}._-])([\p{L}\p{N}._-]+)@/gu;

/** Case, accents and separators of words don't make another person. */
export const fold = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[\s_+]+/g, ' ')
    .trim();

/** A run of 20 and more letters and digits that changes between the two at every third place or oftener: no word and no version is like that. */
function isRandomLooking(text: string): boolean {
  return (text.match(/[A-Za-z0-9]{20,}/g) ?? []).some((run) => {
    const changes = run.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0;
    return changes * 4 >= run.length;
  });
}

/** Two to four words in a row: full names inside of a sentence. */
function wordRuns(folded: string): string[] {
  const words = folded.split(/[^\p{L}\p{N}.'-]+/u);
  return [2, 3, 4].flatMap((length) => words.slice(length - 1).map((_, at) => words.slice(at, at + length).join(' ')));
}

function saysWho(text: string, people: KnownPeople): Verdict {
  if (email.test(text)) return 'email';
  if (uuid.test(text) || hex.test(text) || number.test(text) || isRandomLooking(text)) return 'identificador';
  const folded = fold(text);
  if (people.isSomebody(folded)) return 'pessoa';
  if (wordRuns(folded).some((run) => people.isSomebody(run))) return 'pessoa';
  const named = [...folded.matchAll(beforeName), ...folded.matchAll(beforeAt)].map(([, name = '']) => name);
  return named.some((name) => people.isSomebody(name)) ? 'pessoa' : null;
}

/** Null: it may be counted. */
export function judgeLabels(event: string, labels: MetricLabels, people: KnownPeople): Verdict {
  const pairs = Object.entries(labels);
  if (!eventName.test(event) || pairs.length > sharedLimits.metricLabelsMax) return 'rotulo';
  for (const [name, value] of pairs) {
    if (!labelName.test(name) || taken.has(name) || name.startsWith('__') || !labelValue.test(value)) return 'rotulo';
    if (asksWho.test(name)) return 'pessoa';
  }
  for (const text of [event, ...pairs.map(([, value]) => value)]) {
    const verdict = saysWho(text, people);
    if (verdict !== null) return verdict;
  }
  return null;
}
