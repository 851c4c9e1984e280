/** Something that needs a key reference. */
export interface KeyUse {
  keyId: string;
  kind: string;
  name: string;
  /** The screen where it is changed. */
  to: string;
}

/** The uses of one key, as the list of keys shows them. */
export const describeUses = (uses: readonly KeyUse[]) =>
  uses.map(({ kind, name }) => `${kind} ${name}`).join(", ");
