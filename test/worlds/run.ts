/** Breaks worlds, collects what is said of them, judges it by the truth, mends them by what was said, and sees whether they are well again. */
import { until } from '../journeys/until.ts';
import type { Plan, Row, Said, Site, Why } from './site.ts';
import type { Group, Truth, World } from './world.ts';

export interface Told {
  readonly world: string;
  readonly untrue: readonly string[];
  /** Null: the fix mended it. */
  readonly unmended: string | null;
  /** All that was said, with where: `get`, `why`, `plan`, `doctor`, `panel` or `svc` is its first word. */
  readonly said: readonly string[];
  readonly seconds: number;
}

/** A word that stands for a name, or a value that was not there. */
const unfilled = /\b(?:PERSON|APP|SERVER|FOLDER|ACCOUNT|NAME|FILE|PID|JOB)\b|\bundefined\b|\bNaN\b|\[object |\bnull\b/;

/** Bounds of what comes by itself, on a machine that does much else. */
const toldMsMax = 240_000;
const ageMsMax = 60_000;

/** `isLong`: each statement is printed, too. */
export async function runGroup(site: Site, { worlds }: Group, say: (line: string) => void, isLong = false): Promise<readonly Told[]> {
  const told: Told[] = [];
  const lanes = Map.groupBy(worlds, ({ name, lane }) => lane ?? name);
  const runLane = async (ones: readonly World[]): Promise<void> => {
    for (const world of ones) {
      const one = await runWorld(site, world);
      told.push(one);
      say(lineOf(one, isLong));
    }
  };
  await Promise.all([...lanes.values()].map((ones) => runLane(ones)));
  return told;
}

function lineOf({ world, untrue, unmended, said, seconds }: Told, isLong: boolean): string {
  const verdict = untrue.length === 0 && unmended === null ? 'ok  ' : 'FAIL';
  return [
    `${verdict} ${world} (${said.length} statements, ${seconds} s)`,
    ...(isLong ? said : []),
    ...untrue,
    ...(unmended === null ? [] : [`not mended: ${unmended}`]),
  ].join('\n       ');
}

async function runWorld(site: Site, world: World): Promise<Told> {
  const startMs = performance.now();
  const judge = createJudge(world);
  let unmended: string | null = null;
  try {
    await world.break(site);
    const fix = await statementsOf(site, world, judge);
    if (fix === null) {
      unmended = 'no fix was said';
      // Other worlds come after it.
      await world.mend(site, []).catch(() => undefined);
    } else {
      await world.mend(site, fix);
      unmended = await whatStays(site, world);
    }
  } catch (error) {
    judge.untrue.push(`the world itself: ${(error as Error).message}`);
    await world.mend(site, []).catch(() => undefined);
  }
  await world.after?.(site);
  return {
    world: world.name,
    untrue: judge.untrue,
    unmended,
    said: judge.said,
    seconds: Math.round((performance.now() - startMs) / 1_000),
  };
}

const shown = (said: Said | undefined, key: string): string =>
  said === undefined ? `${key} is not there` : `${key} ${said.state} ${said.reason} ${said.message}`;

/** After the fix: null once the objects are well, and no row of a doctor says it any more. */
async function whatStays(site: Site, { healed, healMsMax = 180_000, doctor = {} }: World): Promise<string | null> {
  let stays: readonly string[] = [];
  const isNothing = async (look: () => Promise<readonly string[]>, msMax: number): Promise<boolean> =>
    await until('healed', async () => (stays = await look()).length === 0, msMax).catch(() => false);
  const objectsAreWell = async (): Promise<readonly string[]> => {
    const objects = await site.objects();
    return Object.entries(healed).flatMap(([key, state]) =>
      (objects.get(key)?.state ?? 'gone') === state ? [] : [shown(objects.get(key), key)],
    );
  };
  const rowsAreWell = async (): Promise<readonly string[]> => {
    const found = await Promise.all(
      Object.entries(doctor).map(async ([place, says]) => {
        const { row, text } = await rowOf(site, place);
        return row?.ok === false && says.test(text) ? [text] : [];
      }),
    );
    return found.flat();
  };
  const isWell = (await isNothing(objectsAreWell, healMsMax)) && (await isNothing(rowsAreWell, healMsMax));
  return isWell ? null : stays.join('; ');
}

function createJudge({ never }: World) {
  const untrue: string[] = [];
  const said: string[] = [];
  return {
    untrue,
    said,
    /** Notes a statement: where it was said, and whether it holds. */
    hears: (where: string, text: string, holds: boolean, expected: unknown = ''): void => {
      said.push(`${where}: ${text}`);
      if (!holds) untrue.push(`${where} says ${JSON.stringify(text)}${expected === '' ? '' : `, true is ${String(expected)}`}`);
      const gap = unfilled.exec(text)?.[0];
      if (gap !== undefined) untrue.push(`${where} leaves ${gap} open: ${JSON.stringify(text)}`);
      if (never?.test(text) === true) untrue.push(`${where} says what is never so: ${JSON.stringify(text)}`);
    },
  };
}

type Judge = ReturnType<typeof createJudge>;

async function statementsOf(site: Site, world: World, judge: Judge): Promise<RegExpExecArray | null> {
  const fixes: RegExpExecArray[] = [];
  for (const [key, truth] of Object.entries(world.truth)) {
    const fix = await ofObject(site, key, truth, judge);
    if (fix !== null) fixes.push(fix);
  }
  if (world.cli !== undefined) {
    const { says } = world.cli;
    const argv = typeof world.cli.argv === 'function' ? await world.cli.argv(site) : world.cli.argv;
    const { code, out, err } = await site.svc(...argv);
    const text = `${out}${err}`.trim();
    const match = says.exec(text);
    judge.hears(`svc ${argv.join(' ')} (${code})`, text, match !== null, says);
    if (match !== null) fixes.push(match);
  }
  if (world.doctor !== undefined) await ofDoctor(site, world.doctor, judge);
  const plan = await site.plan();
  if (world.plan !== undefined) ofPlan(plan, Object.keys(world.truth)[0] ?? '', world.plan, judge);
  ofEveryPlan(plan, world, judge);
  return fixes[0] ?? null;
}

const isSo = (wanted: string | RegExp, said: string): boolean => (typeof wanted === 'string' ? wanted === said : wanted.test(said));

async function ofObject(site: Site, key: string, truth: Truth, judge: Judge): Promise<RegExpExecArray | null> {
  const is = ({ state, reason }: Pick<Said, 'state' | 'reason'>): boolean =>
    isSo(truth.reason, reason) && (truth.state === undefined || state === truth.state);
  let last: Said | undefined;
  const found = await until(
    key,
    async () => {
      last = (await site.objects()).get(key);
      return last !== undefined && is(last) && last;
    },
    toldMsMax,
  ).catch(() => last);
  judge.hears(
    `get ${key}`,
    `${found?.state} ${found?.reason} ${found?.message}`,
    found !== undefined && is(found),
    `${truth.state ?? ''} ${truth.reason}`,
  );
  if (found === undefined) return null;
  // Folders and servers are observed by turns: a report may be as old as that.
  const endMs = performance.now() + ageMsMax;
  const isTrueBy = (sentence: string): boolean => truth.says?.test(sentence) !== false || performance.now() > endMs;
  // A retried act may be under way just then: both are asked for one state.
  const why: Why = await until(
    `why ${key}`,
    async () => {
      const now = (await site.objects()).get(key) ?? found;
      const said = await site.why(key);
      return (!is(found) || (is(now) && isTrueBy(said.sentence) && said.sentence.startsWith(`${key} is ${now.state} `))) && said;
    },
    toldMsMax,
  );
  judge.hears(`why ${key}`, why.sentence, truth.says === undefined || truth.says.test(why.sentence), truth.says);
  const { fix } = truth;
  const match = fix?.exec(why.fix ?? '') ?? null;
  if (fix !== undefined) judge.hears(`why ${key}, fix`, why.fix ?? '', fix === null ? why.fix === null : match !== null, fix ?? 'no fix');
  if (key.startsWith('Backend/')) {
    const [, person = '', app = ''] = key.split('/');
    const row = await besideObject(site, key, is, async () => (await site.panel(person)).get(app));
    if (row !== undefined) judge.hears(`panel ${key}`, `${row.state} ${row.reason}`, is(row), truth.reason);
  }
  if (key.startsWith('Package/')) {
    const row = await besideObject(site, key, is, async () => (await site.adminPanel()).get(key));
    judge.hears(`panel ${key}`, `${row?.state} ${row?.reason} ${row?.message}`, row !== undefined && is(row), truth.reason);
  }
  return match ?? (fix instanceof RegExp ? null : /^/.exec(''));
}

/**
 * A row of a panel, asked for while the object has the true state: a retried act moves it on for a moment, and what starts and dies again may
 * have been both between two looks.
 */
async function besideObject<AskedRow extends Said | undefined>(
  site: Site,
  key: string,
  is: (said: Said) => boolean,
  ask: () => Promise<AskedRow>,
): Promise<AskedRow> {
  const isSaid = async (): Promise<boolean> => {
    const said = (await site.objects()).get(key);
    return said === undefined || is(said);
  };
  const endMs = performance.now() + toldMsMax;
  for (let wrong = 0; ;) {
    const isBefore = await isSaid();
    const row = await ask();
    const isAfter = await isSaid();
    if (row !== undefined && is(row) && (isBefore || isAfter)) return row;
    if (isBefore && isAfter) wrong += 1;
    if (wrong === 3 || performance.now() > endMs) return row;
  }
}

const textOf = ({ ok, detail, fix }: Row): string => `${ok ? 'ok' : 'not ok'}: ${detail}; ${fix ?? ''}`;

/** `place`: the name of a row, or SERVER:ROW. */
async function rowOf(
  site: Site,
  place: string,
): Promise<{ readonly all: readonly Row[]; readonly row: Row | undefined; readonly text: string }> {
  const [server, name = ''] = place.includes(':') ? place.split(':') : [undefined, place];
  const all = await site.doctor(server);
  const row = all.find((each) => each.name === name);
  return { all, row, text: row === undefined ? `no row ${name}` : textOf(row) };
}

async function ofDoctor(site: Site, rows: NonNullable<World['doctor']>, judge: Judge): Promise<void> {
  for (const [place, says] of Object.entries(rows)) {
    const { all, row, text } = await rowOf(site, place);
    judge.hears(`doctor ${place}`, text, row?.ok === false && says.test(text), says);
    // Each row that is not ok says what to do.
    for (const other of all.filter(({ ok }) => !ok)) judge.hears(`doctor, ${other.name}`, textOf(other), other.fix !== null, 'a fix');
  }
}

function ofPlan({ changes, blocked, errors }: Plan, key: string, says: RegExp | null, judge: Judge): void {
  const lines = [
    ...changes.map((change) => `${change.key} ${change.action} ${change.detail}`),
    ...blocked.map((one) => `${one.key} blocked ${one.reason} ${one.message}${one.waits ? ' (waits)' : ''}`),
  ].filter((line) => line.startsWith(`${key} `));
  const text = [...lines, ...errors].join('\n');
  judge.hears(`plan ${key}`, text, says === null ? text === '' : says.test(text), says ?? 'nothing');
}

/** In every world: what is blocked is so for the reason that `get` says, and the exit code is that of what is said. */
function ofEveryPlan({ code, changes, blocked, pendingPrune, errors }: Plan, { truth }: World, judge: Judge): void {
  for (const { key, reason, message } of blocked) {
    const known = truth[key];
    // Beside what get says, which why says in a sentence of its own.
    const isNote = reason === 'SourceChanged';
    if (known !== undefined && !isNote)
      judge.hears(`plan, blocked ${key}`, `${reason} ${message}`, isSo(known.reason, reason), known.reason);
  }
  const isDone = blocked.every(({ waits }) => waits) && changes.length + pendingPrune.length === 0;
  const exits = errors.length > 0 ? 1 : isDone ? 0 : 2;
  judge.hears('plan, its exit code', String(code), code === exits, exits);
}
