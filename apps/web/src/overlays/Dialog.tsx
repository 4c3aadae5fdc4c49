import { type ReactNode, useLayoutEffect, useRef } from 'react';

interface DialogProps {
  readonly label: string;
  readonly className: string;
  readonly onClose: () => void;
  /** No control is preferred: the dialog itself gets the focus, not its first button. */
  readonly focusSelf?: boolean;
  readonly children: ReactNode;
}

/** The browser's own modal: it keeps the focus inside, closes on Escape and restores the focus. */
export function Dialog({ label, className, onClose, focusSelf = false, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  // Not a plain effect: its cleanup runs after the dialog has left the document, and then the browser restores no focus.
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
