/**
 * The command `svc` as a program of commander: argv -> one call -> exit code. Commands are described here and implemented in commands/, each
 * loaded only when it runs, so that `svc validate` starts fast. svc-main.ts runs it. The name of a value (`<person/app>`) selects also what
 * completes it (help/values.ts); examples are in help/examples.ts, the Portuguese help in help/portuguese.ts, by the English text.
 */
import { existsSync } from 'node:fs';
import { Argument, Command, Option } from 'commander';
import { auditResults } from '../schema/audit.ts';
import { addBackup } from './backup/program.ts';
import { addCare } from './care-program.ts';
import { collect, count, listed, output, state, time, versionText } from './common-options.ts';
import { templateNames } from './create/templates.ts';
import { addSetup } from './setup/program.ts';
import { addUpgrade } from './upgrade/program.ts';

export const program = new Command('svc')
  .description('Hosts small applications inside a web desktop, on real Linux servers, for many people.')
  .version(versionText())
  .helpCommand(false)
  .showSuggestionAfterError();

// Both may also stand before the command: `svc --state S start ana/notas`.
program
  .enablePositionalOptions()
  .addOption(state())
  .addOption(listed())
  .hook('preAction', (_, command) => {
    for (const name of ['state', 'output']) {
      if (program.getOptionValueSource(name) !== 'cli') continue;
      const option = command.options.find((option) => option.attributeName() === name);
      const value = program.getOptionValue(name) as string;
      const choices = option?.argChoices;
      if (option === undefined) command.error(`error: ${command.name()} takes no --${name}`);
      if (choices?.includes(value) === false)
        command.error(`error: ${command.name()} takes no --${name} ${value}. Allowed choices are ${choices.join(', ')}.`);
      if (command.getOptionValueSource(name) !== 'cli') command.setOptionValueWithSource(name, value, 'cli');
    }
  })
  .hook('preAction', async (_, command) => {
    // Beside `svc dev` its portal is meant.
    const isOpen = command.name() !== 'up' && command.getOptionValueSource('state') === 'default' && !existsSync('state/svc.sock');
    const dev = isOpen ? (await import('./dev/running.ts')).runningDev('.', process.env) : null;
    if (dev !== null) command.setOptionValueWithSource('state', dev.state, 'implied');
  });

program
  .command('up')
  .argument('<dir>', 'folder of desired-state YAML')
  .description('run the portal and the controller')
  .option('--listen <host:port>', 'instead of Portal.spec.listen')
  .option('--join <host:port>', 'beside other portals of the same PostgreSQL store, which reach this one there')
  .option('--fresh', 'begin with an empty store although the one of the last start is another one')
  .option('--no-link', 'print no link that signs in; the journal of systemd gets none in any case')
  .addOption(state())
  .action(async (dir: string, options: { listen?: string; join?: string; fresh?: boolean; link: boolean; state: string }) => {
    await (await import('./commands/up.ts')).runUp(dir, options);
  });

addSetup(program);

program
  .command('dev')
  .argument('[dir]', 'folder of the app', '.')
  .description('run the app of a folder in a desktop of its own while it is written')
  .option('--as <person>', 'a person more to play, with a link of their own; may be given again', collect)
  .option('--people <names>', 'all of them, the first one first: ana,bia')
  .option('--packed', 'run what publishing would ship')
  .option('--server <server>', 'run it on that server of a desired-state folder')
  .option('--desired <dir>', 'with --server: that folder')
  .option('--frontend <url>', 'the dev server of the frontend (Vite), shown in place of the pages of the backend')
  .option('--backend-prefix <path>', 'with --frontend: what the backend answers besides /api; may be given again', collect)
  .option('--listen <host:port>', 'instead of the port of the last time')
  .option('--state <dir>', 'instead of a folder of its own below ~/.local/state/svc-dev')
  .option('--open', 'open the links in the browser')
  .action(async (dir: string, options) => (await import('./commands/dev.ts')).runDev(dir, options));

program
  .command('validate')
  .argument('<file...>', 'svc-app.json, desired-state YAML, or folders of them')
  .description('judge manifests and desired state; exit 0 or 1')
  .option('--json', 'reports as JSON')
  .action(async (files: string[], options: { json?: boolean }) => {
    process.exitCode = await (await import('./commands/validate.ts')).runValidate(files, options);
  });

program
  .command('schema')
  .description('print the JSON Schema of svc-app.json')
  .option('--version <version>', 'of that svc instead of this one, from a repository; atual: its newest')
  .option('--repository <dir|url>', 'where other versions are; default: SVC_REPOSITORY')
  .option('--write [dir]', 'into .vscode of the folder of an app, for the editor')
  .action(async (options) => (await import('./commands/schema.ts')).runSchema(options));

program
  .command('create')
  .argument('[name]', 'id of the app: lowercase letters, digits and "-"')
  .description('write a new app that works as it stands; asks on a terminal what is not said')
  .addOption(new Option('--template <template>', 'what it is').choices(templateNames))
  .option('--name <text>', 'its name, as people read it')
  .option('--description <text>', 'what it does')
  .option('--dir <dir>', 'folder to write, instead of ./NAME')
  .option('--command <text>', 'template wrap: what starts the program; {socket} or {port} in it is where it listens')
  .option('--packages <names>', 'template wrap: Debian packages that it needs')
  .option('--port <count>', 'template wrap: where a program listens whose port can not be chosen')
  .option('--health <path>', 'template wrap: a path of its own that says whether it is ready, instead of /saude')
  .option('--here', 'template wrap: beside the files of the project in this folder, which stay as they are')
  .option('--yes', 'ask nothing')
  .addOption(new Option('--lang <language>', "of the questions and of the readme, instead of the terminal's").choices(['pt', 'en']))
  .action(async (name: string | undefined, options) => {
    process.exitCode = await (await import('./commands/create.ts')).runCreate(name, options);
  });

program
  .command('env')
  .description('lines for a shell, so that python3 and node find the library svc')
  .action(async () => (await import('./commands/env.ts')).runEnv(process.env));

program
  .command('test-app')
  .argument('[dir]', 'folder of the app, with svc-app.json', '.')
  .description('run an app as a server would, without a portal, and judge what every app must do; exit 0 or 1')
  .addOption(output())
  .action(async (dir: string, options) => {
    process.exitCode = await (await import('./commands/test-app.ts')).runTestApp(dir, options);
  });

program
  .command('plan')
  .argument('[dir]', 'folder to compare; without it the folder of the portal')
  .description('what would change: exit 0 nothing, 2 changes, 1 error')
  .addOption(state())
  .addOption(listed())
  .action(async (dir, options) => {
    process.exitCode = await (await import('./commands/plan.ts')).runPlan(dir, options);
  });

program
  .command('apply')
  .description('read the folder again now: 0 in force, 2 something held back, 1 error')
  .option('--prune', 'also remove what the guard holds back')
  .addOption(state())
  .addOption(listed())
  .action(async (options) => {
    process.exitCode = await (await import('./commands/plan.ts')).runApply(options);
  });

program
  .command('get')
  .argument('[kind|key|name]', 'for example backends, Server, ana/notas, ana')
  .argument('[person]', 'of that kind only what this person has, for example: svc get backends ana')
  .description('objects with state, how long they have been in it, and reason')
  .option('-w, --watch', 'go on, and print each that became another one')
  .addOption(state())
  .addOption(listed())
  .action(async (what, name, options) => (await import('./commands/get.ts')).runGet(what, name, options));

program
  .command('top')
  .argument('[person]', 'of whom; without it of everybody')
  .description('what runs and what it uses of processor and memory; q ends it')
  .option('--portal', 'who takes what of the portal itself, within the last minute')
  .addOption(state())
  .addOption(listed())
  .action(async (person, options) => (await import('./commands/top.ts')).runTop(person, options));

program
  .command('describe')
  .argument('<key>', 'for example ana/notas or Server/casa')
  .description('one object with its conditions and events')
  .addOption(state())
  .addOption(output())
  .action(async (key, options) => (await import('./commands/describe.ts')).runDescribe(key, options));

program
  .command('why')
  .argument('<key>', 'for example ana/notas or Server/casa')
  .description('why it is as it is, what it waits for, and the fix')
  .addOption(state())
  .addOption(output())
  .action(async (key, options) => (await import('./commands/why.ts')).runWhy(key, options));

program
  .command('events')
  .argument('[key]', 'of one object, of a kind (Package) or of a name (ana) with all below it; without it of all')
  .description('transitions with their reasons, newest last')
  .option('-f, --follow', 'go on as they happen')
  .option('-n, --limit <count>', 'how many', count, 50)
  .addOption(state())
  .addOption(listed())
  .action(async (key, options) => (await import('./commands/events.ts')).runEvents(key, options));

program
  .command('audit')
  .description('who did what to what, from where, and how it ended, newest last')
  .option('--person <person>', 'who acted, or whom it concerned')
  .option('--action <action>', 'session/open, or session for all that begin so')
  .option('--object <prefix>', 'objects whose names begin so, for example Backend/ana')
  .addOption(new Option('--result <result>', 'how it ended').choices(auditResults))
  .option('--since <time>', 'from then on: 2026-03-01, 2026-03-01T10:00, or 30m, 12h, 7d ago', time)
  .option('--until <time>', 'up to then', time)
  .option('-n, --limit <count>', 'how many', count, 50)
  .option('-f, --follow', 'go on as they happen')
  .option('--verify', 'check that no line was changed, removed or inserted; exit 1 when one was')
  .addOption(state())
  .addOption(listed())
  .action(async (options) => {
    process.exitCode = await (await import('./commands/audit.ts')).runAudit(options);
  });

program
  .command('logs')
  .argument('<person/app>', 'for example ana/notas')
  .description('log of a backend')
  .option('-f, --follow', 'go on as it is written')
  .option('--tail <lines>', 'how many lines', count, 200)
  .option('--previous', 'of the run before this one')
  .option('--errors', 'the errors that the app reported, by stack')
  .addOption(state())
  .action(async (backend, options) => (await import('./commands/logs.ts')).runLogs(backend, options));

for (const [wish, description] of [
  ['start', 'start a backend and wait for it'],
  ['stop', 'stop a backend'],
  ['restart', 'stop and start a backend'],
] as const) {
  program
    .command(wish)
    .argument('<person/app>', 'for example ana/notas')
    .description(description)
    .addOption(state())
    .addOption(output())
    .action(async (backend, options) => {
      process.exitCode = await (await import('./commands/lifecycle.ts')).runLifecycle(wish, backend, options);
    });
}

program
  .command('rollback')
  .argument('<package>', 'name of a Package document, or ana/notas')
  .description('go back to the version before and hold it')
  .option('--undo', 'end it: install what is wanted again')
  .addOption(state())
  .addOption(output())
  .action(async (name, options) => (await import('./commands/rollback.ts')).runRollback(name, options));

program
  .command('link')
  .argument('[person]', 'for whom; without it the only one')
  .description('print a one-time sign-in link')
  .option('--admin', 'a link that signs in with admin rights')
  .option('--hours <hours>', 'how long it is good: 24 without, at most 168', count)
  .addOption(state())
  .addOption(output())
  .action(async (person, options) => (await import('./commands/link.ts')).runLink(person, options));

const secret = program.command('secret').description('secrets of a backend: set and remove them; they can not be read back');
secret
  .command('list')
  .argument('<person/app>', 'for example ana/notas')
  .description('which secrets the app asks for and which are set')
  .addOption(state())
  .addOption(listed())
  .action(async (backend, options) => (await import('./commands/secret.ts')).runSecretList(backend, options));
secret
  .command('set')
  .argument('<person/app>', 'for example ana/notas')
  .argument('<secret>', 'as in the manifest, for example API_KEY')
  .description('store the value read from stdin')
  .addOption(state())
  .addOption(output())
  // An extra argument is likely the value: refused by us, since commander would repeat it.
  .allowExcessArguments()
  .allowUnknownOption()
  .action(async (backend, name, options, { args }: Command) =>
    (await import('./commands/secret.ts')).runSecretSet(backend, name, options, args.length > 2),
  );
secret
  .command('remove')
  .argument('<person/app>', 'for example ana/notas')
  .argument('<secret>', 'as in the manifest, for example API_KEY')
  .description('delete a secret')
  .addOption(state())
  .addOption(output())
  .action(async (backend, name, options) => (await import('./commands/secret.ts')).runSecretRemove(backend, name, options));

const jobs = program.command('jobs').description('jobs of the queue: look at them, read their logs, cancel them');
jobs
  .command('get')
  .argument('[job]', 'its id; without it all, the newest first')
  .description('jobs with state, place in the queue and reason')
  .option('--person <person>', 'of this person only')
  .option('--cluster <cluster>', 'of this cluster only')
  .option('-n, --limit <count>', 'how many', count, 50)
  .addOption(state())
  .addOption(listed())
  .action(async (job, options) => (await import('./commands/jobs.ts')).runJobsGet(job, options));
jobs
  .command('logs')
  .argument('<job>', 'its id')
  .description('what the command of a job printed')
  .option('-f, --follow', 'go on as it is written, to the end of the job')
  .addOption(state())
  .action(async (job, options) => (await import('./commands/jobs.ts')).runJobsLogs(job, options));
jobs
  .command('cancel')
  .argument('<job>', 'its id')
  .description('cancel a job; one that ended stays as it is')
  .addOption(state())
  .addOption(output())
  .action(async (job, options) => (await import('./commands/jobs.ts')).runJobsCancel(job, options));
jobs
  .command('why')
  .argument('<job>', 'its id')
  .description('why it is as it is, what it waits for, and the fix')
  .addOption(state())
  .addOption(output())
  .action(async (job, options) => (await import('./commands/jobs.ts')).runJobsWhy(job, options));

program
  .command('sessions')
  .argument('[person]', 'of whom; without it of everybody')
  .description('who is signed in, and where')
  .option('--revoke [session]', 'end all of the person, or the one with this id')
  .option('--forget', 'let the person come as another identity of the provider, and remove their passkeys')
  .addOption(state())
  .addOption(listed())
  .action(async (person, options) => (await import('./commands/sessions.ts')).runSessions(person, options));

program
  .command('repository')
  .argument('<dir>', 'folder of the repository; it is made when it is not there')
  .description('serve packages and engines over HTTP')
  .option('--listen <host:port>', 'where', '127.0.0.1:8790')
  .option('--new-token', 'print a new publishing token and end')
  .option('--only <app...>', 'apps and engines that the new token publishes; without it all')
  .action(async (dir, options) => (await import('./commands/repository.ts')).runRepository(dir, options));

const server = program.command('server').description('servers that the portal reaches over ssh');

server
  .command('trust')
  .argument('<server>', 'a Server document of the folder, or without a folder host or host:port')
  .argument('[dir]', 'folder of desired-state YAML; it may lack the hostKey')
  .description('show the host keys of a server and the line that pins one; 1 when another is pinned')
  .addOption(output())
  .action(async (name, dir, options) => {
    process.exitCode = await (await import('./commands/server-trust.ts')).runTrust(name, dir, options);
  });

for (const [act, description] of [
  ['add', 'put the server kit on a server, and make the accounts of its people ready'],
  ['rollback', 'go back to the server kit before'],
  ['remove', 'take the server kit off; packages and data stay'],
  ['forget', 'give up a server whose document is gone and whose machine never comes back; without --yes only says what is forgotten'],
] as const) {
  const command = server.command(act).argument('<server>', 'a Server document').description(description);
  if (act === 'add') command.option('--plan', 'only say what would be done: 0 nothing, 2 changes');
  if (act === 'remove') command.option('--force', 'end what still runs from it');
  if (act === 'forget') command.option('--yes', 'do it');
  command
    .addOption(state())
    .addOption(output(['table', 'json']))
    .action(async (name, options) => {
      process.exitCode = await (await import('./commands/server.ts')).runServer(act, name, options);
    });
}

addCare(program, server);

const store = program.command('store').description('where the portal keeps what it knows');

store
  .command('migrate')
  .argument('<dir>', 'folder of desired-state YAML, whose Portal document names the store')
  .description('bring the tables of the store up to date; svc up does it, too')
  .addOption(state())
  .addOption(output(['table', 'json']))
  .action(async (dir, options) => (await import('./commands/store.ts')).runStoreMigrate(dir, options));

store
  .command('copy')
  .argument('<dir>', 'folder of desired-state YAML, whose Portal document names an empty database of PostgreSQL')
  .description('copy the embedded store of the state folder to the database; the portal is stopped meanwhile')
  .option('--from <file>', 'instead of STATE/svc.db')
  .addOption(state())
  .addOption(output(['table', 'json']))
  .action(async (dir, options) => (await import('./commands/store.ts')).runStoreCopy(dir, options));

addBackup(program);
addUpgrade(program);

program
  .command('doctor')
  .description('check this installation; exit 1 when something is broken')
  .option('--server <server>', 'check that server instead')
  .addOption(state())
  .addOption(output())
  .action(async (options) => {
    process.exitCode = await (await import('./commands/doctor.ts')).runDoctor(options);
  });
program
  .command('help')
  .argument('[command...]', 'for example get, or jobs logs')
  .description('help for a command')
  .action((names: readonly string[]) => helpOf(program, names));

function helpOf(command: Command, [name, ...more]: readonly string[]): void {
  const below = command.commands.find((each) => each.name() === name);
  if (name === undefined) command.outputHelp();
  else if (below !== undefined) helpOf(below, more);
  // Says that there is none, and the nearest one.
  else command.parse([name], { from: 'user' });
}

program
  .command('completion')
  .addArgument(new Argument('<shell>', 'of which shell').choices(['bash', 'zsh', 'fish']))
  .description('print the script that completes commands, options and names in a shell')
  .action(async (shell) => (await import('./commands/completion.ts')).runCompletion(shell));

// The completion script calls `svc complete -- WORDS…`; the last word is being typed.
program
  .command('complete', { hidden: true })
  .argument('[word...]', 'what stands after svc')
  .addOption(new Option('--of <program>', 'what stands after another program than svc').choices(['svc-app-publish']))
  .description('what may stand there')
  .action(async (words, { of }) => {
    const asked = of === undefined ? program : (await import('./publish-program.ts')).publishProgram;
    await (await import('./commands/completion.ts')).runComplete(asked, words);
  });
