/** `--name value` or `--name=value` of the command line. */
export function optionOf(name: string): string | undefined {
  const words = process.argv.slice(2);
  const at = words.findIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`));
  return at === -1 ? undefined : words[at]!.includes('=') ? words[at]!.slice(name.length + 3) : words[at + 1];
}
