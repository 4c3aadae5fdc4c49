import { type ReactNode, useId, useRef } from 'react';
import { type MenuItem, MenuPanel } from './MenuPanel.js';

export type { MenuItem } from './MenuPanel.js';

interface MenuProps {
  /** The button's content. */
  readonly children: ReactNode;
  readonly label: string;
  readonly className: string;
  readonly items: readonly (MenuItem | 'line')[];
}

/** A button with a menu. */
export function Menu({ children, label, className, items }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
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
      <MenuPanel
        panel={panel}
        id={id}
        label={label}
        items={items}
        anchor={() => button.current?.getBoundingClientRect()}
        returnTo={() => button.current}
      />
    </>
  );
}
