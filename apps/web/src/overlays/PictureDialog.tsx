import { CloseButton } from '../controls/CloseButton.js';
import { Dialog } from './Dialog.js';

interface PictureDialogProps {
  readonly url: string;
  readonly label: string;
  readonly onClose: () => void;
}

/** A picture as large as the window allows. */
export function PictureDialog({ url, label, onClose }: PictureDialogProps) {
  return (
    <Dialog label={label} className="picture-dialog" onClose={onClose} focusSelf>
      <div className="picture-dialog-h">
        <h2>{label}</h2>
        <CloseButton onClose={onClose} />
      </div>
      <img src={url} alt={label} />
    </Dialog>
  );
}
