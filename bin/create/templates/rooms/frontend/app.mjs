/** The page: lists that people keep together. A list is a room, its items an array in the room's document; the desktop carries it. */
import { awarenessProtocol, Y } from './yjs.mjs';

const TEXTOS = {
  pt: {
    nomeDaLista: 'Nome da lista',
    criar: 'Criar lista',
    voltar: 'Voltar',
    compartilhar: 'Compartilhar',
    item: 'Novo item',
    juntar: 'Juntar',
    tirar: 'Tirar',
    fora: 'Abra este app no ambiente: as listas são guardadas lá.',
    falhou: 'Não deu certo',
    conectando: 'Conectando…',
    sincronizado: 'Em dia',
    semRede: 'Sem conexão; o que você escreve fica guardado aqui',
    'sem-acesso': 'Você não está mais nesta lista',
    apagada: 'Esta lista foi apagada',
    saiu: '',
  },
  en: {
    nomeDaLista: 'Name of the list',
    criar: 'Make a list',
    voltar: 'Back',
    compartilhar: 'Share',
    item: 'New item',
    juntar: 'Add',
    tirar: 'Remove',
    fora: 'Open this app in the desktop: the lists are kept there.',
    falhou: 'It did not work',
    conectando: 'Connecting…',
    sincronizado: 'Up to date',
    semRede: 'No connection; what you write is kept here',
    'sem-acesso': 'You are no longer in this list',
    apagada: 'This list was deleted',
    saiu: '',
  },
};

const { svc } = window;
const el = (id) => document.getElementById(id);
let idioma = navigator.language.toLowerCase().startsWith('pt') ? 'pt' : 'en';
let salas = [];
/** The open room: { id, conexao, itens }. */
let aberta = null;

const diz = (chave) => TEXTOS[idioma][chave] ?? '';

function escrever() {
  document.documentElement.lang = idioma === 'pt' ? 'pt-BR' : 'en';
  for (const parte of document.querySelectorAll('[data-texto]')) parte.textContent = diz(parte.dataset.texto);
  el('nome').placeholder = diz('nomeDaLista');
  el('item').placeholder = diz('item');
  if (!svc?.noAmbiente) el('aviso').textContent = diz('fora');
  desenhar();
}

function desenhar() {
  el('escolha').hidden = aberta !== null || !svc?.noAmbiente;
  el('sala').hidden = aberta === null;
  el('salas').replaceChildren(...salas.map(({ id, nome }) => naLista(botao(nome, () => void abrir(id)))));
  if (aberta === null) return;
  const { conexao, itens, id } = aberta;
  el('titulo').textContent = salas.find((sala) => sala.id === id)?.nome ?? '';
  el('estado').textContent = diz(conexao.estado === 'fora' ? 'semRede' : conexao.estado);
  for (const campo of el('novo').elements) campo.disabled = !conexao.podeEscrever;
  el('itens').replaceChildren(...itens.map((item) => linha(item, conexao.podeEscrever)));
}

function naLista(...partes) {
  const item = document.createElement('li');
  item.append(...partes);
  return item;
}

function botao(texto, aoApertar) {
  const feito = Object.assign(document.createElement('button'), { type: 'button', className: 'svc-item', textContent: texto });
  feito.addEventListener('click', aoApertar);
  return feito;
}

/** Draws an item of the shared array: the page is drawn from the array, also after changes of one's own. */
function linha(item, podeEscrever) {
  const marca = Object.assign(document.createElement('input'), { type: 'checkbox', checked: item.get('feito'), disabled: !podeEscrever });
  marca.addEventListener('change', () => item.set('feito', marca.checked));
  const rotulo = document.createElement('label');
  rotulo.append(marca, Object.assign(document.createElement('span'), { textContent: item.get('texto') }));
  const tirar = botao('×', () => {
    const lugar = aberta.itens.toArray().indexOf(item);
    if (lugar !== -1) aberta.itens.delete(lugar);
  });
  tirar.className = 'svc-botao';
  tirar.disabled = !podeEscrever;
  tirar.setAttribute('aria-label', `${diz('tirar')}: ${item.get('texto')}`);
  return naLista(rotulo, tirar);
}

async function tentar(fazer) {
  try {
    el('aviso').textContent = '';
    await fazer();
  } catch (problema) {
    el('aviso').textContent = `${diz('falhou')}: ${problema.message}`;
  }
}

const listar = () =>
  tentar(async () => {
    ({ salas } = await svc.salas.listar());
    desenhar();
  });

/** The open list is in the address: a page that is loaded again opens it again. */
function lembrar(sala) {
  history.replaceState(null, '', sala === null ? location.pathname : `?${new URLSearchParams({ sala })}`);
}

async function abrir(id) {
  lembrar(id);
  await aberta?.conexao.sair();
  const conexao = svc.salas.entrar(id, { Y, awarenessProtocol });
  const itens = conexao.doc.getArray('itens');
  aberta = { id, conexao, itens };
  itens.observeDeep(desenhar);
  conexao.aoMudar(desenhar);
  desenhar();
}

async function fechar() {
  // Pressed again before the page showed that it was left.
  if (aberta === null) return;
  const { conexao } = aberta;
  aberta = null;
  lembrar(null);
  desenhar();
  await conexao.sair();
  await listar();
}

/** An invitation and a notice lead to `?sala=…`. */
function seguir(rota) {
  const sala = new URL(rota, document.baseURI).searchParams.get('sala');
  if (sala !== null && sala !== aberta?.id) void abrir(sala);
}

el('nova').addEventListener('submit', (evento) => {
  evento.preventDefault();
  void tentar(async () => {
    const { id } = await svc.salas.criar(el('nome').value);
    el('nome').value = '';
    await listar();
    await abrir(id);
  });
});
el('novo').addEventListener('submit', (evento) => {
  evento.preventDefault();
  aberta.itens.push([
    new Y.Map([
      ['texto', el('item').value],
      ['feito', false],
    ]),
  ]);
  el('item').value = '';
});
el('voltar').addEventListener('click', () => void fechar());
el('compartilhar').addEventListener('click', () => void tentar(() => svc.salas.compartilhar(aberta.id)));

svc?.app.ao('tema', (dados) => {
  idioma = dados.idioma?.startsWith('pt') ? 'pt' : 'en';
  escrever();
});
escrever();
if (svc?.noAmbiente) {
  svc.salas.ao('mudaram', () => void listar());
  svc.app.ao('abertura', ({ rota }) => rota && seguir(rota));
  void listar().then(() => seguir(location.search));
}
