/** Sentences about an installed version whose source holds other files: in `svc why`, `svc plan` and `svc doctor`. */
import type { Words } from './reasons.ts';

export const sourceChanged = (folder: string): Words => ({
  pt: `foi instalado de outros arquivos do que ${folder} tem agora com a mesma versão`,
  en: `was installed from other files than ${folder} holds now under the same version`,
});

/** `isWish`: a person installed it for themselves, and no document names it. */
export const sourceChangedFix = (folder: string, isWish: boolean): Words =>
  isWish
    ? {
        pt: `aumente "version" em ${folder}/svc-app.json: a loja oferece a atualização; ou remova o aplicativo na loja e instale de novo`,
        en: `raise "version" in ${folder}/svc-app.json: the shop offers the update; or remove the app in the shop and install it again`,
      }
    : {
        pt: `aumente "version" em ${folder}/svc-app.json e versao no documento; ou, para instalar de novo a mesma versão: tire o documento da pasta, svc apply, e ponha-o de volta`,
        en: `raise "version" in ${folder}/svc-app.json and versao in its document; or, to install the same version again: take its document out of the folder, svc apply, and put it back`,
      };
