/** The page of Traços: draws with the pointer or the arrow keys; opens and saves the files that the person gives it. */
(() => {
  'use strict';

  const TEXTOS = {
    pt: {
      ferramentas: 'Ferramentas',
      folha: 'Folha: as setas movem a caneta, com Shift ela risca',
      abrir: 'Abrir…',
      salvar: 'Salvar',
      salvarComo: 'Salvar como…',
      desfazer: 'Desfazer',
      cor: 'Cor',
      espessura: 'Espessura',
      semNome: 'Desenho sem nome',
      mudado: 'não salvo',
      salvo: 'salvo',
      mudouFora: 'O arquivo mudou fora daqui. Salvar por cima?',
      naoAbriu: 'Não abriu',
      naoSalvou: 'Não salvou',
      nomeNovo: 'desenho',
      descartar: 'O desenho não está salvo. Descartar?',
    },
    en: {
      ferramentas: 'Tools',
      folha: 'Sheet: the arrow keys move the pen, with Shift it draws',
      abrir: 'Open…',
      salvar: 'Save',
      salvarComo: 'Save as…',
      desfazer: 'Undo',
      cor: 'Colour',
      espessura: 'Width',
      semNome: 'Unnamed drawing',
      mudado: 'not saved',
      salvo: 'saved',
      mudouFora: 'The file changed elsewhere. Save over it?',
      naoAbriu: 'Not opened',
      naoSalvou: 'Not saved',
      nomeNovo: 'drawing',
      descartar: 'The drawing is not saved. Discard it?',
    },
  };
  const EXTENSOES = ['traco', 'svg'];
  const BYTES_MAX = 8 * 1_024 * 1_024;
  const PASSO = 10;

  const el = (id) => document.getElementById(id);
  const { svc, desenho } = window;
  const folha = el('tracos');
  let idioma = navigator.language.toLowerCase().startsWith('pt') ? 'pt' : 'en';
  let atual = desenho.novo();
  /** { caminho, nome, versao }: the file; null: it has none yet. */
  let arquivo = null;
  /** Where a new one goes by itself. */
  let pasta = null;
  let mudado = false;
  let recado = '';
  let enderecoDoFundo = null;
  let risco = null;
  let caneta = null;

  const dizer = (palavras) => {
    recado = palavras;
    mostrarEstado();
  };

  /** The desktop asks before it closes a window with a drawing that is not saved; one that has a place is saved from there. */
  let dito = '';
  function dizerSeFalta() {
    const nome = arquivo?.nome ?? TEXTOS[idioma].nomeNovo;
    const agora = mudado ? nome : '';
    if (agora === dito) return;
    dito = agora;
    void svc?.janela.naoSalvo(mudado, { nome, salvaSe: arquivo !== null || pasta !== null });
  }

  function mostrarEstado() {
    dizerSeFalta();
    const t = TEXTOS[idioma];
    const nome = arquivo?.nome ?? t.semNome;
    document.title = `${nome} – Traços`;
    el('estado').textContent = [nome, mudado ? t.mudado : arquivo === null ? '' : t.salvo, recado]
      .filter((parte) => parte !== '')
      .join(' · ');
    el('desfazer').disabled = atual.tracos.length === 0;
  }

  function mostrar() {
    folha.setAttribute('viewBox', atual.area.join(' '));
    folha.replaceChildren(...atual.tracos.map((um) => desenho.linhaDe(um)));
    if (enderecoDoFundo !== null) URL.revokeObjectURL(enderecoDoFundo);
    enderecoDoFundo =
      atual.fundo === null ? null : URL.createObjectURL(new Blob([desenho.fundoParaMostrar(atual)], { type: 'image/svg+xml' }));
    el('fundo').hidden = enderecoDoFundo === null;
    if (enderecoDoFundo !== null) el('fundo').src = enderecoDoFundo;
    mostrarEstado();
  }

  function trocar(novo, doArquivo) {
    atual = novo;
    arquivo = doArquivo;
    mudado = false;
    caneta = null;
    recado = '';
    mostrar();
  }

  const podeTrocar = async () => !mudado || (await svc.dialogo.confirmar(TEXTOS[idioma].descartar, { perigo: true })) === true;

  async function abrir({ caminho, nome }) {
    try {
      if (!(await podeTrocar())) return;
      const { conteudo, versao, bytes } = await svc.disco.ler(caminho);
      if (bytes > BYTES_MAX) throw new Error(`> ${BYTES_MAX / 1_048_576} MiB`);
      // A file that was made empty is a drawing without strokes.
      trocar(bytes === 0 ? desenho.novo() : desenho.ler(await conteudo.text()), { caminho, nome, versao });
    } catch (erro) {
      dizer(`${TEXTOS[idioma].naoAbriu}: ${erro.message}`);
    }
  }

  /** An SVG of the web: it is a new drawing here. */
  async function abrirEndereco(url) {
    try {
      if (!(await podeTrocar())) return;
      const resposta = await fetch(url, { credentials: 'omit' });
      if (!resposta.ok) throw new Error(String(resposta.status));
      trocar(desenho.ler(await resposta.text()), null);
      dizer(url);
    } catch (erro) {
      dizer(`${TEXTOS[idioma].naoAbriu} ${url}: ${erro.message}`);
    }
  }

  const guardar = async (lugar, condicao) => {
    const escrito = await svc.disco.escrever(lugar.caminho, desenho.escrever(atual), condicao);
    arquivo = { caminho: lugar.caminho, nome: lugar.nome, versao: escrito.versao };
    mudado = false;
    dizer('');
  };

  async function salvarComo() {
    const lugar = await svc.arquivos.salvar({ nome: arquivo?.nome ?? `${TEXTOS[idioma].nomeNovo}.traco`, extensoes: EXTENSOES });
    if (lugar !== null) await guardar(lugar, {});
  }

  /** In the folder that it was begun in, under the first name that is free. */
  async function salvarNaPasta() {
    for (let n = 1; ; n += 1) {
      const nome = `${TEXTOS[idioma].nomeNovo}${n === 1 ? '' : `-${n}`}.traco`;
      try {
        return await guardar({ caminho: `${pasta}/${nome}`, nome }, { novo: true });
      } catch (erro) {
        if (erro.code !== 'FILE_CHANGED' || n >= 100) throw erro;
      }
    }
  }

  async function salvar() {
    if (arquivo === null) return await (pasta === null ? salvarComo() : salvarNaPasta());
    try {
      await guardar(arquivo, { versao: arquivo.versao });
    } catch (erro) {
      if (erro.code === 'sem-permissao') return await salvarComo();
      if (erro.code !== 'FILE_CHANGED') throw erro;
      if ((await svc.dialogo.confirmar(TEXTOS[idioma].mudouFora, { perigo: true })) === true) await guardar(arquivo, {});
    }
  }

  const tentar = (acao) => () => void acao().catch((erro) => dizer(`${TEXTOS[idioma].naoSalvou}: ${erro.message}`));

  function comecarRisco(x, y) {
    risco = { d: `M${x} ${y}`, cor: el('cor').value, espessura: Number(el('espessura').value) };
    atual.tracos.push(risco);
    folha.append(desenho.linhaDe(risco));
    mudado = true;
    dizerSeFalta();
  }
  function riscarAte(x, y) {
    risco.d += `L${x} ${y}`;
    folha.lastElementChild.setAttribute('d', risco.d);
  }
  function pontoDe(event) {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(folha.getScreenCTM().inverse());
    return [Math.round(x * 10) / 10, Math.round(y * 10) / 10];
  }
  function desfazer() {
    atual.tracos.pop();
    folha.lastElementChild?.remove();
    mudado = true;
    mostrarEstado();
  }

  folha.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    folha.setPointerCapture(event.pointerId);
    comecarRisco(...pontoDe(event));
    riscarAte(...pontoDe(event));
  });
  folha.addEventListener('pointermove', (event) => {
    if (risco !== null && folha.hasPointerCapture(event.pointerId)) riscarAte(...pontoDe(event));
  });
  folha.addEventListener('lostpointercapture', () => {
    risco = null;
    mostrarEstado();
  });
  folha.addEventListener('keydown', (event) => {
    const passo = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (passo === undefined || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    const [x0, y0, largura, altura] = atual.area;
    const antes = caneta ?? [x0 + largura / 2, y0 + altura / 2];
    caneta = [
      Math.min(x0 + largura, Math.max(x0, antes[0] + passo[0] * PASSO)),
      Math.min(y0 + altura, Math.max(y0, antes[1] + passo[1] * PASSO)),
    ];
    if (!event.shiftKey) risco = null;
    else {
      if (risco === null) comecarRisco(...antes);
      riscarAte(...caneta);
      mostrarEstado();
    }
  });
  addEventListener('keydown', (event) => {
    if (!event.ctrlKey || event.altKey) return;
    if (event.key === 's') tentar(salvar)();
    else if (event.key === 'z') desfazer();
    else return;
    event.preventDefault();
  });

  async function escolher() {
    const escolhidos = await svc.arquivos.abrir({ extensoes: EXTENSOES });
    if (escolhidos !== null) await abrir(escolhidos[0]);
  }
  el('abrir').addEventListener('click', tentar(escolher));
  el('salvar').addEventListener('click', tentar(salvar));
  el('salvar-como').addEventListener('click', tentar(salvarComo));
  el('desfazer').addEventListener('click', desfazer);

  async function aoAbrir({ caminho, nome, superficie, url }) {
    if (url !== undefined) return await abrirEndereco(url);
    if (caminho === undefined) return;
    if (superficie !== 'pasta' && superficie !== 'area-de-trabalho') return await abrir({ caminho, nome });
    if (!(await podeTrocar())) return;
    trocar(desenho.novo(), null);
    pasta = caminho;
    dizer(nome);
  }

  function traduzir() {
    document.documentElement.lang = idioma === 'pt' ? 'pt-BR' : 'en';
    for (const parte of document.querySelectorAll('[data-texto]')) parte.textContent = TEXTOS[idioma][parte.dataset.texto];
    for (const parte of document.querySelectorAll('[data-nome]')) parte.setAttribute('aria-label', TEXTOS[idioma][parte.dataset.nome]);
    mostrarEstado();
  }

  svc?.app.ao('abertura', (dados) => void aoAbrir(dados));
  svc?.app.ao('salvar', async () => {
    try {
      await salvar();
    } catch (erro) {
      dizer(`${TEXTOS[idioma].naoSalvou}: ${erro.message}`);
    }
    // Still not saved: the desktop asks again.
    if (mudado) void svc.janela.naoSalvo(true, { nome: arquivo?.nome ?? TEXTOS[idioma].nomeNovo, salvaSe: true });
  });
  svc?.app.ao('tema', (dados) => {
    idioma = dados.idioma?.startsWith('pt') ? 'pt' : 'en';
    traduzir();
  });
  mostrar();
  traduzir();
})();
