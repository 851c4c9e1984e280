import { expect, it } from "vitest";
import { queryWorkspace } from "./query-workspace.server";

it("refuses a forbidden statement before it waits for a process", async () => {
  const query = { sql: "ATTACH 'other.db' AS other", parameters: [], write: true, maxRows: 1 };
  const noProcess = AbortSignal.abort(new Error("no process"));
  await expect(queryWorkspace(query, noProcess)).rejects.toThrow("ATTACH isn't allowed here.");
  await expect(queryWorkspace({ ...query, sql: "SELECT 1" }, noProcess)).rejects.toThrow("no process");
});
