/**
 * A drawing: strokes over an SVG, or over nothing. Its file is that SVG with one group more, which is found again when it is opened.
 * Foreign parts of it are never put into the page: they are shown as a picture.
 */
(() => {
  'use strict';

  const SVG = 'http://www.w3.org/2000/svg';
  const GRUPO = 'tracos-do-svc';
  const TRACOS_MAX = 20_000;
  const VAZIO = `<svg xmlns="${SVG}" viewBox="0 0 800 600"></svg>`;
  const LINHA = /^M[-\d. ]+(L[-\d. ]+)*$/;
  const PIXELS = { px: 1, in: 96, cm: 96 / 2.54, mm: 96 / 25.4, pt: 96 / 72, pc: 16 };
  const COR = /^#[0-9a-f]{6}$/i;

  const numero = (texto) => (Number.isFinite(Number(texto)) && texto !== null ? Number(texto) : null);

  /** [x, y, width, height] in its own units. */
  function areaDe(svg) {
    const area = (svg.getAttribute('viewBox') ?? '')
      .trim()
      .split(/[\s,]+/)
      .map(Number);
    if (area.length === 4 && area.every(Number.isFinite) && area[2] > 0 && area[3] > 0) return area;
    return [0, 0, ladoDe(svg, 'width') ?? 800, ladoDe(svg, 'height') ?? 600];
  }

  /** In pixels, which are the units of an SVG without a `viewBox`; null: it says none. */
  function ladoDe(svg, lado) {
    const [, valor, unidade] = /^\s*([\d.]+)\s*(px|in|cm|mm|pt|pc)?\s*$/i.exec(svg.getAttribute(lado) ?? '') ?? [];
    const pixels = numero(valor ?? null) * PIXELS[(unidade ?? 'px').toLowerCase()];
    return pixels > 0 ? pixels : null;
  }

  /** The sheet below the strokes, in their coordinates: without a `viewBox` a browser would stretch the sheet and not the drawing on it. */
  function fundoParaMostrar({ fundo, area }) {
    const xml = new DOMParser().parseFromString(fundo, 'image/svg+xml');
    const svg = xml.documentElement;
    svg.setAttribute('viewBox', area.join(' '));
    for (const [nome, valor] of [
      ['width', area[2]],
      ['height', area[3]],
    ])
      svg.setAttribute(nome, String(valor));
    svg.removeAttribute('preserveAspectRatio');
    return new XMLSerializer().serializeToString(xml);
  }

  /** Throws where the text is no SVG. `fundo` is what was there besides the strokes, or null. */
  function lerDesenho(texto) {
    const xml = new DOMParser().parseFromString(texto, 'image/svg+xml');
    const svg = xml.documentElement;
    if (svg.localName !== 'svg' || svg.namespaceURI !== SVG || xml.querySelector('parsererror') !== null) throw new Error('não é SVG');
    const area = areaDe(svg);
    const grupo = Array.from(svg.children).find((filho) => filho.id === GRUPO);
    const tracos = Array.from(grupo?.children ?? [])
      .slice(0, TRACOS_MAX)
      .map((linha) => ({
        d: linha.getAttribute('d') ?? '',
        cor: linha.getAttribute('stroke') ?? '',
        espessura: numero(linha.getAttribute('stroke-width')) ?? 4,
      }))
      .filter(({ d, cor }) => LINHA.test(d) && COR.test(cor));
    grupo?.remove();
    return { area, tracos, fundo: svg.childElementCount === 0 ? null : new XMLSerializer().serializeToString(xml) };
  }

  function linhaDe({ d, cor, espessura }, documento = document) {
    const linha = documento.createElementNS(SVG, 'path');
    for (const [nome, valor] of Object.entries({
      d,
      stroke: cor,
      'stroke-width': espessura,
      fill: 'none',
      'stroke-linecap': 'round',
      'stroke-linejoin': 'round',
    }))
      linha.setAttribute(nome, String(valor));
    return linha;
  }

  function escreverDesenho({ area, tracos, fundo }) {
    const xml = new DOMParser().parseFromString(fundo ?? VAZIO, 'image/svg+xml');
    const svg = xml.documentElement;
    if (fundo === null) svg.setAttribute('viewBox', area.join(' '));
    const grupo = xml.createElementNS(SVG, 'g');
    grupo.id = GRUPO;
    grupo.append(...tracos.map((um) => linhaDe(um, xml)));
    svg.append(grupo);
    return new XMLSerializer().serializeToString(xml);
  }

  globalThis.desenho = { novo: () => lerDesenho(VAZIO), ler: lerDesenho, escrever: escreverDesenho, fundoParaMostrar, linhaDe };
})();
