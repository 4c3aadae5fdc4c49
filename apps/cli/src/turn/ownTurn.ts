/** Replaces the message of a turn that the agent began. */
export const OWN_TURN = 'The agent continued on its own.';
