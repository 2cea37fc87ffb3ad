/** Names of groups in documents. */
import { pattern } from '../static.ts';

const groupSource = '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$';
export const group = pattern(groupSource, 'the name of a group');
const groupPattern = new RegExp(groupSource);
/** Whether a document may name a group of a server so. */
export const isGroupName = (text: string): boolean => groupPattern.test(text);
