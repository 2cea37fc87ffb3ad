/** The error that a bridge verb throws so that the page gets this code. */
import type { BridgeErrorCode } from '../../schema/bridge/verbs.ts';

export const refused = (code: BridgeErrorCode, message: string): Error => Object.assign(new Error(message), { code });
