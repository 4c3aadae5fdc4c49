/** One encoded JSON-RPC message: text, or the same text as UTF-8 for those who encode once and send to many. */
export type Frame = string | Uint8Array;

const encoder = new TextEncoder();
// A byte order mark is kept, so that a frame means the same whether it was sent as text or as bytes.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export function frameToText(frame: Frame): string {
  return typeof frame === 'string' ? frame : decoder.decode(frame);
}

export function frameToBytes(frame: Frame): Uint8Array {
  return typeof frame === 'string' ? encoder.encode(frame) : frame;
}

/** Whether the text takes more than `maxBytes` as UTF-8, without encoding it. */
export function exceedsUtf8Bytes(text: string, maxBytes: number): boolean {
  if (text.length > maxBytes) return true;
  if (text.length * 3 <= maxBytes) return false;
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(i + 1))) {
      bytes += 4;
      i++;
    } else bytes += 3;
    if (bytes > maxBytes) return true;
  }
  return false;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
