/** The facts that distinguish apps of the same name. */
interface Named {
  readonly id: string;
  readonly name: string;
}

/** As a person reads it: two that differ in spaces, in case or in characters without width look the same. */
const read = (name: string): string =>
  name
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .toLowerCase();

/** The name of an app, with its id behind it where another app of the person has that name, too. */
export function nameAmong(apps: readonly Named[], id: string, name: string): string {
  return apps.some((other) => other.id !== id && read(other.name) === read(name)) ? `${name} (${id})` : name;
}
