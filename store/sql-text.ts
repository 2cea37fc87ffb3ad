/** Statements of the store in the words of PostgreSQL. SQLite runs them as they are written. */

/** `?` and `?2` become `$1` and `$2`; a list in JSON is the one function that has another name. */
export function toPostgres(text: string): string {
  let place = 0;
  return text
    .replaceAll(/\?(\d*)/g, (_, number: string) => `$${number === '' ? (place += 1) : number}`)
    .replaceAll(/\bjson_each\((\$\d+)\)/g, 'json_array_elements_text($1::json)');
}

/** PostgreSQL stores no U+0000. */
export const storedText = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '\u{FFFD}') : text);
