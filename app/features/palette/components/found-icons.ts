import { icons } from "~/ui/icons";
import type { Found } from "../find.schema";

export const FOUND_ICONS: Readonly<Record<Found["kind"], (typeof icons)[keyof typeof icons]>> = {
  conversation: icons.MessageSquare,
  document: icons.FileSearch,
  persona: icons.Bot,
  model: icons.Cable,
  setting: icons.Settings,
};
