import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';

export interface MenuItem {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly checked?: boolean;
  readonly danger?: boolean;
  /** It can't be chosen, and this is the reason. */
  readonly whyNot?: string | undefined;
  readonly hint?: string;
  readonly choose: () => void;
}

interface MenuProps {
  /** What the button shows. */
  readonly children: ReactNode;
  readonly label: string;
  readonly className: string;
  readonly items: readonly (MenuItem | 'line')[];
}

/** A button with a menu: the browser's popover closes it on Escape and on a click elsewhere. */
export function Menu({ children, label, className, items }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const entries = () => [...(menu.current?.querySelectorAll<HTMLButtonElement>('button:not(:disabled)') ?? [])];
  const place = () => {
    const { current } = menu;
    const anchor = button.current?.getBoundingClientRect();
    if (!current || !anchor) return;
    const { offsetWidth: width, offsetHeight: height } = current;
    const below = anchor.bottom + 4 + height <= window.innerHeight;
    current.style.top = `${Math.max(8, below ? anchor.bottom + 4 : anchor.top - 4 - height)}px`;
    current.style.left = `${Math.max(8, Math.min(anchor.left, window.innerWidth - width - 8))}px`;
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
    } else if (event.key === 'Tab') menu.current?.hidePopover();
    event.stopPropagation();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        popoverTarget={id}
      >
        {children}
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        className="menu"
        onKeyDown={keyDown}
        onToggle={(event) => {
          if (event.newState === 'open') place();
          else if (document.activeElement === document.body) button.current?.focus();
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
              disabled={item.whyNot !== undefined}
              title={item.whyNot}
              onClick={() => {
                menu.current?.hidePopover();
                button.current?.focus();
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
    </>
  );
}
