/**
 * The border between an argv and a remote login shell. sshd knows no argv: it hands one string to whatever shell the account has. So every
 * word is first checked against a closed alphabet in which no shell has a special character inside single quotes, and then quoted: sh,
 * bash, zsh, fish and csh read such a word alike. Other texts (of people, values, paths of packages) go over standard input. Nothing else
 * in the project makes a command line.
 */
import { SvcError } from '../../../schema/errors.ts';

/** No quote, backslash, `!`, `$`, space, control or non-ASCII character. */
const wordPattern = /^[A-Za-z0-9_./:@%+,=-]{1,4096}$/;

/** Throws BAD_REQUEST for a word outside the alphabet, naming its place and never its text: it may be anything. */
export function remoteCommand(argv: readonly string[]): string {
  const [program] = argv;
  if (program === undefined || !/^\/|^[a-z]/.test(program)) {
    throw new SvcError('BAD_REQUEST', 'a command on a server begins with an absolute path or the name of a program');
  }
  return argv
    .map((word, index) => {
      if (!wordPattern.test(word)) {
        throw new SvcError('BAD_REQUEST', `word ${index} of the command ${program.slice(0, 80)} holds a character that no shell may see`);
      }
      return `'${word}'`;
    })
    .join(' ');
}
