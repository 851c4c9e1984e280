export interface KeyUse {
  keyId: string;
  kind: string;
  name: string;
  to: string;
}

export const describeUses = (uses: readonly KeyUse[]) =>
  uses.map(({ kind, name }) => `${kind} ${name}`).join(", ");
