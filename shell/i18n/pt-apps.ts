/** The sentences of apps that use each other, in Brazilian Portuguese. Part of pt.ts. */
export const ptApps = {
  'apps.ask': '{de} quer usar {para}',
  'apps.askChoice': '{de} quer usar outro aplicativo',
  'apps.lead': '{de} poderá pedir “{rotulo}” a {para}, em seu nome. {para} saberá que foi {de} quem pediu.',
  'apps.leadChoice': '{de} pede algo que vários aplicativos oferecem. Escolha qual responde; ele saberá que foi {de} quem pediu.',
  'apps.which': 'Aplicativo que responde',
  'apps.capability': 'Capacidade: {capacidade}',
  'apps.allow': 'Permitir',
  'apps.once': 'Só desta vez',
  'apps.deny': 'Não permitir',
  'apps.kept': '“Permitir” e “Não permitir” valem até você mudar. Fechar é não, só desta vez.',
  'apps.starting': 'Iniciando {para}, a pedido de {de}…',
  'apps.step': 'Etapa {n} de {total}: {etapa}',
} as const;
