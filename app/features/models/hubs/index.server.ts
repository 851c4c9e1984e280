import type { ModelHub } from "./hub";
import { huggingfaceHub } from "./huggingface.hub.server";
import { openrouterHub } from "./openrouter.hub.server";

/** Every hub, in the order they are shown. */
export const hubs: readonly ModelHub[] = [huggingfaceHub, openrouterHub];
