import { expect, it } from "vitest";
import { EventsQuery } from "../events.schema";
import { splitTopics } from "./use-live-topics";

it.each([[[]], [["documents"]], [["documents", "audit"]]])("returns the joined topics %j", (topics) => {
  expect(splitTopics(topics.join())).toEqual(topics);
});

it("returns no empty topic, which the server would reject", () => {
  const read = (topics: string[]) =>
    EventsQuery.safeParse({ topics: [...topics, "documents"].join() }).success;
  expect(read(splitTopics(""))).toBe(true);
  expect(read([""])).toBe(false);
});
