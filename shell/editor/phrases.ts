/** CodeMirror's own words in the person's language; its English ones are its keys. */
import { language } from '../i18n/i18n.ts';

const portuguese: Readonly<Record<string, string>> = {
  Find: 'Localizar',
  Replace: 'Substituir por',
  next: 'próxima',
  previous: 'anterior',
  all: 'todas',
  'match case': 'maiúsculas',
  regexp: 'expressão regular',
  'by word': 'palavra inteira',
  replace: 'substituir',
  'replace all': 'substituir todas',
  close: 'fechar',
  'current match': 'ocorrência atual',
  'replaced $ matches': '$ ocorrências substituídas',
  'replaced match on line $': 'ocorrência substituída na linha $',
  'on line': 'na linha',
  'Go to line': 'Ir para a linha',
  go: 'ir',
  'Control character': 'Caractere de controle',
  'Selection deleted': 'Seleção apagada',
};

export const phrases = (): Readonly<Record<string, string>> => (language.get() === 'pt' ? portuguese : {});
