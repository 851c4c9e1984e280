/** Marks an attached text. Providers ignore it; the built-in model reads requests only from the user's own words. */
export const ATTACHED = { console: { attached: true } } as const;

export const isAttached = ({ providerOptions }: { providerOptions?: unknown }): boolean =>
  (providerOptions as Partial<typeof ATTACHED> | undefined)?.console?.attached === true;
