import { lazyPart, onFirstUse } from "~/ui/lazy-part";

// The forms of parts load on pages with a part; on a new workflow's page with the first move on it.

const PART = "[data-part]";
export const partFields = lazyPart(() => import("./part-fields").then((module) => module.PartFields), PART);
export const tryStep = lazyPart(() => import("./try-step").then((module) => module.TryStep), PART);
onFirstUse(partFields.preload);
