import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readMarkdown, readSpans } from './markdown.ts';

const text = (words: string) => ({ kind: 'text', text: words });

describe('a changelog', () => {
  test('is headings, lists and paragraphs', () => {
    const source =
      '### Novo\n\n- Lembretes por **som**\n- A semana começa\n  na segunda\n\n1. um\n2. dois\n\nDuas linhas\nde um parágrafo.\n```\n- código\n```\nfim';
    expect(readMarkdown(source)).toEqual([
      { kind: 'heading', spans: [text('Novo')] },
      {
        kind: 'list',
        ordered: false,
        items: [[text('Lembretes por '), { kind: 'strong', text: 'som' }], [text('A semana começa na segunda')]],
      },
      { kind: 'list', ordered: true, items: [[text('um')], [text('dois')]] },
      { kind: 'paragraph', spans: [text('Duas linhas de um parágrafo.')] },
      { kind: 'code', text: '- código' },
      { kind: 'paragraph', spans: [text('fim')] },
    ]);
  });

  test('that is not Markdown stays as it is', () => {
    expect(readMarkdown('O mapa de 1.1.0: 2 * 3 * 4, snake_case_name, <b>x</b> & [y](javascript:1)')).toEqual([
      { kind: 'paragraph', spans: [text('O mapa de 1.1.0: 2 * 3 * 4, snake_case_name, <b>x</b> & [y](javascript:1)')] },
    ]);
    expect(readMarkdown('')).toEqual([]);
  });

  test('links lead to the web only', () => {
    expect(readSpans('veja [o guia](https://example.org/a?b=1) e `x`')).toEqual([
      text('veja '),
      { kind: 'link', text: 'o guia', href: 'https://example.org/a?b=1' },
      text(' e '),
      { kind: 'code', text: 'x' },
    ]);
    expect(readSpans('[a](data:text/html,x) [b](//evil.example)')).toEqual([text('[a](data:text/html,x) [b](//evil.example)')]);
  });

  test('loses no word, whatever it holds', () => {
    const words = (value: string): string => value.replaceAll(/[^a-z]/g, '');
    const keepsAll = (source: string): boolean => {
      const shown = readMarkdown(source).flatMap((block) =>
        block.kind === 'code' ? [block.text] : (block.kind === 'list' ? block.items.flat() : block.spans).map((span) => span.text),
      );
      return words(shown.join('')) === words(source);
    };
    // But for what stands behind a fence, which names the language of the code.
    const lines = fc.stringMatching(/^[a-z*_`[\]() #\n-]{0,120}$/).filter((source) => !source.includes('```'));
    expect(fc.check(fc.property(lines, keepsAll)).counterexample).toBeNull();
  });
});
