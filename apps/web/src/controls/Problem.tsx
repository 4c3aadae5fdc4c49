/** What went wrong, beside what it went wrong with. */
export function Problem({ text }: { readonly text: string | undefined }) {
  return (
    text && (
      <p className="why bad" role="alert">
        {text}
      </p>
    )
  );
}
