import type { ToolPart } from "./chat.schema";

/** Prefix of every refusal, so that the screen can offer the permission. */
const RESTRICTED = "Not run: this conversation contains passages from ";

const DESTINATIONS = {
  writes: "writes where everyone in the organization can read.",
  outside: "sends data outside.",
} as const;

export function sharingRefusal(tool: string, effect: keyof typeof DESTINATIONS): string {
  return `${RESTRICTED}restricted documents, and ${tool} ${DESTINATIONS[effect]} The conversation's owner can allow it, then ask again.`;
}

export function isSharingRefusal({ state, error }: ToolPart): boolean {
  return state === "failed" && error?.startsWith(RESTRICTED) === true;
}
