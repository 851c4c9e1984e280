import * as knowledge from "~/features/knowledge/screens/screens.schema";
import * as audit from "./audit/screens.schema";
import * as chat from "./chat/screens.schema";
import * as comparisons from "./comparisons/screens.schema";
import * as dashboard from "./dashboard/screens.schema";
import * as models from "./models/screens.schema";
import * as personas from "./personas/screens.schema";
import * as plugins from "./plugins/screens.schema";
import * as settings from "./settings/screens.schema";
import * as workflows from "./workflows/screens.schema";

const features = [
  dashboard,
  workflows,
  chat,
  knowledge,
  personas,
  models,
  comparisons,
  plugins,
  audit,
  settings,
] as const;

/** Separate from the index of facts, as every page loads it. */
export const screens = features.flatMap((feature) => ("screens" in feature ? [...feature.screens] : []));

export const commands = features.flatMap((feature) => ("commands" in feature ? [...feature.commands] : []));
