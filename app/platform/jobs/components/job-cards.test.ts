import { expect, it } from "vitest";
import { dueText } from "./job-cards";

it.each([
  [null, "When needed"],
  ["60", "Every minute"],
  ["600", "Every 10 minutes"],
  ["86400", "Every day"],
  ["90", "Every 90 seconds"],
  ["5 0 * * *", "Daily at 00:05"],
  ["20 13 * * *", "Daily at 13:20"],
  ["*/5 * * * 1", "*/5 * * * 1"],
])("%j is %j", (every, text) => {
  expect(dueText(every)).toBe(text);
});
