import { describe, expect, test } from 'vitest';
import { insideApp, windowOptions } from './options.ts';

const base = 'http://svc.localhost:8787/';
const app = (window: Record<string, unknown>, icone: string | null = null) => ({
  id: 'notas',
  version: '1.0.0+a',
  name: 'Notas',
  url: 'http://notas.svc.localhost:8787/',
  icone,
  window,
});
const read = (window: Record<string, unknown>, icone: string | null = null) =>
  windowOptions(app(window, icone), base, (selector) => selector !== '((');

describe('the manifest window object', () => {
  test('nothing declared takes every default', () => {
    expect(read({})).toEqual({
      title: 'Notas',
      size: { width: 960, height: 640 },
      least: {},
      position: 'cascata',
      manyWindows: false,
      header: 'ambiente',
      icon: null,
      tabs: false,
      noDrag: [],
    });
  });

  test('everything declared is taken', () => {
    const declared = {
      title: 'Caderno',
      width: 700,
      height: 500,
      minimos: { largura: 450 },
      posicao: 'centrada',
      multiplasJanelas: true,
      richChrome: true,
      cabecalho: 'app',
      icone: { glifo: 'pasta', url: 'i.svg' },
      cancelarArraste: ['.nao', '(('],
    };
    expect(read(declared)).toEqual({
      title: 'Caderno',
      size: { width: 700, height: 500 },
      least: { width: 450 },
      position: 'centrada',
      manyWindows: true,
      tabs: true,
      header: 'app',
      icon: { kind: 'glyph', name: 'pasta' },
      noDrag: ['.nao'],
    });
  });

  test.for([
    [{ width: 199, height: 149 }],
    [{ width: 10_001, height: '500' }],
    [{ minimos: { largura: 399 }, posicao: 'canto', cabecalho: 1, title: '' }],
    [{ icone: 'x', cancelarArraste: 'y', minimos: [] }],
  ] as const)('%o counts as not declared', ([odd]) => {
    expect(read(odd)).toEqual(read({}));
  });
});

describe('the icon', () => {
  test.for([['img/i.svg'], ['/i.svg']] as const)('%s inside the app is served by the portal', ([url]) => {
    expect(read({ icone: { url } }).icon).toEqual({ kind: 'url', url: '/api/apps/notas/icone-da-janela?v=1.0.0%2Ba' });
  });

  test.for([
    ['http://fora.example/i.svg'],
    ['//fora.example/i.svg'],
    ['javascript:alert(1)'],
    ['http://relogio.svc.localhost:8787/i.svg'],
  ] as const)('%s leaves the app and is discarded for the icon of the package', ([url]) => {
    expect(read({ icone: { url } }, '/api/apps/notas/icone').icon).toEqual({ kind: 'url', url: '/api/apps/notas/icone' });
  });

  test('with one origin for all apps a path may not climb out of the app', () => {
    const appUrl = new URL('http://svc.example/proxy/app/notas/');
    expect(insideApp('../relogio/i.svg', appUrl)).toBeNull();
    expect(insideApp('/proxy/app/relogio/', appUrl)).toBeNull();
    expect(insideApp('a/../i.svg', appUrl)).toBe('http://svc.example/proxy/app/notas/i.svg');
  });
});
