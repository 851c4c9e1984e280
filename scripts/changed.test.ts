import { expect, it } from "vitest";
import { changedSince, reachesServers } from "./changed.mjs";

it.each([
  [[], undefined],
  [["--changed"], "HEAD"],
  [["--changed=main"], "main"],
])("%j asks for what changed since %s", (args, since) => {
  expect(changedSince(args)).toBe(since);
});

it.each([
  [["app/core/ids.ts"], true],
  [["db/migrations/0001.sql", "docs/api.md"], true],
  [["package-lock.json"], true],
  [["scripts/bundle.mjs"], true],
  [["app/core/ids.test.ts", "tests/integration/chat.test.ts", "README.md"], false],
])("%j reaches every started server: %s", (files, reaches) => {
  expect(reachesServers(files)).toBe(reaches);
});
