import { icons } from "~/ui/icons";
import type { FoundItem } from "../find.schema";

export const FOUND_ICONS: Readonly<Record<FoundItem["kind"], (typeof icons)[keyof typeof icons]>> = {
  conversation: icons.MessageSquare,
  document: icons.FileSearch,
  persona: icons.Bot,
  model: icons.Cable,
  setting: icons.Settings,
};
