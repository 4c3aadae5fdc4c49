/**
 * xterm.js writes `<style>` elements and `style` attributes, which the page's policy refuses. While a terminal is open, its document makes
 * elements that turn both into what the policy allows: style sheets and properties made by a script. Nothing else of the page makes
 * such elements, so nothing else changes.
 */
export function policyStyles(page: Document): { dispose(): void } {
  open += 1;
  const styles = open === 1 ? replaceElements(page) : undefined;
  restore ??= styles?.dispose;
  return {
    dispose: () => {
      open -= 1;
      if (open > 0) return;
      restore?.();
      restore = undefined;
    },
  };
}

/** Terminals that are open in this page: a log-in beside a session's own. */
let open = 0;
let restore: (() => void) | undefined;

function replaceElements(page: Document): { dispose(): void } {
  const sheets = new Set<CSSStyleSheet>();
  const drop = (sheet: CSSStyleSheet) => {
    sheets.delete(sheet);
    page.adoptedStyleSheets = page.adoptedStyleSheets.filter((one) => one !== sheet);
  };
  const create = Document.prototype.createElement.bind(page);
  const createElement = (name: string, options?: ElementCreationOptions): HTMLElement => {
    if (name === 'style') return styleElement();
    const element = create(name, options);
    const setAttribute = element.setAttribute.bind(element);
    element.setAttribute = (attribute, value) => {
      if (attribute === 'style') element.style.cssText = value;
      else setAttribute(attribute, value);
    };
    return element;
  };
  /** Holds the place of a style element; its rules are in a sheet. */
  const styleElement = (): HTMLElement => {
    const sheet = new CSSStyleSheet();
    sheets.add(sheet);
    page.adoptedStyleSheets = [...page.adoptedStyleSheets, sheet];
    const element = create('span');
    element.hidden = true;
    const remove = element.remove.bind(element);
    Object.defineProperty(element, 'textContent', { set: (text: string) => sheet.replaceSync(text) });
    element.remove = () => {
      drop(sheet);
      remove();
    };
    return element;
  };
  Object.defineProperty(page, 'createElement', { value: createElement, configurable: true });
  return {
    dispose: () => {
      Reflect.deleteProperty(page, 'createElement');
      for (const sheet of [...sheets]) drop(sheet);
    },
  };
}
