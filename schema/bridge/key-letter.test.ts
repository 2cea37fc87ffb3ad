import { expect, test } from 'vitest';
import { shellKeyOf } from './protocol.ts';
import { letterOf } from './key-letter.ts';

test.for([
  ['q', 'KeyQ', 'q', 'QWERTY'],
  ['Q', 'KeyQ', 'q', 'with Shift'],
  ['q', 'KeyA', 'q', 'AZERTY: where Q is written'],
  ['a', 'KeyQ', 'a', 'AZERTY: the place of Q on QWERTY'],
  ["'", 'KeyQ', 'q', 'Dvorak writes a sign there, and q elsewhere'],
  ['й', 'KeyQ', 'q', 'Cyrillic'],
  ['œ', 'KeyQ', 'q', 'Alt on a Mac'],
  ['Dead', 'KeyE', 'e', 'Alt on a Mac, an accent'],
  ['Process', 'KeyQ', '', 'an input method has the key'],
  ['Enter', 'Enter', '', 'no letter'],
  ['1', 'Digit1', '', 'no letter'],
  ['q', '', 'q', 'a keyboard on the screen says no place'],
] as const)('%s at %s is %s: %s', ([key, code, letter]) => expect(letterOf({ key, code })).toBe(letter));

const none = { ctrlKey: false, altKey: false, shiftKey: false, metaKey: false };
test.for([
  [{ key: 'q', code: 'KeyQ', altKey: true }, 'Alt+q'],
  [{ key: 'Q', code: 'KeyQ', altKey: true, shiftKey: true }, 'Alt+Shift+q'],
  [{ key: 'q', code: 'KeyA', altKey: true }, 'Alt+q'],
  [{ key: 'a', code: 'KeyQ', altKey: true }, null],
  [{ key: 'й', code: 'KeyQ', altKey: true }, 'Alt+q'],
  [{ key: 'q', code: 'KeyQ', altKey: true, ctrlKey: true }, null],
  [{ key: 'л', code: 'KeyK', ctrlKey: true }, 'Control+k'],
  [{ key: 'K', code: 'KeyK', ctrlKey: true, shiftKey: true }, null],
  [{ key: 'F6', code: 'F6', shiftKey: true }, 'Shift+F6'],
] as const)('%o is the key %s of the shell', ([pressed, key]) => expect(shellKeyOf(Object.assign({}, none, pressed))).toBe(key));
