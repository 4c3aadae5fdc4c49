import { X } from 'lucide-react';

export function CloseButton({ onClose }: { readonly onClose: () => void }) {
  return (
    <button type="button" className="ib" aria-label="Close" onClick={onClose}>
      <X size={16} aria-hidden />
    </button>
  );
}
