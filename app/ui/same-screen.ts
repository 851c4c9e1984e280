/** State of a navigation that only gives the screen its own address, such as a new conversation's. */
export const SAME_SCREEN = { isSameScreen: true } as const;

export const isSameScreen = (state: unknown): boolean =>
  typeof state === "object" && state !== null && "isSameScreen" in state;
