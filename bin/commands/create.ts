/** `svc create NAME`: asks on a terminal what flags don't say, and writes a folder that works as it stands. */
import path from 'node:path';
import { SvcError } from '../../schema/errors.ts';
import type { TextLanguage, Words } from '../../schema/texts/reasons.ts';
import { idFault, nameOf, nearestId } from '../create/app-id.ts';
import { createApp, createAppHere } from '../create/create-app.ts';
import type { NewApp } from '../create/fill.ts';
import { openQuestions, type Questions } from '../create/questions.ts';
import { compilerOf, type TemplateName, templateNames, templates } from '../create/templates.ts';
import { checkWrapped, packagesFrom, saysWhere, type Wrapped, wrappedExample } from '../create/wrapped.ts';
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
  readonly here?: boolean;
  readonly command?: string;
  readonly packages?: string;
  readonly port?: string;
  readonly health?: string;
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
  noCompiler: { pt: 'instale o compilador de', en: 'install the compiler of' },
  command: {
    pt: 'Comando que o inicia ({socket} ou {port} é onde ele escuta)',
    en: 'Command that starts it ({socket} or {port} is where it listens)',
  },
  packages: { pt: 'Pacotes Debian de que precisa', en: 'Debian packages that it needs' },
  port: { pt: 'Porta em que escuta', en: 'Port that it listens on' },
  health: { pt: 'Caminho que diz se está pronto', en: 'Path that says whether it is ready' },
  left: { pt: 'já havia, e ficou como está', en: 'was there, and stays as it is' },
  unbuilt: { pt: 'não compilou', en: 'it did not build' },
} as const satisfies Readonly<Record<string, Words>>;

type Ask = (what: Words, said: string | undefined, otherwise: string) => Promise<string>;

export async function runCreate(given: string | undefined, options: Options): Promise<number> {
  const language = options.lang ?? terminalLanguage(process.env);
  const asks = process.stdin.isTTY && process.stdout.isTTY && options.yes !== true;
  const questions = asks ? openQuestions(process.stdin, process.stdout) : null;
  const ask: Ask = async (what, said, otherwise) =>
    said ?? (questions === null ? otherwise : await questions.text(what[language], otherwise));
  try {
    const place = options.here === true ? path.resolve(options.dir ?? '.') : null;
    const { id, typed } = await idFrom(
      given ?? (place === null ? undefined : nearestId(path.basename(place))),
      questions,
      options,
      language,
    );
    const dir = place ?? path.resolve(options.dir ?? id);
    if (place === null) await refuseTaken(dir);
    const template = await templateFrom(options, questions, language);
    const nome = await ask(words.name, options.name, typed ?? nameOf(id));
    const descricao = await ask(words.description, options.description, templates[template].description[language]);
    const wrapped = template === 'wrap' ? await wrappedFrom(options, ask) : null;
    questions?.end();
    const app: NewApp = { id, nome, descricao, template, language, ...(wrapped === null ? {} : { wrapped }) };
    if (place === null) tell(dir, template, await createApp(dir, app, process.env), language);
    else {
      const left = await createAppHere(dir, app);
      tell(dir, template, '', language);
      for (const name of left) write(`${plain(name)}: ${words.left[language]}\n`);
    }
    return 0;
  } finally {
    questions?.end();
  }
}

/** Null: the example, which stays as it is in the template. */
async function wrappedFrom(options: Options, ask: Ask): Promise<Wrapped | null> {
  const command = await ask(words.command, options.command, options.here === true ? '' : wrappedExample.command);
  const isExample = command === wrappedExample.command;
  const wrapped: Wrapped = {
    command,
    packages: packagesFrom(await ask(words.packages, options.packages, isExample ? wrappedExample.packages.join(' ') : '')),
    port: saysWhere(command) || command === '' ? null : portFrom(await ask(words.port, options.port, '')),
    health: await ask(words.health, options.health, wrappedExample.health),
  };
  checkWrapped(wrapped);
  return isExample ? null : wrapped;
}

const portFrom = (text: string): number | null => (text === '' ? null : Number(text));

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

const wrapOptions = ['here', 'command', 'packages', 'port', 'health'] as const;

async function templateFrom(options: Options, questions: Questions | null, language: TextLanguage): Promise<TemplateName> {
  const of = wrapOptions.find((name) => options[name] !== undefined);
  const template = options.template ?? (of === undefined ? undefined : 'wrap');
  if (of !== undefined && template !== 'wrap') throw new SvcError('BAD_REQUEST', `--${of} is of the template wrap alone`);
  if (template !== undefined) return template;
  if (questions === null) return 'python';
  return await questions.choice(
    words.template[language],
    templateNames.map((name) => [name, templates[name].about[language]] as const),
  );
}

function whyUnbuilt(template: TemplateName, unbuilt: string, language: TextLanguage): string {
  const compiler = compilerOf(template);
  if (compiler === undefined || unbuilt !== compiler.command) return `${words.unbuilt[language]}: ${plain(unbuilt)}`;
  const install = `${words.noCompiler[language]} ${compiler.language} (Debian: apt install ${compiler.packages})`;
  return language === 'pt' ? `não há ${unbuilt} aqui: ${install}` : `there is no ${unbuilt} here: ${install}`;
}

function tell(dir: string, template: TemplateName, unbuilt: string, language: TextLanguage): void {
  const shown = path.relative(process.cwd(), dir) || '.';
  const place = shown.startsWith('..') ? dir : shown;
  write(`${color('green', words.made[language])}: ${plain(place)} (${template}: ${templates[template].about[language]})\n`);
  if (unbuilt !== '') warn(`${color('yellow', whyUnbuilt(template, unbuilt, language), process.stderr)}\n`);
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
