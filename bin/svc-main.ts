/** Runs the command `svc`. */
import { prepareHelp } from './help/help.ts';
import { terminalLanguage } from './language.ts';
import { runProgram } from './program.ts';
import { program } from './svc-program.ts';

const language = terminalLanguage(process.env);
prepareHelp(program, language === 'pt' ? (await import('./help/portuguese.ts')).portuguese : null);
await runProgram(program);
