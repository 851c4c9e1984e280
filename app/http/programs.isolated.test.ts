import { expect, it, vi } from "vitest";
import type { Program } from "~/platform/endpoint/program.shared";

const program = (path: string): Program => ({ path, tag: "Programs" });

/** The listener keeps its modules when development reloads the rest. */
it("reach the listener that is running when development reloads the modules", async () => {
  const running = await import("./programs.server");
  running.offerPrograms([program("/v1/before")]);
  vi.resetModules();
  const reloaded = await import("./programs.server");
  expect(reloaded).not.toBe(running);
  reloaded.offerPrograms([program("/v1/after")]);
  expect([...running.programTable().keys()]).toEqual(["/v1/after"]);
});
