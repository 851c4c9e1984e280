import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("has the kinds of every file that defines some", () => {
  const list = readFileSync("app/job-kinds.server.ts", "utf8");
  const missing = readdirSync("app", { recursive: true, encoding: "utf8" })
    .filter((file) => /(?<!\.test)\.ts$/.test(file))
    .filter((file) => readFileSync(`app/${file}`, "utf8").includes(" defineJob("))
    .filter((file) => !list.includes(`~/${file.replace(/\.ts$/, "")}`));
  expect(missing, "Define them in their feature's .jobs.server.ts").toEqual([]);
});
