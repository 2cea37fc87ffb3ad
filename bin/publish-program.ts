/** The program `svc-app-publish` (rules 4.4): argv -> one call -> exit code. `svc complete` reads it, too. */
import { Command } from 'commander';
import about from '../package.json' with { type: 'json' };

export const publishProgram = new Command('svc-app-publish')
  .argument('<dir>', 'folder of the app, with svc-app.json')
  .description('judge an app, pack it and put it into a repository; exit 0 or 1')
  .version(about.version)
  .option('--repository <dir|url>', 'where to; without it SVC_REPOSITORY. An address needs SVC_REPOSITORY_TOKEN')
  .option('--key <file>', 'sign with this secret key of minisign; make one with minisign -G -W')
  .option('--check', 'judge and pack, but publish nothing')
  .option('--list', 'show what goes into the package, and publish nothing')
  .option('--insecure', 'send the token over plain HTTP to another machine')
  .option('--json', 'one JSON object on stdout')
  .configureHelp({ helpWidth: 80 })
  .action(async (dir: string, options: Record<string, string | boolean | undefined>) => {
    process.exitCode = await (await import('./commands/publish.ts')).runPublish(dir, options);
  });
