import { afterEach, beforeEach, expect, it } from "vitest";
import { openTestDatabase } from "../../tests/support/database";
import { transaction } from "./db.server";
import { readInThread } from "./read-pool.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

const roles = {
  sql: "SELECT id, role FROM users WHERE role = ? OR role = ? ORDER BY id",
  params: ["admin", "owner"],
};

it("answers each query with its rows, their columns in order", async () => {
  const [found, none] = await readInThread([roles, { ...roles, params: ["nobody", "none"] }]);
  expect(found).toEqual([
    ["usr_admin", "admin"],
    ["usr_owner", "owner"],
  ]);
  expect(none).toEqual([]);
});

it("sees what was committed just before", async () => {
  transaction((tx) => tx.run("UPDATE users SET role = 'admin' WHERE id = 'usr_member'"));
  const [found] = await readInThread([roles]);
  expect(found?.map(([id]) => id)).toEqual(["usr_admin", "usr_member", "usr_owner"]);
});

it("asks no more once there is enough", async () => {
  const broken = { sql: "SELECT * FROM nowhere", params: [] };
  expect(await readInThread([roles, broken], { enough: 2 })).toEqual([expect.any(Array), []]);
  await expect(readInThread([roles, broken], { enough: 3 })).rejects.toMatchObject({ code: "internal" });
});

it("changes nothing", async () => {
  const change = { sql: "DELETE FROM users RETURNING id", params: [] };
  await expect(readInThread([change])).rejects.toMatchObject({ code: "internal" });
  expect((await readInThread([roles]))[0]).toHaveLength(2);
});
