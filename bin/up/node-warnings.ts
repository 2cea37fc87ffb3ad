/** Warnings of Node as lines of the portal's log, which are bounded and have one form: printed, they would be a flood of text in it. */
import type { Logger } from 'pino';

/** Returns what ends it. */
export function logWarnings(log: Pick<Logger, 'warn'>): () => void {
  // Node's own prints.
  process.removeAllListeners('warning');
  const tell = ({ name, message }: Error): void => log.warn({ warning: name }, message);
  process.on('warning', tell);
  return () => void process.off('warning', tell);
}
