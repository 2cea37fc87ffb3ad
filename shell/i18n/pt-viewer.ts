/** The sentences of the viewer in Brazilian Portuguese. Part of pt.ts. */
export const ptViewer = {
  'viewer.bar': 'Ações do visualizador',
  'viewer.previous': 'Imagem anterior',
  'viewer.next': 'Próxima imagem',
  'viewer.at': '{n} de {total}',
  'viewer.smaller': 'Reduzir',
  'viewer.larger': 'Ampliar',
  'viewer.fit': 'Ajustar à janela',
  'viewer.fitted': 'Ajustada',
  'viewer.cut': 'Aqui estão os primeiros {bytes} de {todos}.',
  'viewer.unknown': 'O visualizador não mostra este tipo de arquivo.',
  'viewer.broken': 'O navegador não conseguiu mostrar este arquivo.',
  'print.preparing': 'Preparando {nome} para imprimir',
  'print.byViewer': 'Neste navegador, use o botão de imprimir que está junto do PDF.',
} as const;
