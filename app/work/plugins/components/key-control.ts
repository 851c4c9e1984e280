import type { Control } from "~/core/field.schema";
import { keyLabel } from "~/team/keys/keys.shared";

export interface KeyChoice {
  id: string;
  alias: string;
  kind: string;
  origins: readonly string[];
}

export const keyControl = (keys: readonly KeyChoice[], of: string): Control => ({
  kind: "select",
  options: [
    { value: "", label: "None" },
    ...keys.filter(({ kind }) => kind === of).map((key) => ({ value: key.id, label: keyLabel(key) })),
  ],
});
