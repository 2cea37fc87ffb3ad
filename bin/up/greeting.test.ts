import { fstatSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { greetingOf, isJournal, plainGreeting } from './greeting.ts';

const greeting = { link: 'http://svc.localhost:8787/?passe=x', person: 'ana', state: 'state' };
const onTerminal = (more: object, language: 'pt' | 'en' = 'en'): readonly string[] =>
  stripVTControlCharacters(greetingOf({ ...greeting, ...more }, true, language)).split('\n');

test('a program finds one line', () => expect(greetingOf(greeting, false, 'pt')).toBe('open http://svc.localhost:8787/?passe=x\n'));

test('on a terminal the link has a line of its own, and the next one is named with its state folder', () => {
  expect(onTerminal({})).toEqual([
    '',
    '  Open this in a browser on this machine:',
    '',
    '    http://svc.localhost:8787/?passe=x',
    '',
    '  It signs in ana, once; svc link ana --admin prints another. Ctrl-C ends the portal, and not the apps.',
    '',
    '',
  ]);
  expect(onTerminal({ state: '/var/lib/svc' }, 'pt')[5]).toContain('svc link ana --admin --state /var/lib/svc mostra');
});

test('a log that others read gets the command, and no link', () => {
  expect(plainGreeting('http://svc.localhost:8787', { person: 'ana', state: '/var/lib/svc' })).toBe(
    'listening on http://svc.localhost:8787; a link that signs in: svc link ana --admin --state /var/lib/svc\n',
  );
});

test('the journal is told by what the descriptors lead to: who starts svc from a service and reads a pipe gets the link', () => {
  const { dev, ino } = fstatSync(1);
  expect([{}, { JOURNAL_STREAM: `${dev}:${ino}` }, { JOURNAL_STREAM: '8:1' }].map(isJournal)).toEqual([false, true, false]);
});
