/**
 * A section of Settings: `contributes.settings` is loaded when Settings opens, and says what it shows with
 *
 *   SettingsRegistry.register({ titulo?, montar(elemento, { app, idioma, tema }) })
 *
 * `montar` draws into `elemento` and may return a function that ends it. Decision: docs/decisions/0204-scripts-in-the-shell.md
 */
import { createRegistry, type Registered } from './registry.ts';

export interface SectionEnvironment {
  readonly app: string;
  readonly idioma: string;
  readonly tema: 'claro' | 'escuro';
}

export interface RegisteredSection extends Registered {
  /** The name of the app without it. */
  readonly titulo?: string;
  readonly montar: (elemento: HTMLElement, ambiente: SectionEnvironment) => unknown;
}

export const appSections = createRegistry<RegisteredSection>({
  called: 'SettingsRegistry.register',
  method: 'montar',
  publish: (register) => Object.defineProperty(globalThis, 'SettingsRegistry', { value: Object.freeze({ register }), configurable: true }),
});
