import { z } from "zod";
import type { ImportedConversation } from "../imported-conversation";

/** A format of exports: one file and its line in the list of read-element.ts. */
export interface ExportFormat {
  /** Members of its elements; one of them distinguishes it from the formats after it. */
  members: readonly string[];
  /** @returns undefined if the element isn't of this format after all */
  read(value: object): ImportedConversation[] | undefined;
}

export const exportFormat = <T>(
  members: readonly string[],
  schema: z.ZodType<T>,
  read: (element: T) => ImportedConversation | ImportedConversation[],
): ExportFormat => ({
  members,
  read(value) {
    const { data } = schema.safeParse(value);
    return data && [read(data)].flat();
  },
});

// Whatever else an export has in these members is left out, and doesn't make a conversation unreadable.
export const OptionalText = z.string().nullish().catch(null);
export const OptionalId = z.string().max(200).nullish().catch(null);
export const OptionalList = z.array(z.unknown()).catch([]).default([]);
