const OPENABLE = new Set(['http:', 'https:', 'mailto:']);
const IMAGE_DATA = /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/=\s]+$/i;
const IMAGE_TYPE = /^image\/(?:png|jpeg|gif|webp)$/;
const LARGEST_IMAGE = 4 * 1024 * 1024;

/** The address of a link that may be opened; `undefined` for anything that could run code or reach local files. */
export function linkTarget(href: string): string | undefined {
  try {
    const url = new URL(href);
    return OPENABLE.has(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/** An image that is shown without a request. */
export function inlineImage(href: string): string | undefined {
  return href.length <= LARGEST_IMAGE && IMAGE_DATA.test(href) ? href : undefined;
}

/** Whether a file of this type is shown as a picture: none of these can run code. */
export function isShownImage(mimeType: string): boolean {
  return IMAGE_TYPE.test(mimeType);
}
