/** The language of a page that the portal makes itself: of the panel, of errors before there is a session. */
import type { TextLanguage } from '../../schema/texts/reasons.ts';

/** Portuguese unless English is asked for first. */
export function pageLanguage(acceptLanguage: string): TextLanguage {
  const tags = acceptLanguage
    .split(',')
    .map((entry, index) => {
      const [tag, ...parameters] = entry.split(';');
      const quality = /q=([\d.]+)/.exec(parameters.join(';'))?.[1];
      return { language: tag!.trim().slice(0, 2).toLowerCase(), quality: quality === undefined ? 1 : Number(quality), index };
    })
    .filter((entry) => entry.language === 'pt' || entry.language === 'en')
    .sort((a, b) => b.quality - a.quality || a.index - b.index);
  return tags[0]?.language === 'en' ? 'en' : 'pt';
}
