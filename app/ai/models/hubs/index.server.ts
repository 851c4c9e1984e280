import type { ModelHub } from "./hub";
import { huggingfaceHub } from "./huggingface.hub.server";
import { openrouterHub } from "./openrouter.hub.server";

export const hubs: readonly ModelHub[] = [huggingfaceHub, openrouterHub];
