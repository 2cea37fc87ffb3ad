/** The stored part of a User-Agent: names that we know and the major version, so that nothing else of the header gets into a record. Pure. */
import { systemOf } from '../../schema/texts/agents.ts';

const programs: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\/(\d{1,4})\./, 'Edge'],
  [/\bOPR\/(\d{1,4})\./, 'Opera'],
  [/\b(?:Firefox|FxiOS)\/(\d{1,4})\./, 'Firefox'],
  [/\b(?:Chrome|Chromium|HeadlessChrome|CriOS)\/(\d{1,4})\./, 'Chrome'],
  [/^(?=.*Safari\/).*\bVersion\/(\d{1,4})\./, 'Safari'],
  [/^curl\/(\d{1,4})\./, 'curl'],
  [/^python-requests\/(\d{1,4})\./, 'python-requests'],
];

/** `Firefox 144, Linux`; undefined when it says nothing that we know. */
export function shortAgent(agent: string | undefined): string | undefined {
  if (agent === undefined) return undefined;
  const said = agent.slice(0, 512);
  const program = programs.flatMap(([pattern, name]) => {
    const version = pattern.exec(said)?.[1];
    return version === undefined ? [] : `${name} ${version}`;
  })[0];
  const system = systemOf(said);
  return program === undefined && system === undefined ? undefined : [program, system].filter((part) => part !== undefined).join(', ');
}
