/** An error, beside the control that caused it. */
export function Problem({ text }: { readonly text: string | undefined }) {
  return (
    text && (
      <p className="why bad" role="alert">
        {text}
      </p>
    )
  );
}
