/** The sentences of logs that are not there, and of errors that apps report, in Brazilian Portuguese. Part of pt.ts. */
export const ptErrors = {
  'log.empty': 'Nada escrito ainda.',
  'log.error': 'O registro não pôde ser lido: {erro}',
  'errors.title': { one: '{n} tipo de erro relatado pelo aplicativo', other: '{n} tipos de erro relatados pelo aplicativo' },
  'errors.count': { one: '{n} vez', other: '{n} vezes' },
  'errors.inPage': 'na página',
  'errors.inBackend': 'no programa',
  'errors.version': 'versão {versao}',
  'errors.last': 'por último {quando}',
  'errors.stack': 'Pilha de chamadas',
} as const;
