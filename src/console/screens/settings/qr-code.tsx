// A QR code as SVG: nothing that the Content-Security-Policy would have to allow. Dark on light in both color schemes,
// because some readers find no inverted code.
import { encodeQR } from 'qr';

/** Pixels of a module. */
const SCALE = 5;

export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: 4 });
  const path = rows
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  const size = rows.length;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      width={size * SCALE}
      height={size * SCALE}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
