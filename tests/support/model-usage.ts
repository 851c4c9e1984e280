/** A usage of which the provider reported everything that counts. */
export const USAGE = {
  inputTokens: { total: 2, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: undefined, reasoning: undefined },
};
