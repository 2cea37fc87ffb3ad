/** The functions of `window.svc` that only ask the shell, made from the table of verbs. */
import { verbNames, verbs, type AskedVerb } from '../../schema/bridge/verbs.ts';
import type { Bridge } from './bridge.ts';
import type { Args } from './requests.ts';

export type Functions = Readonly<Record<string, (...given: never[]) => unknown>>;

/** Arguments by place, and those of `options` from one object after them; what is undefined is left out. */
function named(verbo: AskedVerb, given: readonly unknown[]): Args {
  const args = Object.keys(verbs[verbo].args);
  const options = Object(given[args.length]) as Args;
  const pairs = [
    ...args.map((name, at) => [name, given[at]] as const),
    ...Object.keys(verbs[verbo].options).map((name) => [name, options[name]] as const),
  ];
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
}

/** Frozen: `{ window: { minimize, … }, … }`, with `own` in place of, and beside, what the table makes. */
export function verbFunctions(
  bridge: Bridge,
  own: Readonly<Record<string, Functions>>,
): Readonly<Record<string, Functions | Functions[string]>> {
  const groups: Record<string, Functions> = {};
  const alone: Record<string, Functions[string]> = {};
  for (const name of verbNames) {
    const [group = '', verb] = name.split('.');
    if (verbs[name].by !== 'shell') continue;
    const verbo = name as AskedVerb;
    const call = async (...given: readonly unknown[]): Promise<unknown> => await bridge.ask(verbo, named(verbo, given));
    if (verb === undefined) alone[group] = call;
    else groups[group] = { ...groups[group], [verb]: call };
  }
  for (const [group, functions] of Object.entries(own)) groups[group] = { ...groups[group], ...functions };
  return { ...alone, ...Object.fromEntries(Object.entries(groups).map(([group, functions]) => [group, Object.freeze(functions)])) };
}
