/** Pictures that the shop shows: by their first bytes, with their size, so that none is a bomb for who looks at it. Source: PNG 5.2, 11.2.2; ITU-T T.81 B.1. */
import { limits } from '../../../schema/limits.ts';

export const pictureTypes = ['png', 'jpg'] as const;
export type PictureType = (typeof pictureTypes)[number];

export interface Picture {
  readonly type: PictureType;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** Null for anything else. */
export function pictureOf(bytes: Uint8Array): Picture | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = pngOf(view) ?? jpegOf(view);
  const isShown =
    found !== null && Math.min(found.width, found.height) > 0 && Math.max(found.width, found.height) <= limits.shopPictureSideMax;
  return isShown ? found : null;
}

const pngMark = 0x89504e47_0d0a1a0an;
const pngHeader = 0x49484452;

function pngOf(view: DataView): Picture | null {
  if (view.byteLength < 24 || view.getBigUint64(0) !== pngMark || view.getUint32(12) !== pngHeader) return null;
  return { type: 'png', width: view.getUint32(16), height: view.getUint32(20) };
}

/** The segment that says the size of a frame comes after others, whose length is theirs. */
function jpegOf(view: DataView): Picture | null {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return null;
  for (let at = 2; at + 9 <= view.byteLength;) {
    const marker = view.getUint16(at);
    if (marker === 0xffff) {
      at += 1;
      continue;
    }
    if (marker < 0xffc0 || marker === 0xffda) return null;
    if (isFrame(marker)) return { type: 'jpg', width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
  return null;
}

/** SOF0 to SOF15, without the tables and extensions among them. */
const isFrame = (marker: number): boolean => marker <= 0xffcf && marker !== 0xffc4 && marker !== 0xffc8 && marker !== 0xffcc;
