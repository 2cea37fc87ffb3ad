/** The command `publicar-motor` (rules 4.4, 2.3): argv -> one call -> exit code. */
import { Command, Option } from 'commander';
import about from '../package.json' with { type: 'json' };
import { runProgram } from './program.ts';

const program = new Command('publicar-motor')
  .argument('<tarball>', 'a .tgz with one root folder, which extraction drops')
  .description('check an engine, put it into a repository and print its `motores` entry; exit 0 or 1')
  .version(about.version)
  .requiredOption('--nome <name>', 'name of the engine, for example pandoc')
  .requiredOption('--versao <version>', 'its version, for example 3.1.9')
  .option('--repository <dir|url>', 'where to; without it SVC_REPOSITORY. An address needs SVC_REPOSITORY_TOKEN')
  .option('--url <base>', 'address at which servers reach a repository folder')
  .option('--confere <path>', 'a path that the extracted engine must contain')
  .addOption(new Option('--quando <condition>', 'only on servers with a physical GPU').choices(['gpu']))
  .option('--check', 'check it, but publish nothing')
  .option('--insecure', 'send the token over plain HTTP to another machine')
  .option('--json', 'one JSON object on stdout')
  .configureHelp({ helpWidth: 80 })
  .action(async (tarball: string, options) => {
    process.exitCode = await (await import('./commands/publish.ts')).runPublishEngine(tarball, options);
  });

await runProgram(program);
