import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("has the kinds of every file that defines some", () => {
  const list = readFileSync("app/job-kinds.server.ts", "utf8");
  const missing = readdirSync("app", { recursive: true, encoding: "utf8" })
    .filter((file) => /-jobs?\.service\.server\.ts$/.test(file))
    .filter((file) => readFileSync(`app/${file}`, "utf8").includes("defineJob("))
    .filter((file) => !list.includes(`~/${file.replace(/\.ts$/, "")}`));
  expect(missing, "Add their kinds to app/job-kinds.server.ts").toEqual([]);
});
