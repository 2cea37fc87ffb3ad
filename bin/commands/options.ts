/** Options that every command which talks to a portal takes. */
import type { Format } from '../output.ts';

export interface PortalOptions {
  readonly state: string;
  readonly output: Format;
}
