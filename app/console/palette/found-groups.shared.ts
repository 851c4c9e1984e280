import type { FoundItem } from "./find.schema";

export const FOUND_GROUPS: readonly (readonly [kind: FoundItem["kind"], label: string])[] = [
  ["conversation", "Conversations"],
  ["document", "Documents"],
  ["persona", "Personas"],
  ["model", "Models"],
  ["setting", "Settings"],
];
