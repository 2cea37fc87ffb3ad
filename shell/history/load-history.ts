/** The history dialog is no part of the first load. */
import { part } from '../session/part.ts';

/** Rejects with an ApiError when the file did not come. */
export const loadHistory = async (): Promise<void> => void (await part('svc-history', () => import('./svc-history.ts')));
