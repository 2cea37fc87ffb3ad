/** `svc setup`: a site from answers. It writes ordinary desired state; a second run changes only what is asked. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { readIfThere } from '../../kit/atomic-file.ts';
import { SvcError } from '../../schema/errors.ts';
import type { TextLanguage } from '../../schema/texts/reasons.ts';
import { createClient } from '../client.ts';
import { openQuestions } from '../create/questions.ts';
import { terminalLanguage } from '../language.ts';
import { color, jsonText, plain, toned, warn, write } from '../output.ts';
import type { SetupOptions } from '../setup/answers.ts';
import { optionsIn, places, type FrontKind } from '../setup/front.ts';
import { askForRest } from '../setup/questions.ts';
import { examine, prepare, serversOverSsh, setUp, type Prepared, type Told } from '../setup/run.ts';
import { said } from '../setup/sayings.ts';
import { openSite, type Site } from '../setup/site.ts';

/** Apps of the installation that this command belongs to. */
const programs = path.resolve(import.meta.dirname, '../../examples/apps');

/** 0 done (`--plan`: nothing to change), 1 something is left to do, 2 `--plan`: changes. */
export async function runSetup(given: SetupOptions): Promise<number> {
  const language = terminalLanguage(process.env);
  const changesNothing = given.plan === true || given.print === true;
  if (process.getuid?.() !== 0 && !changesNothing) throw new SvcError('FORBIDDEN', said[language].root);
  const site = openSite(given.dir);
  const options = await withAnswers(withFront(given), site, language);
  const prepared = prepare(site, options, programs);
  if (options.print === true) return print(prepared);
  if (options.plan === true) return plan(prepared, language);
  const told = telling(options.json === true, language);
  const isWhole = await setUp(prepared, told);
  return await finish(prepared, told, isWhole);
}

/** The front that was set up before, where none is asked for. */
function withFront(given: SetupOptions): SetupOptions {
  if (given.front !== undefined) return given;
  const words = Object.values(places).flatMap(({ file }) => optionsIn(readIfThere(file)) ?? []);
  const kept: Record<string, string> = {};
  for (let at = 0; at + 1 < words.length; at += 2)
    kept[(words[at] ?? '').slice(2).replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())] = words[at + 1] ?? '';
  return { ...(kept as { readonly front?: FrontKind }), ...given };
}

async function withAnswers(given: SetupOptions, site: Site, language: TextLanguage): Promise<SetupOptions> {
  const asks = process.stdin.isTTY && process.stdout.isTTY && given.yes !== true && given.json !== true && given.print !== true;
  if (!asks) return given;
  const questions = openQuestions(process.stdin, process.stdout);
  try {
    return await askForRest(given, { site, questions, language, programs });
  } finally {
    questions.end();
  }
}

function print({ front }: Prepared): number {
  if (front === null) throw new SvcError('BAD_REQUEST', '--print shows the configuration of a front: --front caddy or --front nginx');
  write(front.text);
  return 0;
}

function plan({ site, front }: Prepared, language: TextLanguage): number {
  const place = front === null ? null : places[front.front.kind].file;
  const more = front === null || place === null ? [] : [{ file: place, text: front.text, before: readIfThere(place) }];
  const changes = [...site.changes(), ...more].filter(({ text, before }) => text !== before);
  for (const { file, text, before } of changes) write(difference(file, text, before === null));
  if (changes.length === 0) write(`${said[language].same}\n`);
  return changes.length === 0 ? 0 : 2;
}

function difference(file: string, text: string, isNew: boolean): string {
  const argv = ['-u', '--label', isNew ? '/dev/null' : file, '--label', file, isNew ? '/dev/null' : file, '-'];
  return spawnSync('diff', argv, { input: text, encoding: 'utf8' }).stdout;
}

function telling(isJson: boolean, language: TextLanguage): Told {
  const say = (event: 'step' | 'left', text: string): void => {
    if (isJson) write(`${jsonText({ event, text })}\n`);
    else if (event === 'step') write(`  ..  ${plain(text)}\n`);
    else
      for (const [at, line] of text.split('\n').entries())
        warn(`${at === 0 ? `  ${color('yellow', '!!', process.stderr)}` : '    '}  ${plain(line)}\n`);
  };
  return { language, step: (text) => say('step', text), left: (text) => say('left', text) };
}

/** Prints the findings of doctor, the way in, and the one address. */
async function finish({ site, options, portal, isNew }: Prepared, told: Told, isWhole: boolean): Promise<number> {
  const { language } = told;
  const words = said[language];
  const client = createClient(options.state);
  const rows = await examine(client, language, serversOverSsh(site));
  const isWell = rows.every(({ warning }) => warning);
  const spec = (...at: readonly string[]): unknown => site.value('Portal', portal, ['spec', ...at]);
  const [url, listen] = ['url', 'listen'].map((field) => site.text('Portal', portal, ['spec', field]));
  const address = /^https?:/.test(url ?? '') ? url : `http://svc.localhost:${listen?.split(':').at(-1) ?? ''}`;
  const people = [...site.names('Person'), ...site.names('People')];
  const [person] = site.names('Person');
  const byLink = isNew && spec('admins') === undefined && person !== undefined;
  const link = byLink ? (await client.call('POST /api/admin/links', { body: { person, admin: true } })).link : null;
  if (options.json === true) write(`${jsonText({ event: 'done', ok: isWhole && isWell, address, link, doctor: rows })}\n`);
  else {
    for (const { name, warning, detail, fix } of rows) {
      write(`${toned(words.wrong, warning ? 'busy' : 'bad')}  ${plain(name)}: ${plain(detail)}\n`);
      if (fix !== null) write(`    ${words.fix}: ${plain(fix)}\n`);
    }
    if (site.names('Server').length === 0) write(`${words.noServer}\n`);
    else if (people.length === 0) write(`${words.nobody}\n`);
    write(`\n${isWhole && isWell ? words.open : words.openUnfinished} ${address}\n`);
    if (link !== null) write(`${words.link}\n${link}\n`);
  }
  return isWhole && isWell ? 0 : 1;
}
