import { type KeyboardEvent, type ReactNode, type RefObject, useEffect } from 'react';

export interface MenuItem {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly checked?: boolean;
  readonly danger?: boolean;
  /** Why it can't be chosen. */
  readonly disabledReason?: string | undefined;
  readonly hint?: string;
  readonly choose: () => void;
}

export interface MenuAnchor {
  readonly left: number;
  readonly top: number;
  readonly bottom: number;
}

interface MenuPanelProps {
  readonly panel: RefObject<HTMLDivElement | null>;
  readonly id?: string;
  readonly label: string;
  readonly items: readonly (MenuItem | 'line')[];
  /** The element that it is below, or above if there is no room. */
  readonly anchor: () => MenuAnchor | undefined;
  /** Gets the focus when the menu is closed. */
  readonly returnTo: () => HTMLElement | null | undefined;
  /** Shown from the start, and removed when it is closed. */
  readonly onClosed?: () => void;
}

/** The menu itself: closed by Escape and by a click elsewhere. */
export function MenuPanel({ panel, id, label, items, anchor, returnTo, onClosed }: MenuPanelProps) {
  const isOwnMaster = onClosed !== undefined;
  useEffect(() => {
    const { current } = panel;
    if (!isOwnMaster || !current) return;
    current.showPopover();
    // The button is still down when a context menu opens: the browser would close an automatic popover on release.
    const elsewhere = ({ target }: Event) => !current.contains(target as Node) && current.hidePopover();
    document.addEventListener('pointerdown', elsewhere, true);
    return () => document.removeEventListener('pointerdown', elsewhere, true);
  }, [panel, isOwnMaster]);
  const entries = () => [...(panel.current?.querySelectorAll<HTMLButtonElement>('button:not(:disabled)') ?? [])];
  const place = () => {
    const { current } = panel;
    const at = anchor();
    if (!current || !at) return;
    current.style.maxHeight = '';
    const { offsetWidth: width, offsetHeight: height } = current;
    const { innerHeight } = window;
    const [below, above] = [innerHeight - at.bottom - 12, at.top - 12];
    if (height <= below) current.style.top = `${at.bottom + 4}px`;
    else if (height <= above) current.style.top = `${at.top - 4 - height}px`;
    // Over its button, when the window has room for all of it, but neither side has.
    else if (height <= innerHeight - 16) current.style.top = `${innerHeight - 8 - height}px`;
    else {
      current.style.maxHeight = `${Math.max(below, above)}px`;
      current.style.top = `${below >= above ? at.bottom + 4 : 8}px`;
    }
    current.style.left = `${Math.max(8, Math.min(at.left, window.innerWidth - width - 8))}px`;
    entries()[0]?.focus();
  };
  const keyDown = (event: KeyboardEvent) => {
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    const to = {
      ArrowDown: (at + 1) % all.length,
      ArrowUp: (at - 1 + all.length) % all.length,
      Home: 0,
      End: all.length - 1,
    }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      all[to]?.focus();
    } else if (event.key === 'Tab' || (isOwnMaster && event.key === 'Escape')) panel.current?.hidePopover();
    event.stopPropagation();
  };
  return (
    <div
      ref={panel}
      id={id}
      popover={isOwnMaster ? 'manual' : 'auto'}
      role="menu"
      aria-label={label}
      className="menu"
      onKeyDown={keyDown}
      onToggle={(event) => {
        if (event.newState === 'open') place();
        else {
          if (document.activeElement === document.body) returnTo()?.focus();
          onClosed?.();
        }
      }}
    >
      {items.map((item, index) =>
        item === 'line' ? (
          <hr key={index} />
        ) : (
          <button
            key={item.label}
            type="button"
            role={item.checked === undefined ? 'menuitem' : 'menuitemradio'}
            aria-checked={item.checked}
            className={item.danger ? 'menu-i danger' : 'menu-i'}
            disabled={item.disabledReason !== undefined}
            title={item.disabledReason}
            onClick={() => {
              panel.current?.hidePopover();
              returnTo()?.focus();
              item.choose();
            }}
          >
            {item.icon}
            <span className="grow">{item.label}</span>
            {item.hint && <kbd aria-hidden="true">{item.hint}</kbd>}
            {item.checked && <span aria-hidden="true">✓</span>}
          </button>
        ),
      )}
    </div>
  );
}
