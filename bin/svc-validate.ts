/**
 * `svc validate` alone, for the bundle that bin/svc starts when it is there (setup/build.ts): authors run it at every save, and
 * loading one file takes a third of the time of loading the sources.
 */
import { Command } from 'commander';
import { addValidate } from './commands/validate-command.ts';
import { runValidate } from './commands/validate.ts';
import { runProgram } from './program.ts';

const program = new Command('svc').showSuggestionAfterError().configureHelp({ helpWidth: 80 });
addValidate(program, () => Promise.resolve(runValidate));
await runProgram(program);
