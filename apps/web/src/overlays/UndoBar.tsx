import { X } from 'lucide-react';
import { useServices } from '../app/services.js';
import { useObservable } from '../app/useObservable.js';

/** What was done last, and a way back. */
export function UndoBar() {
  const { undos } = useServices();
  const offer = useObservable(undos.current);
  return (
    <div className="undo-room" role="status">
      {offer && (
        <div className="undo">
          <span className="grow">{offer.text}</span>
          {offer.undo && (
            <button type="button" className="btn plain sm" onClick={offer.undo}>
              Undo <kbd aria-hidden="true">Z</kbd>
            </button>
          )}
          <button type="button" className="ib sm" aria-label="Dismiss" onClick={() => undos.dismiss()}>
            <X size={14} aria-hidden />
          </button>
        </div>
      )}
    </div>
  );
}
