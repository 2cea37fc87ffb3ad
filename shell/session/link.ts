/** The printed access link. Pure. */

/** The pass in a link of this portal or alone; null when it is neither. */
export function passOf(pasted: string): string | null {
  const trimmed = pasted.trim().replace(/^open\s+/i, '');
  if (/^[\w-]{16,512}$/.test(trimmed)) return trimmed;
  if (!URL.canParse(trimmed)) return null;
  const pass = new URL(trimmed).searchParams.get('passe');
  return pass !== null && /^[\w.~-]{8,512}$/.test(pass) ? pass : null;
}
