/** How many code units of a call's input are kept; beyond the state's limit they are stored and referred to. */
const MAX_INPUT = 1_000_000;

/** An input for the person who approves it. A note says what is left out, because an approval belongs to what was shown. */
export function boundedInput(input: string): string {
  if (input.length <= MAX_INPUT) return input;
  const left = (input.length - MAX_INPUT).toLocaleString('en');
  return `${input.slice(0, MAX_INPUT)}\n… ${left} more characters, which are not shown …`;
}
