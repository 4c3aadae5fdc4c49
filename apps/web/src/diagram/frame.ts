// The script of the frame that draws diagrams. The frame has an opaque origin and no network: it only gets texts and answers
// pictures. `vite.config.ts` puts it into one document with mermaid itself.
import type { MermaidConfig } from 'mermaid';
import type { DiagramAnswer, DiagramRequest } from './messages.js';

declare const mermaid: typeof import('mermaid').default;

/** More lines between boxes take seconds to lay out. */
const MOST_EDGES = 300;
const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

const settings: MermaidConfig = {
  startOnLoad: false,
  // Encodes HTML in texts, and ignores clicks and links.
  securityLevel: 'strict',
  htmlLabels: false,
  flowchart: { htmlLabels: false },
  fontFamily: FONT,
  maxEdges: MOST_EDGES,
  maxTextSize: 100_000,
  suppressErrorRendering: true,
  deterministicIds: true,
  // What a text can't change by a directive of its own.
  secure: [
    ...['secure', 'securityLevel', 'startOnLoad', 'maxTextSize', 'maxEdges', 'suppressErrorRendering', 'htmlLabels'],
    ...['themeCSS', 'themeVariables', 'fontFamily', 'altFontFamily', 'dompurifyConfig', 'deterministicIds'],
  ],
};

window.addEventListener('message', ({ source, data }: MessageEvent<DiagramRequest>) => {
  if (source === window.parent && source !== window) void answer(data);
});
tell({ type: 'ready' });

async function answer({ id, text, isDark }: DiagramRequest): Promise<void> {
  try {
    mermaid.initialize({ ...settings, theme: isDark ? 'dark' : 'neutral' });
    const { svg } = await mermaid.render('diagram', text);
    tell({ type: 'drawn', id, svg: standalone(svg) });
  } catch (error) {
    tell({ type: 'failed', id, reason: error instanceof Error ? error.message : String(error) });
  }
}

/** As a file of its own, with a size: an image without one has none. */
function standalone(svg: string): string {
  const drawn = new DOMParser().parseFromString(svg, 'text/html').querySelector('svg');
  if (!drawn) throw new Error('nothing was drawn');
  const [, , width = 0, height = 0] = (drawn.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number);
  drawn.removeAttribute('style');
  drawn.setAttribute('width', String(Math.ceil(width)));
  drawn.setAttribute('height', String(Math.ceil(height)));
  return new XMLSerializer().serializeToString(drawn);
}

/** To whoever embeds it: only the page may, and the answer is a picture of what it sent. */
function tell(message: DiagramAnswer): void {
  window.parent.postMessage(message, '*');
}
