import { icons } from "~/ui/icons";
import type { FoundItem } from "./find.schema";

export const FOUND_GROUPS: readonly (readonly [kind: FoundItem["kind"], label: string])[] = [
  ["conversation", "Conversations"],
  ["document", "Documents"],
  ["persona", "Personas"],
  ["model", "Models"],
  ["setting", "Settings"],
];

export const FOUND_ICONS: Readonly<Record<FoundItem["kind"], (typeof icons)[keyof typeof icons]>> = {
  conversation: icons.MessageSquare,
  document: icons.FileSearch,
  persona: icons.Bot,
  model: icons.Cable,
  setting: icons.Settings,
};
