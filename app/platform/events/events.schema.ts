import { z } from "zod";
import { type Topic, topics } from "~/platform/catalogue/topics";

const TopicName = z.enum(Object.keys(topics) as [Topic, ...Topic[]]);

export const EventsQuery = z.object({
  topics: z
    .string()
    .max(500)
    .transform((list) => [...new Set(list.split(","))])
    .pipe(z.array(TopicName))
    .describe(`Separated by commas: ${Object.keys(topics).join(", ")}`),
});

/** Reports a change; subscribers read the new state themselves. */
export interface LiveEvent {
  topic: Topic;
  /** The changed object; if absent, any may have changed. */
  id?: string;
  /** `<epoch>.<number>`; each start has its own epoch. */
  version: string;
}
