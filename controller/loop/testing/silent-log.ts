/** For tests in which nobody reads what the controller says. */
import type { Log } from '../../work/record.ts';

const nothing = (): void => undefined;

export const silentLog: Log = { info: nothing, warn: nothing, error: nothing, debug: nothing };
