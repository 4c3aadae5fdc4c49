import { describe, expect, it } from 'vitest';
import { type LoadedOutput, loadOutput, STEP } from '../src/conversation/turn/wholeOutput.js';

function source(text: string) {
  const bytes = new TextEncoder().encode(text);
  const asked: number[] = [];
  const fetch = async (_: string, { offset, length }: { offset: number; length: number }) => {
    asked.push(offset);
    const piece = bytes.subarray(offset, offset + length);
    return { bytes: piece, size: bytes.length, text: () => new TextDecoder().decode(piece) };
  };
  return { fetch, asked, size: bytes.length };
}

describe('a large output', () => {
  it('is loaded whole, with characters that lie across its pieces', async () => {
    // Three bytes each: no piece ends where a character does.
    const text = `a${'€'.repeat(400_000)}😀`;
    const { fetch, size } = source(text);
    const loaded = await loadOutput(fetch, 'uri');
    expect(loaded.text === text).toBe(true);
    expect(loaded).toMatchObject({ loaded: size, size });
  });

  it('is loaded step by step beyond a limit, without a seam', async () => {
    const text = `a${'😀'.repeat(STEP / 2)}`;
    const { fetch, size } = source(text);
    let loaded: LoadedOutput | undefined;
    let steps = 0;
    do {
      loaded = await loadOutput(fetch, 'uri', loaded);
      steps += 1;
      expect(loaded.text).not.toContain('\uFFFD');
    } while (loaded.loaded < loaded.size);
    expect(steps).toBe(Math.ceil(size / STEP));
    expect(loaded.text === text).toBe(true);
  });

  it('that is no UTF-8 ends nevertheless', async () => {
    const bytes = new Uint8Array([0x61, 0xe2, 0x82]);
    const fetch = async () => ({ bytes, size: 3, text: () => '' });
    expect(await loadOutput(fetch, 'uri')).toMatchObject({ text: 'a\uFFFD', loaded: 3 });
    const empty = async () => ({ bytes: new Uint8Array(), size: 9, text: () => '' });
    expect(await loadOutput(empty, 'uri')).toMatchObject({ text: '', loaded: 0 });
  });
});
