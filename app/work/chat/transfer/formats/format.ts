import type { ImportedConversation } from "../imported-conversation";

/** A format of exports: one file and its line in the list of read-element.ts. */
export interface ExportFormat {
  /** Members of its elements, one of which tells it from the formats after it. */
  members: readonly string[];
  /** @returns undefined if the element isn't of this format after all */
  read(value: object): ImportedConversation[] | undefined;
}
