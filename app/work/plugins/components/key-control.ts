import type { Control } from "~/core/field.schema";

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
    ...keys
      .filter(({ kind }) => kind === of)
      .map(({ id, alias, origins }) => ({
        value: id,
        label: origins.length > 0 ? `${alias} (${origins.join(", ")})` : alias,
      })),
  ],
});
