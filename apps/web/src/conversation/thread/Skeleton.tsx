import { useEffect, useState } from 'react';

/** Three grey bars, only when loading takes a moment. */
export function Skeleton() {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 200);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="thread" aria-busy="true">
      {shown && (
        <div className="col skel" role="status" aria-label="Loading">
          <i className="w72" />
          <i className="w94" />
          <i className="w58" />
        </div>
      )}
    </div>
  );
}
