/** Code units of a call's input that are kept; what the state has no room for is stored, and referred to. */
const MAX_INPUT = 1_000_000;

/** An input as it is shown to whoever approves it: what is left out is said, because an approval belongs to what was shown. */
export function boundedInput(input: string): string {
  if (input.length <= MAX_INPUT) return input;
  const left = (input.length - MAX_INPUT).toLocaleString('en');
  return `${input.slice(0, MAX_INPUT)}\n… ${left} more characters, which are not shown …`;
}
