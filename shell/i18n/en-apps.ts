/** The sentences of apps that use each other, in English. Part of en.ts. */
import type { ptApps } from './pt-apps.ts';

export const enApps: { readonly [K in keyof typeof ptApps]: string } = {
  'pin.title': 'Pinned',
  'pin.add': 'Pin to the taskbar',
  'pin.remove': 'Unpin from the taskbar',
  'pin.added': '{nome} pinned to the taskbar',
  'pin.removed': '{nome} unpinned from the taskbar',
  'pin.open': 'Open {nome}',
  'apps.ask': '{de} wants to use {para}',
  'apps.askChoice': '{de} wants to use another app',
  'apps.lead': '{de} will be able to ask {para} for “{rotulo}” on your behalf. {para} will know that {de} asked.',
  'apps.leadChoice': '{de} asks for something that several apps offer. Choose which one answers; it will know that {de} asked.',
  'apps.which': 'App that answers',
  'apps.capability': 'Capability: {capacidade}',
  'apps.allow': 'Allow',
  'apps.once': 'Only this time',
  'apps.deny': 'Don’t allow',
  'apps.kept': '“Allow” and “Don’t allow” hold until you change them. Closing means no, this time only.',
  'apps.starting': 'Starting {para}, asked for by {de}…',
  'apps.step': 'Step {n} of {total}: {etapa}',
  'script.notRegistered': 'The script did not register within {s} s.',
  'script.notLoaded': 'The script could not be loaded.',
  'script.lateToBegin': 'The engine did not begin within {s} s.',
  'script.lateToDraw': 'The section did not draw within {s} s.',
};
