import type { Found } from "./find.schema";

/** The groups of what is found, in their order. */
export const FOUND_GROUPS: readonly (readonly [kind: Found["kind"], label: string])[] = [
  ["conversation", "Conversations"],
  ["document", "Documents"],
  ["persona", "Personas"],
  ["model", "Models"],
  ["setting", "Settings"],
];
