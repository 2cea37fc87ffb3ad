/** `svc create NAME`: asks on a terminal what flags don't say, and writes a folder that works as it stands. */
import path from 'node:path';
import { SvcError } from '../../schema/errors.ts';
import type { TextLanguage, Words } from '../../schema/texts/reasons.ts';
import { idFault, nameOf, nearestId } from '../create/app-id.ts';
import { createApp } from '../create/create-app.ts';
import { openQuestions, type Questions } from '../create/questions.ts';
import { type TemplateName, templateNames, templates } from '../create/templates.ts';
import { refuseTaken } from '../create/write-folder.ts';
import { terminalLanguage } from '../language.ts';
import { color, plain, warn, write } from '../output.ts';

interface Options {
  readonly template?: TemplateName;
  readonly name?: string;
  readonly description?: string;
  readonly dir?: string;
  readonly yes?: boolean;
  readonly lang?: TextLanguage;
}

const words = {
  id: { pt: 'Id do app, que é também o nome da pasta', en: 'Id of the app, which is also the name of the folder' },
  template: { pt: 'Modelo', en: 'Template' },
  name: { pt: 'Nome, como as pessoas o leem', en: 'Name, as people read it' },
  description: { pt: 'O que ele faz', en: 'What it does' },
  made: { pt: 'pronto', en: 'made' },
  next: { pt: 'agora', en: 'next' },
  dev: { pt: 'no ambiente, enquanto você escreve', en: 'in the desktop, while you write' },
  judge: { pt: 'o que todo app precisa fazer', en: 'what every app must do' },
  library: { pt: 'a biblioteca svc neste terminal', en: 'the library svc in this terminal' },
  test: { pt: 'o teste do app', en: "the app's own test" },
  publish: { pt: 'publicar', en: 'publish' },
  build: { pt: 'compilar', en: 'build' },
  noCompiler: {
    pt: 'não há cc aqui: instale um compilador de C (Debian: apt install gcc libc6-dev)',
    en: 'there is no cc here: install a C compiler (Debian: apt install gcc libc6-dev)',
  },
  unbuilt: { pt: 'não compilou', en: 'it did not build' },
} as const satisfies Readonly<Record<string, Words>>;

export async function runCreate(given: string | undefined, options: Options): Promise<number> {
  const language = options.lang ?? terminalLanguage(process.env);
  const asks = process.stdin.isTTY && process.stdout.isTTY && options.yes !== true;
  const questions = asks ? openQuestions(process.stdin, process.stdout) : null;
  try {
    const { id, typed } = await idFrom(given, questions, options, language);
    const dir = path.resolve(options.dir ?? id);
    await refuseTaken(dir);
    const template = await templateFrom(options, questions, language);
    const ask = async (what: Words, said: string | undefined, otherwise: string): Promise<string> =>
      said ?? (questions === null ? otherwise : await questions.text(what[language], otherwise));
    const nome = await ask(words.name, options.name, typed ?? nameOf(id));
    const descricao = await ask(words.description, options.description, templates[template].description[language]);
    questions?.end();
    const unbuilt = await createApp(dir, { id, nome, descricao, template, language }, process.env);
    tell(dir, template, unbuilt, language);
    return 0;
  } finally {
    questions?.end();
  }
}

/** `typed`: what was meant as a name, where it was no id. */
async function idFrom(
  given: string | undefined,
  questions: Questions | null,
  { name }: Options,
  language: TextLanguage,
): Promise<{ readonly id: string; readonly typed: string | null }> {
  if (given !== undefined && idFault(given) === null) return { id: given, typed: null };
  if (questions === null) throw new SvcError('BAD_REQUEST', given === undefined ? nameless(name ?? '') : noId(given, language));
  let typed: string | null = given ?? name ?? null;
  let fault = given === undefined ? null : idFault(given);
  for (;;) {
    if (fault !== null) write(`${fault[language]}\n`);
    const answer = await questions.text(words.id[language], nearestId(typed ?? ''));
    fault = idFault(answer);
    if (fault === null) return { id: answer, typed };
    typed = answer;
  }
}

const nameless = (name: string): string => `which app? for example: svc create ${nearestId(name) || 'minhas-notas'}`;

function noId(given: string, language: TextLanguage): string {
  const nearest = nearestId(given);
  const instead = nearest === '' ? '' : `; svc create ${nearest} --name ${quoted(given)}`;
  return `"${plain(given).slice(0, 100)}": ${idFault(given)?.[language] ?? ''}${instead}`;
}

/** For a shell, on one line. */
const quoted = (text: string): string =>
  `'${plain(text)
    .slice(0, 100)
    .replaceAll("'", String.raw`'\''`)}'`;

async function templateFrom({ template }: Options, questions: Questions | null, language: TextLanguage): Promise<TemplateName> {
  if (template !== undefined) return template;
  if (questions === null) return 'python';
  return await questions.choice(
    words.template[language],
    templateNames.map((name) => [name, templates[name].about[language]] as const),
  );
}

function tell(dir: string, template: TemplateName, unbuilt: string, language: TextLanguage): void {
  const shown = path.relative(process.cwd(), dir) || '.';
  const place = shown.startsWith('..') ? dir : shown;
  write(`${color('green', words.made[language])}: ${plain(place)} (${template}: ${templates[template].about[language]})\n`);
  if (unbuilt !== '')
    warn(
      `${color('yellow', unbuilt === 'cc' ? words.noCompiler[language] : `${words.unbuilt[language]}: ${plain(unbuilt)}`, process.stderr)}\n`,
    );
  const steps = [
    [`cd ${/^[\w./-]+$/.test(place) ? place : quoted(place)}`, ''],
    ...(unbuilt === '' ? [] : [['sh build.sh', words.build[language]]]),
    ['svc dev', words.dev[language]],
    ['svc test-app .', words.judge[language]],
    ...(template === 'binary' ? [] : [['eval "$(svc env)"', words.library[language]]]),
    [templates[template].test, words.test[language]],
    ['svc-app-publish . --repository ../repository', words.publish[language]],
  ] as const;
  const width = Math.max(...steps.map(([line = '']) => line.length));
  write(
    `${words.next[language]}:\n${steps.map(([line = '', about = '']) => `  ${line.padEnd(width)}  ${about === '' ? '' : `# ${about}`}`.trimEnd()).join('\n')}\n`,
  );
}
