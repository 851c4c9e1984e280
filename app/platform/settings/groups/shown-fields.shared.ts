import type { Field } from "./field.schema";

/** Fields that are applied somewhere. */
export function shownFields(fields: Record<string, Field>): Record<string, Field> {
  return Object.fromEntries(Object.entries(fields).filter(([, { appliedBy }]) => appliedBy !== null));
}
