import { z } from "zod";
import { type Topic, topics } from "../index.schema";

// The facts of the features name at least one topic.
const TopicName = z.enum(Object.keys(topics) as [Topic, ...Topic[]]);

export const EventsQuery = z.object({
  topics: z
    .string()
    .max(500)
    .transform((list) => [...new Set(list.split(","))])
    .pipe(z.array(TopicName))
    .describe(`Separated by commas: ${Object.keys(topics).join(", ")}`),
});

/** Says that something of a topic has changed; what it is now is read from its own address. */
export interface LiveEvent {
  topic: Topic;
  /** What has changed, where it is one thing; without it anything of the topic may have. */
  id?: string;
  /** `<epoch>.<number>`: the number grows with each change, and the epoch is another after each start. */
  version: string;
}
