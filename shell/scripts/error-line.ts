/** Why something of an app failed, in one line that fits beside it and into its log: what an app throws can be anything. */
/** `logNoteCharsMax` of the portal, which takes no longer one into a log. */
const charsMax = 500;

export function errorLine(thrown: unknown): string {
  let words = '';
  try {
    words = String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    // It can't be made a text.
  }
  const line = words.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  return line.slice(0, charsMax) || 'an error without words';
}
