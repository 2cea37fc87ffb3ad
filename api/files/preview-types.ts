/** As what a browser shows a file, by its extension: never as a page. Decision: docs/decisions/0220-previews-of-files.md */
const types: Readonly<Record<string, string>> = {
  'image/apng': 'apng',
  'image/avif': 'avif',
  'image/bmp': 'bmp',
  'image/gif': 'gif',
  'image/jpeg': 'jpg jpeg jpe jfif',
  'image/png': 'png',
  'image/svg+xml': 'svg',
  'image/webp': 'webp',
  'image/x-icon': 'ico',
  'audio/aac': 'aac',
  'audio/flac': 'flac',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'oga ogg opus',
  'audio/wav': 'wav',
  'audio/webm': 'weba',
  'video/mp4': 'mp4 m4v',
  'video/ogg': 'ogv',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
  'video/x-matroska': 'mkv',
  'application/pdf': 'pdf',
};
const byExtension: ReadonlyMap<string, string> = new Map(
  Object.entries(types).flatMap(([type, ends]) => ends.split(' ').map((end) => [end, type] as const)),
);

/** All others are text, whatever is in them. */
export function previewType(name: string): string {
  const [, end = ''] = /\.([^.]+)$/.exec(name) ?? [];
  return byExtension.get(end.toLowerCase()) ?? 'text/plain; charset=utf-8';
}
