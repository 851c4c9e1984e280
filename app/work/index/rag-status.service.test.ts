import { afterEach, beforeEach, expect, it } from "vitest";
import { rawDatabase } from "~/core/db.server";
import { openTestDatabase } from "../../../tests/support/database";
import { makeCollection } from "../../../tests/support/search-collection";
import { describeHosts, ragStatus } from "./rag-status.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
  makeCollection();
});
afterEach(() => test.close());

it.each([
  [4999, 5000, 99],
  [5000, 5000, 100],
  [1, 5000, 0],
])("reports %i of %i chunks to admins, and a percentage to others", (done, total, hundredths) => {
  rawDatabase().prepare("UPDATE search_indexes SET done = ?, total = ?").run(done, total);
  const { viewer, member, admin } = test.actors;
  for (const actor of [viewer, member])
    expect(ragStatus(actor).indexes).toMatchObject([{ done: hundredths, total: 100 }]);
  expect(ragStatus(admin).indexes).toMatchObject([{ done, total }]);
  rawDatabase().exec("UPDATE search_indexes SET done = 0, total = 0");
  expect(ragStatus(viewer).indexes).toMatchObject([{ done: 0, total: 0 }]);
});

it("counts many providers on one host and names each host", () => {
  const on = (host: string, ...providers: string[]) => providers.map((provider) => ({ provider, host }));
  expect(
    describeHosts([
      ...on("10.0.0.5:8000", "Team server", "GPU room", "Third", "Fourth"),
      ...on("api.openai.com", "OpenAI", "OpenAI"),
    ]),
  ).toEqual(["Team server, GPU room and 2 more at 10.0.0.5:8000", "OpenAI at api.openai.com"]);
});
