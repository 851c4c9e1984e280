import type { ToolPart } from "./chat.schema";

/** How every refusal begins, so that the screen can offer the permission under the call. */
const RESTRICTED = "Not run: this conversation holds passages of documents that not everybody may see, and ";

const DESTINATIONS = {
  writes: "writes where everybody in the organisation can read.",
  outside: "sends data outside.",
} as const;

/** Why a tool isn't run, for the model and the person. */
export function sharingRefusal(tool: string, effect: keyof typeof DESTINATIONS): string {
  return `${RESTRICTED}${tool} ${DESTINATIONS[effect]} The person who asks can allow it for this conversation; then ask again.`;
}

export function isSharingRefusal({ state, error }: ToolPart): boolean {
  return state === "failed" && error?.startsWith(RESTRICTED) === true;
}
