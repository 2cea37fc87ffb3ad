/** Changes from one text to another: lines first, then words within the lines that changed; bounded in time and in what is shown. */
import { diffLines, diffWordsWithSpace, type Change } from 'diff';

/** A gap stands for `chars` characters that are not shown. */
export type Stretch =
  | { readonly kind: 'same' | 'added' | 'removed'; readonly text: string }
  | { readonly kind: 'gap'; readonly chars: number };

export interface Differences {
  readonly stretches: readonly Stretch[];
  /** Finest unit of all marks; null: too much changed, and the stretches are the text after it. */
  readonly by: 'words' | 'lines' | null;
}

interface Bounds {
  readonly linesMsMax: number;
  /** For all words together. */
  readonly wordsMsMax: number;
  /** Lines that changed together and are longer stay marked as a whole. */
  readonly wordsCharsMax: number;
}
/** The page stands still meanwhile. */
const usual: Bounds = { linesMsMax: 1_000, wordsMsMax: 1_000, wordsCharsMax: 200_000 };

/** Words that went and words that came, in one place; at least one is not empty. */
interface Replaced {
  readonly removed: string;
  readonly added: string;
}
type Run = string | Replaced;

/** Neighbours that went and came, in either order, are one change. */
function runsOf(changes: readonly Change[]): Run[] {
  const runs: Run[] = [];
  for (const { value, added, removed } of changes) {
    const last = runs.at(-1);
    const before = typeof last === 'object' ? last : null;
    if (!added && !removed) runs.push(value);
    else if (before !== null && (removed ? before.removed : before.added) === '')
      runs[runs.length - 1] = removed ? { ...before, removed: value } : { ...before, added: value };
    else runs.push(removed ? { removed: value, added: '' } : { removed: '', added: value });
  }
  return runs;
}

const isReplaced = (run: Run | undefined): run is Replaced => typeof run === 'object' && run.removed !== '' && run.added !== '';

/** Where word after word was replaced, the spaces between them stayed the same: one sentence for another is one change. */
function joined(runs: readonly Run[]): Run[] {
  const made: Run[] = [];
  for (const run of runs) {
    const space = made.at(-1);
    const before = made.at(-2);
    if (isReplaced(run) && isReplaced(before) && typeof space === 'string' && /^[^\S\n]+$/.test(space))
      made.splice(-2, 2, { removed: before.removed + space + run.removed, added: before.added + space + run.added });
    else made.push(run);
  }
  return made;
}

export function differences(before: string, after: string, bounds: Bounds = usual): Differences {
  const lines = diffLines(before, after, { timeout: bounds.linesMsMax });
  if (lines === undefined) return { stretches: stretchesOf([after]), by: null };
  const end = performance.now() + bounds.wordsMsMax;
  let by: 'words' | 'lines' = 'words';
  const runs = runsOf(lines).flatMap((run): Run[] => {
    if (!isReplaced(run)) return [run];
    const timeout = end - performance.now();
    const isShort = run.removed.length + run.added.length <= bounds.wordsCharsMax;
    const words = isShort && timeout > 0 ? diffWordsWithSpace(run.removed, run.added, { timeout }) : undefined;
    if (words !== undefined) return joined(runsOf(words));
    by = 'lines';
    return [run];
  });
  return { stretches: stretchesOf(runs), by };
}

function stretchesOf(runs: readonly Run[]): readonly Stretch[] {
  const made: { kind: 'same' | 'added' | 'removed'; text: string }[] = [];
  const push = (kind: 'same' | 'added' | 'removed', text: string): void => {
    const last = made.at(-1);
    if (last?.kind === kind) last.text += text;
    else if (text !== '') made.push({ kind, text });
  };
  for (const run of runs) {
    if (typeof run === 'string') push('same', run);
    else {
      push('removed', run.removed);
      push('added', run.added);
    }
  }
  return made;
}

const shownCharsMax = 100_000;
const shownStretchesMax = 4_000;
/** Unchanged text that stays on each side of a change of a text that is too long. */
const aroundChars = 600;

/** Bounds it to an amount that a page can draw: a long text to its changes with some lines around them, and nothing past the bound. */
export function shortened(stretches: readonly Stretch[], charsMax = shownCharsMax): readonly Stretch[] {
  const total = stretches.reduce((sum, stretch) => sum + lengthOf(stretch), 0);
  if (total <= charsMax && stretches.length <= shownStretchesMax) return stretches;
  const kept = stretches.length === 1 ? stretches : stretches.flatMap((stretch, at) => folded(stretch, at > 0, at < stretches.length - 1));
  const made: Stretch[] = [];
  let left = charsMax;
  let over = 0;
  for (const stretch of kept) {
    if (stretch.kind === 'gap' && left > 0) made.push(stretch);
    else if (stretch.kind === 'gap' || left <= 0 || made.length >= shownStretchesMax) over += lengthOf(stretch);
    else {
      const text = stretch.text.slice(0, left);
      made.push({ kind: stretch.kind, text });
      left -= text.length;
      over += stretch.text.length - text.length;
    }
  }
  return over === 0 ? made : [...made, { kind: 'gap', chars: over }];
}

const lengthOf = (stretch: Stretch): number => (stretch.kind === 'gap' ? stretch.chars : stretch.text.length);

/** `begin`, `end`: whether a change stands before and behind it. */
function folded(stretch: Stretch, begin: boolean, end: boolean): readonly Stretch[] {
  if (stretch.kind !== 'same') return [stretch];
  const { text } = stretch;
  const [head, tail] = [begin ? aroundChars : 0, end ? aroundChars : 0];
  if (text.length <= head + tail) return [stretch];
  const whole: readonly Stretch[] = [
    { kind: 'same', text: text.slice(0, head) },
    { kind: 'gap', chars: text.length - head - tail },
    { kind: 'same', text: text.slice(text.length - tail) },
  ];
  return whole.filter((part) => lengthOf(part) > 0);
}
