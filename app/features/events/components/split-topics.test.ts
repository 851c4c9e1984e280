import { expect, it } from "vitest";
import { EventsQuery } from "../events.schema";
import { splitTopics } from "./split-topics";

it.each([[[]], [["documents"]], [["documents", "audit"]]])("gives back the joined topics %j", (topics) => {
  expect(splitTopics(topics.join())).toEqual(topics);
});

it("adds no empty topic to a stream of others, which would be refused", () => {
  const read = (topics: string[]) =>
    EventsQuery.safeParse({ topics: [...topics, "documents"].join() }).success;
  expect(read(splitTopics(""))).toBe(true);
  expect(read([""])).toBe(false);
});
