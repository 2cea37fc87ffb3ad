/** Breaks worlds, collects what is said of them, judges it by the truth, mends them by what was said, and sees whether they are well again. */
import { until } from '../journeys/until.ts';
import type { Plan, Row, Said, Site, Why } from './site.ts';
import type { Group, Truth, World } from './world.ts';

export interface Told {
  readonly world: string;
  readonly untrue: readonly string[];
  /** Null: the fix mended it. */
  readonly unmended: string | null;
  readonly statements: number;
  readonly seconds: number;
}

/** A word that stands for a name, or a value that was not there. */
const unfilled = /\b(?:PERSON|APP|SERVER|FOLDER|ACCOUNT|NAME|FILE|PID|JOB)\b|\bundefined\b|\bNaN\b|\[object |\bnull\b/;

const toldMsMax = 75_000;

export async function runGroup(site: Site, { worlds }: Group, say: (line: string) => void): Promise<readonly Told[]> {
  const told: Told[] = [];
  const lanes = Map.groupBy(worlds, ({ name, lane }) => lane ?? name);
  const runLane = async (ones: readonly World[]): Promise<void> => {
    for (const world of ones) {
      const one = await runWorld(site, world);
      told.push(one);
      say(lineOf(one));
    }
  };
  await Promise.all([...lanes.values()].map((ones) => runLane(ones)));
  return told;
}

function lineOf({ world, untrue, unmended, statements, seconds }: Told): string {
  const verdict = untrue.length === 0 && unmended === null ? 'ok  ' : 'FAIL';
  return [
    `${verdict} ${world} (${statements} statements, ${seconds} s)`,
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
      await until('healed', () => isHealed(site, world), world.healMsMax ?? 60_000).catch(async () => {
        const objects = await site.objects();
        unmended = Object.keys(world.healed)
          .map((key) => shown(objects.get(key), key))
          .join('; ');
      });
    }
  } catch (error) {
    judge.untrue.push(`the world itself: ${(error as Error).message}`);
  }
  await world.after?.(site);
  return {
    world: world.name,
    untrue: judge.untrue,
    unmended,
    statements: judge.count(),
    seconds: Math.round((performance.now() - startMs) / 1_000),
  };
}

const shown = (said: Said | undefined, key: string): string =>
  said === undefined ? `${key} is not there` : `${key} ${said.state} ${said.reason} ${said.message}`;

async function isHealed(site: Site, { healed }: World): Promise<boolean> {
  const objects = await site.objects();
  return Object.entries(healed).every(([key, state]) => (objects.get(key)?.state ?? 'gone') === state);
}

function createJudge({ never }: World) {
  const untrue: string[] = [];
  let count = 0;
  return {
    untrue,
    count: () => count,
    /** One statement: where it was said, and whether it holds. */
    hears: (where: string, text: string, holds: boolean, expected: unknown = ''): void => {
      count += 1;
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
    const { argv, says } = world.cli;
    const { code, out, err } = await site.svc(...argv);
    const text = `${out}${err}`.trim();
    const match = says.exec(text);
    judge.hears(`svc ${argv.join(' ')} (${code})`, text, match !== null, says);
    if (match !== null) fixes.push(match);
  }
  if (world.doctor !== undefined) await ofDoctor(site, world.doctor, judge);
  if (world.plan !== undefined) ofPlan(await site.plan(), Object.keys(world.truth)[0] ?? '', world.plan, judge);
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
  // What is tried again may be under way just then: both are asked for one state.
  const why: Why = await until(`why ${key}`, async () => {
    const now = (await site.objects()).get(key) ?? found;
    const said = await site.why(key);
    return (!is(found) || (is(now) && said.sentence.startsWith(`${key} is ${now.state} `))) && said;
  });
  judge.hears(`why ${key}`, why.sentence, truth.says === undefined || truth.says.test(why.sentence), truth.says);
  const { fix } = truth;
  const match = fix?.exec(why.fix ?? '') ?? null;
  if (fix !== undefined) judge.hears(`why ${key}, fix`, why.fix ?? '', fix === null ? why.fix === null : match !== null, fix ?? 'no fix');
  if (key.startsWith('Backend/')) {
    const [, person = '', app = ''] = key.split('/');
    const row = (await site.panel(person)).get(app);
    if (row !== undefined) judge.hears(`panel ${key}`, `${row.state} ${row.reason}`, is(row), truth.reason);
  }
  return match ?? (fix instanceof RegExp ? null : /^/.exec(''));
}

async function ofDoctor(site: Site, rows: NonNullable<World['doctor']>, judge: Judge): Promise<void> {
  for (const [place, says] of Object.entries(rows)) {
    const [server, name = ''] = place.includes(':') ? place.split(':') : [undefined, place];
    const all = await site.doctor(server);
    const row: Row | undefined = all.find((each) => each.name === name);
    const text = row === undefined ? `no row ${name}` : `${row.ok ? 'ok' : 'not ok'}: ${row.detail}; ${row.fix ?? ''}`;
    judge.hears(`doctor ${place}`, text, row?.ok === false && says.test(text), says);
    // A row that is not ok says what to do.
    if (row?.ok === false && row.fix === null) judge.hears(`doctor ${place}`, text, false, 'a fix');
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
