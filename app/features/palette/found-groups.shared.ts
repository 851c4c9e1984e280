import type { Found } from "./find.schema";

export const FOUND_GROUPS: readonly (readonly [kind: Found["kind"], label: string])[] = [
  ["conversation", "Conversations"],
  ["document", "Documents"],
  ["persona", "Personas"],
  ["model", "Models"],
  ["setting", "Settings"],
];
