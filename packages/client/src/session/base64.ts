/** In pieces, because a function takes only so many arguments; their length is a multiple of three, so that none is padded. */
export function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 24_576) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + 24_576)));
  }
  return text;
}
