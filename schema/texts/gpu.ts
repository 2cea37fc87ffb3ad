/**
 * Which graphics cards an app was given, and why not, in words. `motivo` in what the launcher writes and the runtime libraries read is
 * Portuguese (spec 2.1, 3.1 step 6); English readers get the same sentence by its pattern.
 */
import type { TextLanguage, Words } from './reasons.ts';

export const gpuSentences = {
  given: { pt: '{placa} ({driver}) em {dispositivo}', en: '{placa} ({driver}) at {dispositivo}' },
  busy: { pt: 'em uso por outro app: {dispositivos}', en: 'in use by another app: {dispositivos}' },
  closed: {
    pt: 'a conta não abre {dispositivos}: peça ao administrador o grupo do dispositivo (render)',
    en: 'the account may not open {dispositivos}: ask the administrator for the group of the device (render)',
  },
  bare: {
    pt: 'a placa {placa} ({pci}) está sem driver: peça ao administrador o driver dela',
    en: 'the card {placa} ({pci}) has no driver: ask the administrator for its driver',
  },
  virtual: {
    pt: 'só há placa virtual neste servidor: peça ao administrador um servidor com GPU',
    en: 'this server has a virtual card only: ask the administrator for a server with a GPU',
  },
  none: {
    pt: 'não há placa gráfica neste servidor: peça ao administrador um servidor com GPU',
    en: 'this server has no graphics card: ask the administrator for a server with a GPU',
  },
} as const satisfies Readonly<Record<string, Words>>;

type Values = Readonly<Record<string, string>>;

export const fillIn = (template: string, values: Values): string =>
  template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);

/** `given` last: its pattern takes most. */
const order = ['busy', 'closed', 'bare', 'virtual', 'none', 'given'] as const;

const patterns = order.map((name) => {
  const { pt, en } = gpuSentences[name];
  const source = pt.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{(\w+)\}/g, '(?<$1>.*)');
  return { en, pattern: new RegExp(`^${source}$`) };
});

/** A sentence of another version stays as it is. */
export function gpuText(motivo: string, language: TextLanguage): string {
  if (language === 'pt') return motivo;
  for (const { en, pattern } of patterns) {
    const found = pattern.exec(motivo);
    if (found !== null) return fillIn(en, found.groups ?? {});
  }
  return motivo;
}
