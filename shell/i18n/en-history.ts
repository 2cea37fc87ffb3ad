/** The sentences of the history of a room in English. Part of en.ts. */
import type { ptHistory } from './pt-history.ts';

type Entry<K extends keyof typeof ptHistory> = (typeof ptHistory)[K] extends string
  ? string
  : { readonly one: string; readonly other: string };

export const enHistory: { readonly [K in keyof typeof ptHistory]: Entry<K> } = {
  'history.title': 'History of “{sala}”',
  'history.open': 'History',
  'history.loading': 'Loading…',
  'history.none': 'There are no versions yet. They appear here once somebody has written.',
  'history.onlyWriters': 'Only people who may edit the room see its history.',
  'history.list': 'Versions, the newest first',
  'history.today': 'Today',
  'history.yesterday': 'Yesterday',
  'history.before': 'Before there was a history',
  'history.until': 'until {quando}',
  'history.now': 'Now',
  'history.gonePerson': 'somebody who left',
  'history.others': { one: '{n} more person', other: '{n} more people' },
  'history.text': 'Text of the version',
  'history.sinceBefore': 'What changed since the version before:',
  'history.untilNow': 'What changed from this version to now:',
  'history.compareNow': 'Compare with now',
  'history.added': 'added',
  'history.removed': 'removed',
  'history.changes': 'Passages added: {mais}. Passages removed: {menos}.',
  'history.same': 'Nothing changed in the text.',
  'history.oldest': 'This is the oldest version: there is none before it to compare with.',
  'history.byLines': 'Much changed: where there is no time to compare word by word, whole lines are marked.',
  'history.tooDifferent': 'Too much changed to mark what it was. This is the text.',
  'history.gap': '[…] {n} characters not shown […]',
  'history.noText': 'This version holds no text. What it holds can be downloaded as JSON.',
  'history.name': 'Give it a name',
  'history.rename': 'Change the name',
  'history.unname': 'Take the name away',
  'history.nameField': 'Name of this version',
  'history.save': 'Save',
  'history.named': 'The version is now called “{nome}”.',
  'history.unnamed': 'The version has no name any more.',
  'history.bringBack': 'Bring it back',
  'history.bringBackAsk':
    'The text will be that of this version again, for everybody in the room. What was written since stays in the history.',
  'history.bringBackSure': 'Yes, bring it back',
  'history.broughtBack': 'The version “{versao}” is back. What was written since stays in the history.',
  'history.download': 'Download',
  'history.downloadAs': 'Download as {formato}',
  'history.merged': 'The version that was open was merged with another one.',
};
