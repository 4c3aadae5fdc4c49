// Draws the icons of the installed page into apps/web/public/icons: `node scripts/icons.ts`. The shape is that of favicon.svg.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';

type Colour = readonly [red: number, green: number, blue: number];

const INK: Colour = [0x1b, 0x1b, 0x19];
const PAPER: Colour = [0xed, 0xed, 0xf0];
/** In a square of 18: x, y, width, height, opacity. */
const BARS = [
  [1, 2, 16, 3.4, 1],
  [1, 7.3, 11, 3.4, 0.55],
  [1, 12.6, 6, 3.4, 0.28],
] as const;
const FOLDER = join(import.meta.dirname, '../apps/web/public/icons');

/** `inset`: the part of the side that stays free on each side. `corner`: the radius of the background's corners, as a part of it. */
function draw(size: number, inset: number, corner: number): Buffer {
  const pixels = Buffer.alloc(size * (size * 4 + 1));
  const scale = (size * (1 - 2 * inset)) / 18;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const [px, py] = [x + 0.5, y + 0.5];
      const background = cover(px, py, 0, 0, size, size, corner * size);
      let colour: Colour = INK;
      for (const [left, top, width, height, opacity] of BARS) {
        const [bx, by] = [inset * size + left * scale, inset * size + top * scale];
        const part = cover(px, py, bx, by, width * scale, height * scale, (height * scale) / 2) * opacity;
        colour = mix(colour, PAPER, part);
      }
      pixels.set([...colour, Math.round(background * 255)], y * (size * 4 + 1) + 1 + x * 4);
    }
  }
  return png(size, pixels);
}

/** How much of a pixel a rounded rectangle covers, by the distance to its edge. */
function cover(px: number, py: number, x: number, y: number, width: number, height: number, radius: number): number {
  const dx = Math.abs(px - x - width / 2) - (width / 2 - radius);
  const dy = Math.abs(py - y - height / 2) - (height / 2 - radius);
  const distance = Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - radius;
  return Math.min(1, Math.max(0, 0.5 - distance));
}

function mix(from: Colour, to: Colour, part: number): Colour {
  const at = (n: 0 | 1 | 2) => Math.round(from[n] + (to[n] - from[n]) * part);
  return [at(0), at(1), at(2)];
}

/** 8 bits of red, green, blue and alpha; each line begins with 0, for "no filter". */
function png(size: number, pixels: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = deflateSync(pixels, { level: 9 });
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

function svg(): string {
  const hex = (colour: Colour) => `#${colour.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
  const scale = 512 * (1 - 2 * INSET);
  const bars = BARS.map(
    ([x, y, width, height, opacity]) =>
      `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${height / 2}"${opacity < 1 ? ` opacity="${opacity}"` : ''}/>`,
  );
  const place = `translate(${512 * INSET} ${512 * INSET}) scale(${scale / 18})`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><rect width="512" height="512" rx="${512 * CORNER}" fill="${hex(INK)}"/><g transform="${place}" fill="${hex(PAPER)}">${bars.join('')}</g></svg>\n`;
}

const INSET = 0.22;
const CORNER = 0.22;
/** Systems cut maskable icons to a shape of their own: what matters is inside of a circle of 80 %, the background fills all. */
const MASKABLE_INSET = 0.27;

writeFileSync(join(FOLDER, 'icon.svg'), svg());
for (const size of [192, 512]) {
  writeFileSync(join(FOLDER, `icon-${size}.png`), draw(size, INSET, CORNER));
  writeFileSync(join(FOLDER, `maskable-${size}.png`), draw(size, MASKABLE_INSET, 0));
}
