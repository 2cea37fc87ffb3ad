/** The page of Assinador: signs and checks; says which secret is missing, as long as it is. */
(() => {
  'use strict';

  const TEXTOS = {
    pt: {
      titulo: 'Assinador',
      texto: 'Texto',
      assinatura: 'Assinatura',
      assinar: 'Assinar',
      conferir: 'Conferir',
      falta: 'Falta o segredo ASSINADOR_CHAVE. Defina-o em Segredos, no menu desta janela, e reinicie o aplicativo.',
      assinado: 'Texto assinado.',
      atual: 'A assinatura vale.',
      anterior: 'A assinatura vale, com a chave anterior.',
      invalida: 'A assinatura não é deste texto.',
      erro: 'Não deu certo; tente de novo.',
    },
    en: {
      titulo: 'Signer',
      texto: 'Text',
      assinatura: 'Signature',
      assinar: 'Sign',
      conferir: 'Check',
      falta: 'The secret ASSINADOR_CHAVE is missing. Set it under Secrets in the menu of this window, and restart the app.',
      assinado: 'The text is signed.',
      atual: 'The signature is valid.',
      anterior: 'The signature is valid, with the key from before.',
      invalida: 'The signature is not of this text.',
      erro: 'That did not work; try again.',
    },
  };
  const el = (id) => document.getElementById(id);
  let idioma = navigator.language.toLowerCase().startsWith('pt') ? 'pt' : 'en';

  function mostrar() {
    const textos = TEXTOS[idioma];
    document.documentElement.lang = idioma === 'pt' ? 'pt-BR' : 'en';
    document.title = textos.titulo;
    for (const [id, chave] of [
      ['titulo', 'titulo'],
      ['rotulo-texto', 'texto'],
      ['rotulo-assinatura', 'assinatura'],
      ['assinar', 'assinar'],
      ['conferir', 'conferir'],
      ['falta', 'falta'],
    ]) {
      el(id).textContent = textos[chave];
    }
  }

  const dizer = (chave) => {
    el('resultado').textContent = TEXTOS[idioma][chave];
  };

  async function pedir(rota, corpo) {
    const resposta = await fetch(rota, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(corpo),
    });
    if (!resposta.ok) throw new Error(String(resposta.status));
    return resposta.json();
  }

  async function fazer(agir) {
    try {
      await agir();
    } catch {
      dizer('erro');
      void olhar();
    }
  }

  el('formulario').addEventListener('submit', (evento) => {
    evento.preventDefault();
    void fazer(async () => {
      el('assinatura').value = (await pedir('api/assinar', { texto: el('texto').value })).assinatura;
      dizer('assinado');
    });
  });
  el('conferir').addEventListener('click', () => {
    void fazer(async () => {
      const { vale, chave } = await pedir('api/conferir', { texto: el('texto').value, assinatura: el('assinatura').value.trim() });
      dizer(vale ? chave : 'invalida');
    });
  });

  async function olhar() {
    try {
      const { pronto } = await (await fetch('api/estado')).json();
      el('falta').hidden = pronto;
      el('assinar').disabled = !pronto;
      el('conferir').disabled = !pronto;
      if (pronto) return;
    } catch {
      // The backend is away: asked again below.
    }
    setTimeout(() => void olhar(), 2_000);
  }

  window.svc?.app.ao('tema', (dados) => {
    idioma = dados.idioma?.startsWith('pt') ? 'pt' : 'en';
    mostrar();
  });
  mostrar();
  void olhar();
})();
