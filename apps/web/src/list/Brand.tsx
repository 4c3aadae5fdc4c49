/** The sign of the page. */
export function Brand() {
  return (
    <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
      <rect x="1" y="2" width="16" height="3.4" rx="1.7" fill="currentColor" />
      <rect x="1" y="7.3" width="11" height="3.4" rx="1.7" fill="currentColor" opacity=".55" />
      <rect x="1" y="12.6" width="6" height="3.4" rx="1.7" fill="currentColor" opacity=".28" />
    </svg>
  );
}
