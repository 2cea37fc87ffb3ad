import * as planted from '../controller/store/store.ts';
export const use = planted;
