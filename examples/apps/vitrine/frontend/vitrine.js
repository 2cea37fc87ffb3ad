'use strict';

const raiz = document.documentElement;
const achar = (id) => document.getElementById(id);
const avisos = document.querySelector('ui-toast');

/* The page is written in Portuguese; the same in English. A name of a person, a file or a token is the same in both. */
const ingles = {
  'Peças do kit': 'Parts of the kit',
  Aparência: 'Look',
  Tema: 'Theme',
  'Do sistema': 'As the system',
  Claro: 'Light',
  Escuro: 'Dark',
  'Mais contraste': 'More contrast',
  Compacto: 'Compact',
  English: 'Português',
  Botões: 'Buttons',
  Simples: 'Plain',
  Principal: 'Primary',
  Perigo: 'Danger',
  Discreto: 'Quiet',
  Desligado: 'Disabled',
  Desligada: 'Disabled',
  Salvando: 'Saving',
  Apertado: 'Pressed',
  Adicionar: 'Add',
  'Um endereço': 'A link',
  'As mesmas, como classes': 'The same, as classes',
  Formulário: 'Form',
  Nome: 'Name',
  'Como quer ser chamada.': 'What you want to be called.',
  'E-mail': 'E-mail',
  'ana@exemplo.com': 'ana@example.com',
  Senha: 'Password',
  Quantidade: 'Amount',
  'Com problema': 'With a problem',
  'Este nome já existe.': 'This name is taken.',
  'Só para ler': 'Read only',
  Buscar: 'Search',
  Observações: 'Remarks',
  'Até 200 caracteres.': 'Up to 200 characters.',
  Cidade: 'City',
  Sul: 'South',
  Norte: 'North',
  'Porto Alegre': 'Porto Alegre',
  Curitiba: 'Curitiba',
  Belém: 'Belém',
  'Manaus (lotado)': 'Manaus (full)',
  Entrega: 'Delivery',
  'Em casa': 'At home',
  'Em dois dias': 'In two days',
  'Na loja': 'In the shop',
  'Pelo ar': 'By air',
  'Li e aceito os termos': 'I read and accept the terms',
  'Receber novidades': 'Send me news',
  'Uma vez por mês.': 'Once a month.',
  'Em parte': 'In part',
  'Avisos ligados': 'Notices on',
  Som: 'Sound',
  Enviar: 'Send',
  Recomeçar: 'Reset',
  'O que foi enviado': 'What was sent',
  'Diálogo, menu e avisos': 'Dialog, menu and notices',
  'Abrir diálogo': 'Open dialog',
  'Apagar…': 'Delete…',
  'Abrir painel': 'Open panel',
  Painel: 'Panel',
  'Um toque ao lado fecha o painel.': 'A press beside it closes the panel.',
  Ações: 'Actions',
  Abrir: 'Open',
  Copiar: 'Copy',
  'Com tudo o que há dentro': 'With all in it',
  Mover: 'Move',
  Lista: 'List',
  'Mostrar ocultos': 'Show hidden',
  'Ordenar por': 'Order by',
  Data: 'Date',
  Aviso: 'Notice',
  'Aviso de erro': 'Error notice',
  'Aviso de espera': 'Waiting notice',
  Renomear: 'Rename',
  'Nome novo': 'New name',
  Cancelar: 'Cancel',
  'Apagar este arquivo?': 'Delete this file?',
  'Ele não pode ser recuperado.': 'It can’t be brought back.',
  Apagar: 'Delete',
  Abas: 'Tabs',
  'Partes do projeto': 'Parts of the project',
  Resumo: 'Summary',
  Pessoas: 'People',
  Histórico: 'History',
  'O resumo do projeto.': 'The summary of the project.',
  'Nada mudou ainda.': 'Nothing has changed yet.',
  Rascunhos: 'Drafts',
  'Carta para a Bia': 'Letter to Bia',
  'Lista de compras': 'Shopping list',
  'Ata da reunião': 'Minutes of the meeting',
  'Novo rascunho': 'New draft',
  'Pessoas e papéis': 'People and roles',
  Tabela: 'Table',
  Arquivos: 'Files',
  Tamanho: 'Size',
  Mudado: 'Changed',
  'Progresso e vazio': 'Progress and emptiness',
  Enviando: 'Sending',
  Procurando: 'Searching',
  Pronto: 'Done',
  '5 de 5': '5 of 5',
  Carregando: 'Loading',
  'Nenhum arquivo': 'No files',
  'Arraste arquivos para cá, ou escolha um.': 'Drag files here, or choose one.',
  Escolher: 'Choose',
  'Divisão e árvore': 'Split and tree',
  'Largura da árvore': 'Width of the tree',
  Pastas: 'Folders',
  casa: 'home',
  documentos: 'documents',
  fotos: 'photos',
  dados: 'data',
  lixeira: 'bin',
  'O que está na pasta.': 'What is in the folder.',
  'Cores e medidas': 'Colours and sizes',
  vazia: 'empty',
  'Salvo.': 'Saved.',
  Desfazer: 'Undo',
  'Não deu certo.': 'It did not work.',
  'Sem rede.': 'No network.',
  'Procurando…': 'Searching…',
  Vitrine: 'Showcase',
  'não muda': 'does not change',
  fora: 'out',
  relatório: 'report',
  '9,1 MB': '9.1 MB',
  '20/11/2026': 'Nov 20, 2026',
  '02/09/2026': 'Sep 2, 2026',
  '24/11/2026': 'Nov 24, 2026',
};
const emIngles = () => raiz.lang.startsWith('en');
const dizer = (texto) => (emIngles() ? (ingles[texto] ?? texto) : texto);

const originais = new Map();
const atributos = ['label', 'hint', 'error', 'heading', 'detail', 'placeholder', 'aria-label', 'data-hint', 'value'];

/** Keeps what the page says in Portuguese, so that it can be said again. */
function ler() {
  const nos = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (nos.nextNode()) {
    const no = nos.currentNode;
    const texto = no.data.trim();
    if (texto && !no.parentElement.closest('script, pre, #cores'))
      originais.set(no, [[texto, (novo) => (no.data = no.data.replace(no.data.trim(), novo))]]);
  }
  for (const peca of document.querySelectorAll('body *')) {
    const ditos = atributos.filter((nome) => peca.getAttribute(nome) && (nome !== 'value' || peca.localName === 'ui-field'));
    if (ditos.length > 0)
      originais.set(
        peca,
        ditos.map((nome) => [peca.getAttribute(nome), (novo) => peca.setAttribute(nome, novo)]),
      );
  }
}
function traduzir() {
  for (const ditos of originais.values()) for (const [texto, escrever] of ditos) escrever(dizer(texto));
  document.title = dizer('Vitrine');
}
ler();
new MutationObserver(traduzir).observe(raiz, { attributeFilter: ['lang'] });
traduzir();

const ligar = (botao, atributo, valor) => {
  botao.pressed = botao.pressed === 'true' ? 'false' : 'true';
  if (botao.pressed === 'true') raiz.dataset[atributo] = valor;
  else delete raiz.dataset[atributo];
  mostrarCores();
};
achar('contraste').addEventListener('click', ({ currentTarget }) => ligar(currentTarget, 'svcContraste', 'mais'));
achar('densidade').addEventListener('click', ({ currentTarget }) => ligar(currentTarget, 'svcDensidade', 'compacta'));
achar('idioma').addEventListener('click', () => (raiz.lang = emIngles() ? 'pt-BR' : 'en'));
document.querySelector('ui-menu').addEventListener('choose', ({ detail }) => {
  if (detail.value === 'sistema') delete raiz.dataset.svcTema;
  else raiz.dataset.svcTema = detail.value;
});

achar('formulario').addEventListener('submit', (evento) => {
  evento.preventDefault();
  const enviado = achar('enviado');
  enviado.hidden = false;
  enviado.textContent = JSON.stringify(Object.fromEntries(new FormData(evento.target)), null, 2);
});
achar('acoes').addEventListener('choose', ({ detail }) => avisos.show(detail.item.words));
achar('avisar').addEventListener('click', () =>
  avisos.show(dizer('Salvo.'), { kind: 'success', action: dizer('Desfazer'), run: () => avisos.show(dizer('Desfazer')) }),
);
achar('avisar-erro').addEventListener('click', () => avisos.show(dizer('Não deu certo.'), { kind: 'danger', detail: dizer('Sem rede.') }));
achar('avisar-espera').addEventListener('click', () => {
  const acabar = avisos.show(dizer('Procurando…'), { kind: 'busy' });
  setTimeout(() => acabar(), 4_000);
});
const rascunhos = achar('rascunhos');
rascunhos.addEventListener('close', ({ detail }) => rascunhos.querySelector(`[panel="${detail.value}"]`).remove());
let feitos = 0;
achar('novo-rascunho').addEventListener('click', () => {
  const aba = document.createElement('ui-tab');
  feitos += 1;
  Object.assign(aba, { panel: `novo-${feitos}`, closable: true, textContent: `${dizer('Novo rascunho')} ${feitos}` });
  rascunhos.append(aba);
  rascunhos.value = aba.panel;
});
document.querySelector('ui-tree').addEventListener('expand', ({ detail }) => {
  if (!detail.item.lazy) return;
  const nova = document.createElement('ui-tree-item');
  nova.textContent = dizer('vazia');
  detail.item.append(nova);
  detail.item.lazy = false;
});

/** The tokens as the kit's own styles name them: none can be missing here. */
function mostrarCores() {
  const nomes = new Set();
  for (const folha of document.styleSheets) {
    if (!folha.href?.endsWith('svc-ui.css')) continue;
    let regras = [];
    try {
      regras = folha.cssRules;
    } catch {
      // It did not arrive: the portal is away.
    }
    for (const regra of regras)
      if (regra.selectorText === ':root') for (const nome of regra.style) if (nome.startsWith('--svc-')) nomes.add(nome);
  }
  const estilos = getComputedStyle(raiz);
  achar('cores').replaceChildren(
    ...[...nomes].map((nome) => {
      const linha = document.createElement('li');
      const valor = estilos.getPropertyValue(nome).trim();
      const cor = CSS.supports('color', valor);
      if (cor) linha.append(document.createElement('i'));
      linha.style.setProperty('--cor', `var(${nome})`);
      linha.append(cor ? nome : `${nome}: ${valor.slice(0, 24)}`);
      return linha;
    }),
  );
}
mostrarCores();
