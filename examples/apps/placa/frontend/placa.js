/** The page of Placa: the verdict and every card of the server. */
(() => {
  'use strict';

  const TEXTOS = {
    pt: {
      sim: 'Este aplicativo tem uma GPU',
      nao: 'Este aplicativo usa o processador',
      placas: 'Placas deste servidor',
      nenhuma: 'Nenhuma.',
      virtual: 'virtual',
      fechada: 'a conta não abre',
    },
    en: {
      sim: 'This app has a GPU',
      nao: 'This app uses the processor',
      placas: 'Cards of this server',
      nenhuma: 'None.',
      virtual: 'virtual',
      fechada: 'closed to the account',
    },
  };
  const el = (id) => document.getElementById(id);
  let idioma = navigator.language.toLowerCase().startsWith('pt') ? 'pt' : 'en';
  let estado = null;

  function linha({ dispositivo, fornecedor, modelo, driver, virtual, acessivel }) {
    const textos = TEXTOS[idioma];
    const item = document.createElement('li');
    item.className = 'svc-item';
    const notas = [virtual ? textos.virtual : '', acessivel ? '' : textos.fechada].filter(Boolean).join(', ');
    item.textContent = [`${fornecedor} ${modelo}`.trim(), driver, dispositivo, notas].filter(Boolean).join(' · ');
    return item;
  }

  function mostrar() {
    const textos = TEXTOS[idioma];
    document.documentElement.lang = idioma === 'pt' ? 'pt-BR' : 'en';
    el('rotulo').textContent = textos.placas;
    if (estado === null) return;
    el('veredito').textContent = estado.concedida ? textos.sim : textos.nao;
    el('motivo').textContent = estado.motivo;
    el('placas').replaceChildren(...estado.inventario.map(linha));
    el('nenhuma').textContent = textos.nenhuma;
    el('nenhuma').hidden = estado.inventario.length > 0;
  }

  async function olhar() {
    try {
      estado = await (await fetch('api/gpu')).json();
      mostrar();
    } catch {
      setTimeout(() => void olhar(), 2_000);
    }
  }

  window.svc?.app.ao('tema', (dados) => {
    idioma = dados.idioma?.startsWith('pt') ? 'pt' : 'en';
    mostrar();
  });
  mostrar();
  void olhar();
})();
