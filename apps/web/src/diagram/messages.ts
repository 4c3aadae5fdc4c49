/** What the page sends to the frame that draws diagrams. */
export interface DiagramRequest {
  readonly id: number;
  readonly text: string;
  readonly isDark: boolean;
}

/** What the frame answers. The page checks it: the frame has run what an agent wrote through a large program. */
export type DiagramAnswer =
  | { readonly type: 'ready' }
  | { readonly type: 'drawn'; readonly id: number; readonly svg: string }
  | { readonly type: 'failed'; readonly id: number; readonly reason: string };
