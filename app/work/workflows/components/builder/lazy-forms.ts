import { lazyPart, onFirstUse } from "~/ui/lazy-part";

/** On pages with a part; a new workflow's page loads the forms of parts with the first move on it. */
const PART = "[data-part]";
export const partFields = lazyPart(() => import("./part-fields").then((module) => module.PartFields), PART);
export const tryStep = lazyPart(() => import("./try-step").then((module) => module.TryStep), PART);
onFirstUse(partFields.preload);
