/** The printed access link. Pure. */

/** The pass alone, or in a link of this portal, which may stand in an invitation; null when there is none. A field of one line takes its line ends away. */
export function passOf(pasted: string): string | null {
  const trimmed = pasted.trim();
  if (/^[\w-]{16,512}$/.test(trimmed)) return trimmed;
  for (const [link] of trimmed.slice(0, charsMax).matchAll(/https?:\/\/[^\s<>"]+/gi)) {
    // A sentence may end behind it.
    const address = link.replace(/[.,;)]$/, '');
    const pass = URL.canParse(address) ? new URL(address).searchParams.get('passe') : null;
    if (pass !== null && /^[\w.~-]{8,512}$/.test(pass)) return pass;
  }
  return null;
}

const charsMax = 4_096;
