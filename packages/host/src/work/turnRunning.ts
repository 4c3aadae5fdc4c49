/** Files can't be restored now. */
export class TurnRunning extends Error {
  override readonly name = 'TurnRunning';
}
