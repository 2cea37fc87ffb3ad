/**
 * The letter of a key of a shortcut: what is written on it, whatever the layout (Q on QWERTY and on AZERTY are two places); where the layout writes no
 * Latin letter there (Cyrillic, Greek, Alt on a Mac), the one of that place on QWERTY. '' for other keys. Decision: docs/decisions/0232-letters-of-shortcuts.md
 */
export function letterOf({ key, code }: { readonly key: string; readonly code: string }): string {
  if (/^[a-z]$/i.test(key)) return key.toLowerCase();
  // Keys with a name of their own ('Dead', 'Enter', 'Process') are no letters of another script, except a dead key, which belongs to this
  // layout.
  const [, place = ''] = /^Key([A-Z])$/.exec(code) ?? [];
  return /^.$/u.test(key) || key === 'Dead' ? place.toLowerCase() : '';
}
