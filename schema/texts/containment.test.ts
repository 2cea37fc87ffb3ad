import { expect, test } from 'vitest';
import { containmentSentences, containmentText } from './containment.ts';
import { fillIn } from './sentences.ts';

const values = { socket: '/run/user/0/systemd/private', code: 'ETIMEDOUT', missing: 'memory, pids', said: 'systemctl is not there' };

test.for(Object.entries(containmentSentences))('"%s", as the launcher wrote it, is a sentence in both languages', ([, { pt, en }]) => {
  const written = fillIn(en, values);
  for (const [language, template] of [
    ['pt', pt],
    ['en', en],
  ] as const) {
    const said = containmentText(written, language);
    expect(said.toLowerCase()).toBe(`${fillIn(template, values)}.`.toLowerCase());
    expect(said).toMatch(/^[A-ZÀ-Ý][^{}]*\.$/);
  }
});

test('the server of an outsider: no service manager', () => {
  const written =
    'no service manager runs for this account (/run/user/0/systemd/private is missing); loginctl enable-linger ACCOUNT starts it';
  expect(containmentText(written, 'pt')).toBe(
    'Nenhum gerenciador de serviços está em execução para esta conta (falta /run/user/0/systemd/private); loginctl enable-linger CONTA o inicia.',
  );
});

test('what another version wrote is shown as it is, and nothing is nothing', () => {
  expect([containmentText('outra frase', 'en'), containmentText('outra frase', 'pt'), containmentText('', 'pt')]).toEqual([
    'Outra frase.',
    'Outra frase.',
    '',
  ]);
});
