/**
 * Which graphics cards an app was given, and why not, in words. `motivo` in what the launcher writes and the runtime libraries read is Portuguese
 * (rules 2.1, 3.1 step 6); English readers get the same sentence by its pattern.
 */
import type { TextLanguage, Words } from './reasons.ts';
import { createReader } from './sentences.ts';

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

/** `given` last: its pattern takes most. */
const order = ['busy', 'closed', 'bare', 'virtual', 'none', 'given'] as const;
const inEnglish = createReader(
  order.map((name) => gpuSentences[name]),
  'pt',
  'en',
);

export const gpuText = (motivo: string, language: TextLanguage): string => (language === 'pt' ? motivo : inEnglish(motivo));
