import { type ReactNode, useLayoutEffect, useRef } from 'react';

interface DialogProps {
  readonly label: string;
  readonly className: string;
  readonly onClose: () => void;
  /** Nothing in it is wanted more than the rest: the dialog itself has the focus, not its first button. */
  readonly focusSelf?: boolean;
  readonly children: ReactNode;
}

/** The browser's own modal: it keeps the focus inside, closes on Escape and gives the focus back. */
export function Dialog({ label, className, onClose, focusSelf = false, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  // Not a plain effect: that one ends when the dialog has left the page, and then the browser gives no focus back.
  useLayoutEffect(() => {
    const { current } = element;
    if (current && !current.open) current.showModal();
    if (focusSelf) current?.focus();
    return () => current?.close();
  }, [focusSelf]);
  return (
    <dialog
      ref={element}
      tabIndex={-1}
      className={`dialog ${className}`}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      {children}
    </dialog>
  );
}
