/** The one rule about colors of own types; the installer checks it too, without the rest of the validator. Source: rules 2.5, 7. */

/** WCAG 2 contrast ratio against white, 1 to 21; null when it is no #rrggbb. Source: rules 2.5 `cor`. */
export function contrastWithWhite(color: string): number | null {
  const parts = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(color);
  if (!parts) return null;
  const linear = (hex: string | undefined) => {
    const channel = Number.parseInt(hex ?? '0', 16) / 255;
    return channel <= 0.040_45 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  };
  const luminance = 0.2126 * linear(parts[1]) + 0.7152 * linear(parts[2]) + 0.0722 * linear(parts[3]);
  return 1.05 / (luminance + 0.05);
}
